"""What a printed number leaves open: half of its last digit, and where the clock was coarse, a tick.

Intel's echo times are whole multiples of 5 us (25 us on the iPSC/1): a millisecond clock (5 ms) read before and after
100 round trips, so that a tick of the clock is 5 us of one way. The difference of two readings is off by up to a tick
either way. Source: Dunigan 1991 (hypercubes), section 4.1 and Appendix A; the catalogue's remark on clock steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from assay.machine.catalogue import PublishedCell, si
from assay.machine.published import Claim

TICKS = {"ipsc860": 5e-6, "ipsc2": 5e-6, "ipsc1": 25e-6}  # s, one way, by published machine
TIMED = ("echo", "echo-self", "echo-host")  # what was timed with that clock


@dataclass(frozen=True)
class Error:
    """How a simulated value misses a published one: `raw`, and `left` beyond what printing and the clock leave open."""

    raw: float
    left: float


def half(number: float) -> float:
    """Half of the last digit of a number as it is printed."""
    exponent = Decimal(repr(number)).as_tuple().exponent
    return 0.5 * 10.0 ** (exponent if isinstance(exponent, int) else 0)


def claimed(claim: Claim, machine: str) -> float:
    """What a claim's value leaves open (SI): what its print says (`tol_basis`), else half of its last digit.

    A time per hop is a difference over five hops, each end read to a tick of the machine's clock.
    """
    value, unit = claim.value or 0, claim.unit or "1"
    if claim.tol_abs is not None:
        return si(claim.tol_abs, unit)[0]
    if claim.tol_rel is not None:
        return claim.tol_rel * abs(si(value, unit)[0])
    ticks = TICKS.get(machine, 0.0) / 5 if claim.metric == "time_per_extra_hop" else 0.0
    return si(half(value), unit)[0] + ticks


def printed(cell: PublishedCell) -> tuple[float, float]:
    """The least and greatest value (SI) that would be printed as this cell is."""
    low, high = (si(cell.printed + way * half(cell.printed), cell.printed_unit)[0] for way in (-1, 1))
    return low, high


def tick(cell: PublishedCell) -> float:
    """The tick (s) of the clock behind the cell's times; 0 where it is not known to matter."""
    return TICKS.get(cell.machine or "", 0.0) if cell.benchmark in TIMED else 0.0


def length(cell: PublishedCell) -> float | None:
    """Bytes of the cell's message, where it names them; decimal megabytes as the papers count."""
    if "message_B" in cell.params and isinstance(cell.params["message_B"], int | float):
        return float(cell.params["message_B"])
    if "message_MB" in cell.params:
        return 1e6 * float(cell.params["message_MB"])
    return None


def bounds(cell: PublishedCell) -> tuple[float, float]:
    """The least and greatest value (SI) that the printed digits and the clock allow."""
    low, high = printed(cell)
    size, step = length(cell), tick(cell)
    if not step or size is None or cell.metric != "rate":
        return low, high
    time = size / cell.value
    return min(low, size / (time + step)), max(high, size / (time - step) if time > step else high)


def error(cell: PublishedCell, simulated: float) -> Error:
    """The relative error of a simulated value (SI), signed: positive where the simulation gives more."""
    low, high = bounds(cell)
    beyond = simulated - high if simulated > high else min(simulated - low, 0.0)
    return Error((simulated - cell.value) / cell.value, beyond / cell.value)
