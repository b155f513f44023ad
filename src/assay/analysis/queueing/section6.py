"""Section 6 of Ghosh, Goveas and Draper as written: a test cube's I/O-PE latency and where its networks saturate.

Times are in channel cycles, rates in messages per element per cycle (`per_ms` converts). The I/O network is crossed
from the highest dimension to the lowest; a channel's service is its message and the waits on the channels after it.
What the text leaves open is a `Reading`; `READINGS` holds those that were tried: none gives both printed numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from assay.analysis.queueing.queues import Service, mg1, mixture, mmm

CYCLE_MS = 0.05e-3


def per_ms(rate: float) -> float:
    """Messages per element per millisecond, from messages per element per cycle."""
    return rate / CYCLE_MS


@dataclass(frozen=True)
class CubeModel:
    """Section 6's test case by default: elements, I/O nodes, dimensions of the I/O network, traffic, flits."""

    elements: int = 128
    io_nodes: int = 16
    io_dimension: int = 4
    b: int = 1
    locality: float = 0.2
    read_ratio: float = 1.0
    io_rate: float = 0.05
    message: int = 32
    request: int = 32
    block: int = 4096

    @property
    def remote_reads(self) -> float:
        """Remote reads through an I/O node, over a PE's message rate."""
        return self.elements / self.io_nodes * self.io_rate * self.read_ratio * (1 - self.locality)

    @property
    def local_replies(self) -> float:
        """P_io P_r P_l."""
        return self.io_rate * self.read_ratio * self.locality

    def io_rate_per_channel(self) -> float:
        """lambda_IOch / lambda_PE: half of what an I/O node sends, a request and a block for each remote read."""
        return 2 * self.remote_reads / 2

    def io_service(self) -> Service:
        """Half requests, half blocks."""
        return mixture([1, 1], [self.request, self.block])

    def pe_rate_per_channel(self) -> float:
        """lambda_PEch / lambda_PE, a channel of set D (out of a class I router)."""
        return (1 - self.io_rate) / 2 + self.io_rate * self.read_ratio

    def pe_service(self) -> Service:
        """On a channel of set D, blocking on the channels after it neglected."""
        return mixture([(1 - self.io_rate) / 2, self.io_rate * self.read_ratio], [self.message, self.block])


@dataclass(frozen=True)
class Reading:
    """One way to take the adjusted service time.

    follow: which I/O channels add their wait: none, each lower dimension with one half, or only the next one (lower
    dimension j comes next after i with 2^-(i-j)). pe: weight of the wait on the PE channel that ends the way; pe_next:
    it counts only when next. spread: what C_b^2 is for a lengthened service: 1, the variance of the lengths, or the
    C_b^2 of the lengths. uniform: factor on the rate of I/O channels; 16/15 where destinations exclude the sender.
    """

    name: str
    follow: Literal["none", "half", "next"]
    pe: float
    spread: Literal["one", "variance", "scv"]
    pe_next: bool = False
    uniform: float = 1.0


_HALF, _NEXT = "each lower dimension with 1/2", "only the channel that is next"
_LENGTHS, _ONE = "variance of the lengths", "C² = 1"
READINGS = (
    Reading("blocking neglected (the text's upper bound)", "none", 0, "variance"),
    Reading(f"{_HALF}; no PE channel; {_ONE}", "half", 0, "one"),
    Reading(f"{_HALF}; no PE channel; {_LENGTHS}", "half", 0, "variance"),
    Reading(f"{_HALF}; PE channel 7/8; {_ONE}", "half", 7 / 8, "one"),
    Reading(f"{_HALF}; PE channel 7/8; {_LENGTHS}", "half", 7 / 8, "variance"),
    Reading(f"{_HALF}; PE channel 7/16 (replies only); {_ONE}", "half", 7 / 16, "one"),
    Reading(f"{_HALF}; PE channel 7/16 (replies only); {_LENGTHS}", "half", 7 / 16, "variance"),
    Reading(f"{_HALF}; PE channel 7/16; {_LENGTHS}; rate × 16/15", "half", 7 / 16, "variance", uniform=16 / 15),
    Reading(f"{_NEXT}; PE channel 7/8 when next; {_ONE}", "next", 7 / 8, "one", pe_next=True),
    Reading(f"{_NEXT}; PE channel 7/8 when next; {_LENGTHS}", "next", 7 / 8, "variance", pe_next=True),
    Reading(f"{_NEXT}; PE channel 7/8 always; {_ONE}", "next", 7 / 8, "one"),
    Reading(f"{_NEXT}; PE channel 7/8 always; {_LENGTHS}", "next", 7 / 8, "variance"),
    Reading(f"{_NEXT}; no PE channel; {_LENGTHS}", "next", 0, "variance"),
    Reading(f"{_NEXT}; no PE channel; {_ONE}", "next", 0, "one"),
    Reading(f"{_HALF}; PE channel 7/16 (replies only); C² of the lengths", "half", 7 / 16, "scv"),
)
PLAINEST = READINGS[6]
"""Each lower dimension with one half, the PE channel for replies only, the variance of the lengths."""
NEAREST = READINGS[11]
"""The one that comes nearest to both numbers of Table 2."""


