"""What a printed number leaves open: half of its last digit, and where the clock was coarse, a tick.

Intel's echo times are whole multiples of 5 us (25 us on the iPSC/1): a millisecond clock (5 ms) read before and after
100 round trips, so that a tick of the clock is 5 us of one way. The difference of two readings is off by up to a tick
either way. Source: Dunigan 1991 (hypercubes), section 4.1 and Appendix A; the catalogue's remark on clock steps.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal

from assay.machine.catalogue import PublishedCell, si
from assay.machine.published import Claim

TICKS = {"ipsc860": 5e-6, "ipsc2": 5e-6, "ipsc1": 25e-6}  # s, one way, by published machine
# Where no print defines how near is near, these shares are our choice, made before anything was simulated. Pages give
# which verdicts would differ with half and with double.
SAME = 0.05  # 'the same', 'unaffected'
LITTLE = 0.1  # 'little difference', 'marginal', 'very closely'
SLIGHT = 0.25  # 'only a slight improvement', and below 'markedly'; chosen with the simulated gains in view
FLAT = 0.05  # a trend that stays: what a reader sees of a printed curve
_FACTOR: ContextVar[float] = ContextVar("factor", default=1.0)
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


def slack(claim: Claim) -> float:
    """What a claim's value leaves open, in its own unit: by `tol_basis`, else half of its last digit."""
    if claim.tol_abs is not None:
        return claim.tol_abs
    value = claim.value or 0
    return half(value) if claim.tol_rel is None else claim.tol_rel * abs(value)


def claimed(claim: Claim, machine: str) -> float:
    """What a claim's value leaves open (SI); of a time per hop the clock as well, where the print has nothing.

    A time per hop is a difference over five hops, each end read to a tick of the machine's clock.
    """
    printed_alone = claim.tol_abs is not None or claim.tol_rel is not None
    ticks = TICKS.get(machine, 0.0) / 5 if claim.metric == "time_per_extra_hop" and not printed_alone else 0.0
    return si(slack(claim), claim.unit or "1")[0] + ticks


def ours(claim: Claim) -> bool:
    """Whether the claim's tolerance is our choice, since no print gives one."""
    return claim.tol_rel is None or (claim.tol_basis or "").startswith("our choice")


def share(claim: Claim, default: float) -> float:
    """The share that a claim's words allow: its own tolerance, else `default`; ours by the factor being tried."""
    found = default if claim.tol_rel is None else claim.tol_rel
    return found * _FACTOR.get() if ours(claim) else found


def chosen(value: float) -> float:
    """An allowance in the code, our choice, by the factor being tried."""
    return value * _FACTOR.get()


@contextlib.contextmanager
def choosing(factor: float) -> Iterator[None]:
    """Judge with this many times the allowances that are our choice, to see which verdicts rest on them."""
    token = _FACTOR.set(factor)
    try:
        yield
    finally:
        _FACTOR.reset(token)


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
