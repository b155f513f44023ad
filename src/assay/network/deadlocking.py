"""What runs have seen of deadlocks: until when messages arrived; of a search for the saturation load, at which loads.

A load at which the network deadlocks is no load that saturates it. Its messages can come to wait for one another in a
circle, which is a matter of time at lower loads too: how long the runs last would decide where the search ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # verbs' output on deadlocks needs no core
    from assay.network.documents import LoadWithDeadlock, LoadWithoutDeadlock
    from assay.network.engine import SimulationRun

NO_LOAD = "no saturation load can be stated, as lower loads deadlock later"


def count(runs: Iterable[SimulationRun]) -> int:
    """How many of these runs ended in a deadlock."""
    return sum(run.deadlock is not None for run in runs)


def last_delivery(runs: Iterable[SimulationRun]) -> int | None:
    """The cycle near which the last message arrived in those of `runs` that deadlocked; None where none did.

    Cycles from a run's start, warm-up included, of the run in which messages arrived longest: the end of the last of
    its equal stretches of time in which one did (their number is that of the counts), or that of the warm-up. Only of
    runs whose length was given in cycles: stretches of the others are not equal.
    """
    found = []
    for run in runs:
        if run.deadlock is not None:
            counts = run.latencies["header_latency"].counts
            (some,) = counts.nonzero()
            stretches = int(some[-1]) + 1 if len(some) else 0
            warmup = run.simulated_cycles - run.measured_cycles
            found.append(warmup + run.measured_cycles * stretches // max(len(counts), 1))
    return max(found, default=None)


def of_run(load: float, run: SimulationRun) -> LoadWithDeadlock:
    """One run at this load [the unit of the search], as one of the loads that `balance.decide` tries."""
    return {"load": load, "cycles": run.simulated_cycles, "replications": 1, "deadlocked": count([run])}


def seen(made: Sequence[LoadWithDeadlock]) -> list[LoadWithDeadlock]:
    """Of {load, cycles, replications, deadlocked} those in which any run deadlocked, by load.

    `cycles` of each run; `deadlocked` of them ended in a deadlock.
    """
    found: list[LoadWithDeadlock] = [
        {
            "load": one["load"],
            "cycles": one["cycles"],
            "replications": one["replications"],
            "deadlocked": one["deadlocked"],
        }
        for one in made
        if one["deadlocked"]
    ]
    return sorted(found, key=lambda one: (one["load"], one["cycles"]))


def spared(made: Sequence[LoadWithDeadlock]) -> LoadWithoutDeadlock | None:
    """The highest load below all those that deadlocked at which no run did, with the cycles of its longest; or None."""
    least = min((one["load"] for one in made if one["deadlocked"]), default=None)
    below = [one for one in made if least is not None and one["load"] < least]
    if not below:
        return None
    one = max(below, key=lambda one: (one["load"], one["cycles"]))
    return {"load": one["load"], "cycles": one["cycles"], "replications": one["replications"]}
