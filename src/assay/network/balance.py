"""Whether a network keeps up with a load: a test over replications that start empty, wrong as seldom as stated.

At the load that saturates a backlog grows as the square root of time (a random walk that cannot fall below nothing),
above it in proportion to time, below it to a limit. So of a run that starts empty the mean backlog of the second half
is compared with that of the first, by a Student test over replications:

* A network keeps up if the backlog grows less than the root of time: the second mean is below 1.83 times the first.
* It is saturated if the backlog grows more than the power 2/3 of time: the second mean is above 2.17 times the first.
  The root holds for a queue; many that hold one another up come near it from above, as sources are more seldom idle the
  more waits at them. Networks at their saturation point were found to grow with powers of 0.50 to 0.60 (7-cube, torus
  with lanes, hot spot; runs of 5,000 to 320,000 cycles): at the root, a load at which 40 million cycles find the 7-cube
  in balance would be called saturated.

Whole halves: a backlog in balance varies as much as it is large, and all its ups and downs that were simulated help to
distinguish it from one that grows.

Where neither is decided the runs are made four times as long.

The messages that are on their way in balance do not grow: they speak for a network that keeps up. So a network keeps up
only if its backlog also grows by less, between the halves, than it would at a load above the saturation point by a
quarter of the requested precision; with I/O nodes or hot spots, which saturate first, only their share of the
messages counts. While the network fills they do grow: a run that ends before it can have been filled speaks for neither
(`filling`).
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from assay.network import deadlocking, engine
from assay.network.description import NetworkDescription
from assay.network.documents import LoadTried
from assay.network.engine import SimulationRun
from assay.network.filling import Filling, slowest
from assay.network.offered import bottleneck, load_of
from assay.network.simulation import finite
from assay.network.tasks import SimulationTask, task

REPLICATIONS = 16
ROOT, STEEP = 1 / 2, 2 / 3  # powers of time
TESTS = 20  # about as many loads near the saturation point are tried: they share the probability of an error
BEYOND = 1 / 4  # of the requested precision: the growth of a load so far above the saturation point must be excluded
LENGTHENED = 4
# Cycles that are simulated whatever they cost, as those until the network has filled; messages per run, no more, but up
# to FEW times as many where only a share of them passes what saturates first.
LEAST, MOST, FEW = 80_000, 1_000_000, 8


@dataclass(frozen=True)
class Balance:
    """Whether a load saturates; None where the longest runs did not decide it. With what was run, and each try."""

    saturated: bool | None
    runs: list[SimulationRun]
    tried: list[LoadTried]


def decide(
    description: NetworkDescription, load: float, cycles: int, filling: Filling
) -> Generator[list[SimulationTask], list[SimulationRun], Balance]:
    """Decide about a description's `load` by replications of so many cycles at first."""
    cycles = max(cycles, 2)
    made: list[SimulationRun] = []
    tried: list[LoadTried] = []
    tail = (1 - description.method.confidence) / 2 / TESTS
    draining = engine.nodes(description) * slowest(description)
    share = bottleneck(description)
    while True:
        runs = yield [task(description, stream, 0, cycles) for stream in range(REPLICATIONS)]
        found = [halves(run.backlog, draining * run.throughput) for run in runs]
        first, second = (float(np.mean([one[i] for one in found])) for i in (0, 1))
        generated = sum(run.generated for run in runs) / len(runs)
        deadlocked = deadlocking.count(runs)
        deadlock = deadlocked > 0
        verdict = True if deadlock else judged(found, tail)
        # Half of what such a load leaves behind comes between the means of the two halves.
        allowed = share * generated * description.method.precision * BEYOND / 2
        small = sign([late - early - allowed for early, late in found], tail) is False
        least = (yield from filling.shortest(load_of(description))) if verdict and not deadlock else 0
        if (verdict is False and not small) or cycles < least:
            verdict = None
        made += runs
        tried.append(
            {
                "load": load,
                "cycles": cycles,
                "replications": len(runs),
                "backlog_first_half": first,
                "backlog_second_half": second,
                "saturated": verdict,
                "deadlock": deadlock,
                "deadlocked": deadlocked,
                "throughput": finite(sum(run.throughput for run in runs) / len(runs)),
            }
        )
        longer = max(cycles * LENGTHENED, least)
        affordable = longer <= max(LEAST, least) or generated * LENGTHENED <= MOST * min(1 / share, FEW)
        if verdict is not None or not affordable:
            return Balance(verdict, made, tried)
        cycles = longer


def halves(backlog: ArrayLike, draining: float) -> tuple[float, float]:
    """Mean backlog of the first and of the second half of a run, with the `draining` messages whose heads have arrived.

    An engine that counts a message as delivered with its head does not hold what is being served, by Little's law the
    rate of flits times the cycles that a flit of a body takes. Where an engine counts to a message's tail they are
    counted twice: that speaks for a network that keeps up, as the messages on their way do.
    """
    values = np.asarray(backlog, float)
    half = len(values) // 2
    return float(values[:half].mean()) + draining, float(values[half:].mean()) + draining


def judged(found: list[tuple[float, float]], tail: float) -> bool | None:
    """Whether the network is saturated by the `halves` of its replications; None where they do not decide it.

    Means over halves of a power p of time are as 1 to 2^(1 + p) - 1.
    """
    less, more = ([late - (2 ** (1 + power) - 1) * early for early, late in found] for power in (ROOT, STEEP))
    if sign(less, tail) is False:
        return False
    return sign(more, tail) or None


def sign(growth: list[float], tail: float) -> bool | None:
    """Whether the mean of `growth` is above nothing (True) or not (False), each wrong with probability `tail` at most.

    None where neither is decided. Values that are all equal, as of a network without messages, are taken as they are.
    """
    values = np.asarray(growth, float)
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    mean, least = float(values.mean()), float(stdtrit(len(values) - 1, 1 - tail)) * error
    if abs(mean) < least:
        return None
    return mean > 0
