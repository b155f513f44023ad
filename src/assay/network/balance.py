"""Whether a network keeps up with a load: a test over replications that start empty, wrong as seldom as stated.

At the load that saturates a backlog grows as the square root of time (a random walk that cannot fall below nothing),
above it in proportion to time, below it to a limit. So of a run that starts empty the backlog at its end less that at
a quarter of it times the square root of four is about nothing at the saturation point, greater above it, and less
below. A Student test over replications tells the sign; where it cannot, the runs are made four times as long.

The messages that are on their way in balance do not grow: they speak for a network that keeps up. A run is therefore
so long that what it would lack at half the asked precision above the saturation point outweighs them; of a network with
I/O nodes, which saturate first, only their share of the messages counts. While the network fills they do grow: a run
that ends before it can have been filled speaks for neither (`filling`).
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from assay.network import engine, method
from assay.network.description import NetworkDescription
from assay.network.engine import SimulationRun
from assay.network.filling import Filling, slowest
from assay.network.offered import load_of
from assay.network.simulation import SimulationTask, finite, task

REPLICATIONS = 8
TESTS = 20  # about as many loads near the saturation point are tried: they share the probability of an error
OUTWEIGHED = 4.0  # times the messages on their way
LENGTHENED = 4
# Cycles that are simulated whatever they cost, as those until the network has filled; messages per run, no more.
LEAST, MOST = 80_000, 1_000_000


@dataclass(frozen=True)
class Balance:
    """Whether a load saturates; None where the longest runs could not tell. With what was run, and words for it."""

    saturated: bool | None
    runs: list[SimulationRun]
    words: list[dict[str, Any]]


def decide(
    description: NetworkDescription, cycles: int, filling: Filling
) -> Generator[list[SimulationTask], list[SimulationRun], Balance]:
    """Decide about a description's load by replications of so many cycles at first."""
    made: list[SimulationRun] = []
    words: list[dict[str, Any]] = []
    tail = (1 - description.method.confidence) / 2 / TESTS
    draining = engine.nodes(description) * slowest(description)
    share = description.io.io_rate if description.io is not None else 1.0
    while True:
        runs = yield [task(description, stream, 0, cycles) for stream in range(REPLICATIONS)]
        found = [held(run, draining * run.throughput, cycles) for run in runs]
        early, late = (float(np.mean([one[i] for one in found])) for i in (0, 1))
        generated = sum(run.generated for run in runs) / len(runs)
        deadlock = any(run.deadlock is not None for run in runs)
        verdict = True if deadlock else sign([b - math.sqrt(stretch) * a for a, b, stretch in found], tail)
        long_enough = share * generated * description.method.precision / 2 >= OUTWEIGHED * early
        least = (yield from filling.shortest(load_of(description))) if verdict and not deadlock else 0
        if (verdict is False and not long_enough) or cycles < least:
            verdict = None
        made += runs
        words.append(
            {
                "cycles": cycles,
                "replications": len(runs),
                "backlog_quarter": early,
                "backlog": late,
                "saturated": verdict,
                "deadlock": deadlock,
                "throughput": finite(sum(run.throughput for run in runs) / len(runs)),
            }
        )
        longer = max(cycles * LENGTHENED, least)
        affordable = longer <= max(LEAST, least) or generated * LENGTHENED <= MOST
        if verdict is not None or not affordable:
            return Balance(verdict, made, words)
        cycles = longer


def held(run: SimulationRun, draining: float, cycles: int) -> tuple[float, float, float]:
    """Early and late backlog (`method.growth_of`) with the `draining` messages whose heads have arrived.

    An engine that counts a message as delivered with its head does not hold what is being served: its backlog at the
    saturation point is the square root of time less a constant, which grows by more than that root. By Little's law
    the constant is the rate of flits times the cycles that a flit of a body takes. Where an engine counts to a
    message's tail they are counted twice: that speaks for a network that keeps up, as the messages on their way do.
    """
    early, late, stretch = method.growth_of(run.backlog, 0, cycles)
    return early + draining, late + draining, stretch


def sign(growth: list[float], tail: float) -> bool | None:
    """Whether the mean of `growth` is above nothing (True) or not (False), each wrong with probability `tail` at most.

    None where neither can be said. Values that are all alike, as of a network without messages, are taken as they are.
    """
    values = np.asarray(growth, float)
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    mean, least = float(values.mean()), float(stdtrit(len(values) - 1, 1 - tail)) * error
    if abs(mean) < least:
        return None
    return mean > 0