@dataclass(frozen=True)
class Waits:
    """In cycles: by dimension of the I/O network (0 is crossed last), and on a channel of set D."""

    io: tuple[float, ...]
    pe: float

    @property
    def finite(self) -> bool:
        """Whether every queue keeps up."""
        return all(math.isfinite(wait) for wait in (*self.io, self.pe))


def waits(machine: CubeModel, rate: float, reading: Reading) -> Waits:
    """At a message rate (per element per cycle), from the last dimension back; M/G/1 for b = 1, else M/M/b."""
    pe = mg1(rate * machine.pe_rate_per_channel(), machine.pe_service())
    base = machine.io_service()
    arrivals = rate * machine.io_rate_per_channel() * reading.uniform
    found: list[float] = []
    for d in range(machine.io_dimension):
        after = 0.0
        if reading.follow == "half":
            after = sum(found) / 2
        elif reading.follow == "next":
            after = sum(0.5 ** (d - j) * wait for j, wait in enumerate(found))
        if reading.pe:
            after += (0.5**d if reading.pe_next else 1.0) * reading.pe * pe
        mean = base.mean + after
        variance = {"one": mean**2, "variance": base.variance, "scv": base.scv * mean**2}[reading.spread]
        if not math.isfinite(mean):
            found.append(math.inf)
        elif machine.b == 1:
            found.append(mg1(arrivals, Service(mean, variance)))
        else:
            found.append(mmm(arrivals, mean, machine.b))
    return Waits(tuple(found), pe)


def io_pe_latency(machine: CubeModel, rate: float, reading: Reading = PLAINEST) -> float:
    """Mean header latency of block replies in cycles, over the four categories; infinite beyond saturation."""
    return sum(share * latency for share, latency in categories(machine, waits(machine, rate, reading)))


def categories(machine: CubeModel, found: Waits) -> list[tuple[float, float]]:
    """(probability, latency in cycles) of block replies: local and remote, to PEs of class I and II."""
    first, local = machine.io_nodes / machine.elements, machine.locality
    network = sum(wait + 1 for wait in found.io) / 2
    return [
        (first * local, 2),
        ((1 - first) * local, 3 + found.pe),
        (first * (1 - local), 3 + network),
        ((1 - first) * (1 - local), 3 + network + found.pe + 1),
    ]


def bisect(keeps_up: Callable[[float], bool], high: float) -> float:
    """The largest rate up to `high` at which `keeps_up` still holds."""
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if keeps_up(middle) else (low, middle)
    return low


def saturation(machine: CubeModel, reading: Reading) -> float:
    """lambda_sat in messages per element per cycle: the rate at which some utilisation reaches 1."""
    return bisect(lambda rate: waits(machine, rate, reading).finite, 1.0)


def control_bound(machine: CubeModel, first_dimension: float = 0.5) -> float:
    """Upper bound of the control cube's saturation rate: the busiest channel, blocking neglected (end of section 6).

    `first_dimension`: share of remote traffic that leaves along the highest dimension; one half as printed, 8/15 among
    the other 15 I/O nodes, with which the printed 26.3 comes out.
    """
    requests = first_dimension * machine.remote_reads + (1 - machine.io_rate) / 2
    blocks = first_dimension * machine.remote_reads + machine.local_replies
    return 1 / (requests * machine.message + blocks * machine.block)


def bisection_bandwidths(machine: CubeModel) -> tuple[float, float]:
    """Channels across the bisection, one way: of the PE network and of the I/O network."""
    return machine.elements / 2, machine.io_nodes / 2 * machine.b


def bisection_saturation(machine: CubeModel) -> tuple[float, float]:
    """The argument that the authors gave up: (b = 0, I/O network of b channels) rates at which bisections are full.

    Half of the uniform traffic crosses the bisection of the network that carries it, whose channels are assumed equal
    busy: PE-PE messages and, with b = 0, requests and blocks of remote reads over that of the PE network.
    """
    pe, io = bisection_bandwidths(machine)
    per_element = machine.io_rate * machine.read_ratio * (1 - machine.locality) * (machine.request + machine.block)
    remote = machine.elements * per_element / 4  # half crosses, half of that in each direction
    local = machine.elements * (1 - machine.io_rate) * machine.message / 4
    return pe / (remote + local), io / remote if remote else math.inf


def table2(readings: tuple[Reading, ...] = READINGS) -> list[tuple[Reading, float, float]]:
    """(reading, saturation for b = 1, for b = 2) in messages per element per millisecond."""
    one, two = CubeModel(b=1), replace(CubeModel(), b=2)
    return [(reading, per_ms(saturation(one, reading)), per_ms(saturation(two, reading))) for reading in readings]
