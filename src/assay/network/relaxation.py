"""How long a simulated network remembers: the autocorrelation time of what a run records, and the warm-up from it.

Near saturation a queue forgets its past after a time that grows with the inverse square of what is left of its
capacity. A run that does not outlast this time many times over can neither show that it is in balance nor how sure
its mean is.

Source: Abate and Whitt, Transient behavior of regulated Brownian motion (Advances in Applied Probability 19, 1987), for
how fast a queue that starts empty approaches its balance: its relaxation time is twice the autocorrelation time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.network import method
from assay.network.engine import SimulationRun
from assay.network.method import Floats

KNOWN = 100.0  # a series gives its autocorrelation time if it is so many times as long
SETTLED = 30.0  # one so many times as long is in balance: of a backlog that grows the sum over lags is an eighth of it
MESSAGES = 5000  # and if it has so many: what holds up the others may be rare, as a read of a disk is
# Of the growth in proportion to time: above saturation all of it, at saturation, and for long below it, a third (the
# square root of time, a random walk that cannot fall below nothing).
LINEAR = 2 / 3
WARMUP = 10.0  # autocorrelation times of warm-up: five relaxation times, which leave less than 1% of the way
FLIGHTS = 5.0  # and at least so many mean latencies
LEFT = 0.2  # of an interval's half-width: what a shorter warm-up may leave in the mean; 95% cover 93% then


@dataclass(frozen=True)
class Relaxation:
    """The autocorrelation time of a run that started empty, in cycles, from its second half.

    `known`: whether the run was long enough to know it; `settled`: whether it was long enough to be in balance, and to
    give it within a factor of two; `saturated`: whether its backlog still grew, nearly in proportion to time.
    """

    cycles: float
    latency: float
    known: bool
    settled: bool
    saturated: bool

    @property
    def warmup(self) -> float:
        """Cycles after which a run that starts empty is in balance."""
        return max(WARMUP * self.cycles, FLIGHTS * self.latency)

    def left(self, warmup: float, cycles: float) -> float:
        """Share of a mean over so many `cycles` after a `warmup` from empty that is missing, at most.

        A queue near saturation lacks half its mean for an autocorrelation time in all (the area above the first moment
        of regulated Brownian motion), whose share that is left after a warm-up falls at least as fast as the
        slowest of its exponentials; what only passes lacks all of it for a latency. Twice that, for a memory that is
        known within a factor of two.
        """
        slowest = max(2 * self.cycles, self.latency, 1.0)
        return max(self.cycles, self.latency) * math.exp(-warmup / slowest) / max(cycles, 1.0)


def of_itself(run: SimulationRun) -> Relaxation | None:
    """The memory of a run that is so long; None of one that is not: too short a run would give too little
    exactly where it varied too little.
    """
    latency, cycles = run.latencies["header_latency"], run.measured_cycles
    delivered, parts = latency.counts.sum(), len(latency.sums)
    if delivered < MESSAGES or run.deadlock:
        return None
    steps = _memory(latency.sums, latency.counts, latency.mean, run.backlog)
    if parts < method.MERGED * method.BATCH * steps:
        return None
    return Relaxation(steps * cycles / parts, latency.mean, True, True, False)


def of_pilot(run: SimulationRun) -> Relaxation:
    """The memory of a run that started empty: of its latencies or of its backlog, the longer one."""
    latency, cycles = run.latencies["header_latency"], run.measured_cycles
    half = len(latency.sums) // 2
    sums, counts = latency.sums[half:], latency.counts[half:]
    delivered = counts.sum()
    mean = float(sums.sum() / delivered) if delivered else 0.0
    early, late, stretch = method.growth_of(run.backlog, 0, cycles)
    linear = late - early > LINEAR * early * (stretch - 1)
    saturated = linear and method.backlog_grows(early, late, stretch, run.generated * (1 - 1 / stretch))
    if half < 2 or not delivered:
        return Relaxation(0.0, mean, False, False, saturated)
    steps = _memory(sums, counts, mean, run.backlog[half:])
    known, settled = (half >= least * steps and delivered >= MESSAGES for least in (KNOWN, SETTLED))
    return Relaxation(steps * cycles / len(latency.sums), mean, known, settled, saturated)


def _memory(sums: Floats, counts: Floats, mean: float, backlog: Floats) -> float:
    """Autocorrelation time, in stretches, of the latencies or of the backlog, whichever remembers longer."""
    return max(method.correlation_time(sums - mean * counts), method.correlation_time(backlog))
