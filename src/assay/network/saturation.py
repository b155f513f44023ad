"""The load that saturates a network, as an interval of stated confidence, and the throughput at higher loads.

None is stated of a network that deadlocked in any of the runs (`deadlocking`).

A load saturates the network if the backlog still grows when a run is made longer (a large mean is no evidence): the
second half of runs that start empty is compared with the first, over replications (`balance`), for `--saturation` and
for the saturation loads of studies. A single run is judged for a point of a study (`judge`), by its end and its first
quarter: where that is undecided, the run is made four times as long, at most twice.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from assay.network import balance, deadlocking, figures, method
from assay.network.description import NetworkDescription
from assay.network.documents import AcceptedBeyond, LoadTried, LoadWithDeadlock, SaturationFound, SaturationSearch
from assay.network.engine import SimulationRun
from assay.network.filling import Filling
from assay.network.offered import at_load, load_of
from assay.network.simulation import DEFAULT_CYCLES, finite
from assay.network.tasks import SimulationTask, Steps, task

# Of the document: 3 gave an interval for networks that deadlock, and loads inside the interval as beyond it; 4 looked
# for an interval of 2% where the file has no precision, and stopped at a wide one where few pass the bottleneck.
VERSION = 5
PRECISION = 0.05  # width of the interval over its upper end, unless the file has it
LONGER = 2  # how often an undecided run is made four times as long
PLACES = (0.5, 0.25, 0.75)  # of an interval, one after the other, until one of them can be decided
BEYOND = (1.1, 1.5, 2.0)  # times the upper end of the interval
HIGHEST = 1e4  # times the load of the file: the end of the search

Tasks = list[SimulationTask]
Runs = list[SimulationRun]
Decide = Callable[[float], Generator[Tasks, Runs, bool | None]]


def bracket(saturates: Decide, start: float, precision: float) -> Generator[Tasks, Runs, tuple[float, float | None]]:
    """Loads that do not and that do saturate, closer to each other than `precision` times the upper one.

    `saturates` decides a load; None: it cannot be decided. From `start` loads are doubled until one saturates, and
    halved until one does not; then the interval is halved, next to the middle where that cannot be decided. Both ends
    were decided; the interval stays wider where no load between them can be. (low, None): no load up to `HIGHEST` times
    `start` saturates; (0, high): every load down to `start` / `HIGHEST` does.
    """
    low, high, verdict = 0.0, start, (yield from saturates(start))
    while verdict is not True:
        low = high if verdict is False else low
        high *= 2
        if high > HIGHEST * start:
            return low, None
        verdict = yield from saturates(high)
    step = start / 2
    while low == 0.0:
        if step < start / HIGHEST:
            return 0.0, high
        verdict = yield from saturates(step)
        low = step if verdict is False else low
        high = step if verdict is True else high
        step /= 2
    places: tuple[float, ...] = PLACES
    while places and (high - low) / high > precision:
        middle = low + places[0] * (high - low)
        verdict = yield from saturates(middle)
        places = places[1:] if verdict is None else PLACES
        low = middle if verdict is False else low
        high = middle if verdict is True else high
    return low, high


class RunJudged(TypedDict):
    """What was found in one run of `judge`: its backlogs [messages] after a quarter and at the end."""

    cycles: int
    backlog_quarter: float
    backlog: float
    saturated: bool
    deadlock: bool
    throughput: float | None


Made = list[tuple[SimulationRun, RunJudged]]


def judge(
    description: NetworkDescription, cycles: int, filling: Filling
) -> Generator[list[SimulationTask], list[SimulationRun], tuple[bool, Made]]:
    """Whether the network saturates, by a run of so many cycles from empty, lengthened while it is undecided.

    It is also lengthened where the network can still have been filling.

    Returns that, and the runs with what was found in each.
    """
    made: Made = []
    lengthened = 0
    while True:
        (run,) = yield [task(description, 0, 0, cycles)]
        early, late, stretch = method.growth_of(run.backlog, 0, cycles)
        verdict = run.deadlock is not None or method.backlog_grows(early, late, stretch, 0.75 * run.generated)
        doubtful = run.deadlock is None and 1.5 * early < late < 2.5 * early and late - early > 0.001 * run.generated
        words: RunJudged = {
            "cycles": cycles,
            "backlog_quarter": early,
            "backlog": late,
            "saturated": verdict,
            "deadlock": run.deadlock is not None,
            "throughput": finite(run.throughput),
        }
        made.append((run, words))
        least = (yield from filling.shortest(load_of(description))) if verdict and run.deadlock is None else 0
        if cycles < least:
            cycles = least
            continue
        if not doubtful or lengthened == LONGER:
            break
        cycles *= 4
        lengthened += 1
    return verdict, made


@dataclass
class Search:
    """The interval found, [low, high] as of `bracket`, and all that was run for it: `tried` has the loads decided."""

    low: float
    high: float | None
    tried: list[LoadTried]
    runs: list[SimulationRun]
    filling: Filling


def search(description: NetworkDescription, shortest: int) -> Generator[Tasks, Runs, Search]:
    """The interval of the load that saturates: to the precision and at the confidence of the description.

    `shortest`: cycles of the first runs by which a load is decided, lengthened where that is needed.
    """
    found = Search(0.0, None, [], [], Filling(description))

    def saturates(load: float) -> Generator[Tasks, Runs, bool | None]:
        decided = yield from balance.decide(at_load(description, load), load, shortest, found.filling)
        found.runs.extend(decided.runs)
        found.tried += decided.tried
        return decided.saturated

    found.low, found.high = yield from bracket(saturates, load_of(description), description.method.precision)
    return found


def wanted(description: NetworkDescription, precision: float = PRECISION) -> NetworkDescription:
    """With this precision unless the file gives one: `method.precision` by default is that of a mean."""
    if "precision" in description.method.model_fields_set:
        return description
    return description.but(method=description.method.model_copy(update={"precision": precision}))


def steps(description: NetworkDescription) -> Steps[SaturationSearch]:
    """Bracket, narrow, then simulate higher loads: the document of `assay simulate --saturation`.

    The interval's ends are loads that were decided, at the confidence of the file for both together; it is wider than
    the requested precision where the loads between cannot be decided. Where a run deadlocked there is no interval, and
    no higher loads are simulated; `deadlocks` has what was seen of it.
    """
    description = wanted(description)
    shortest = min(description.method.cycles or DEFAULT_CYCLES, DEFAULT_CYCLES)
    found = yield from search(description, shortest)
    low, high, tried, runs, filling = found.low, found.high, found.tried, found.runs, found.filling
    pilots = [deadlocking.of_run(load, run) for load, run in zip(filling.loads, filling.runs, strict=True)]
    if high is None or low == 0 or deadlocking.seen([*tried, *pilots]):
        return _document(description, low, high, tried, [*runs, *filling.runs], [], [*tried, *pilots])
    cycles = max(4 * shortest, (yield from filling.shortest(high)))
    loads = [factor * high for factor in BEYOND]
    beyond = yield [task(at_load(description, load), 0, cycles // 4, cycles) for load in loads]
    accepted: list[AcceptedBeyond] = [
        {
            "load": load,
            "throughput": finite(run.throughput),
            "worst_node": finite(run.worst_node),
            "deadlock": run.deadlock is not None,
        }
        for load, run in zip(loads, beyond, strict=True)
    ]
    watched = [*tried, *pilots, *map(deadlocking.of_run, loads, beyond)]
    return _document(description, low, high, tried, [*runs, *filling.runs, *beyond], accepted, watched)


def _document(
    description: NetworkDescription,
    low: float,
    high: float | None,
    tried: list[LoadTried],
    runs: list[SimulationRun],
    accepted: list[AcceptedBeyond],
    watched: Sequence[LoadWithDeadlock],
) -> SaturationSearch:
    deadlocks = deadlocking.seen(watched)
    middle = None if high is None or low == 0 or deadlocks else (low + high) / 2
    unit = "messages per element per cycle" if description.io is not None else "flits per node per cycle"
    rate = 1e-3 / description.cycle  # per cycle to per millisecond
    found: SaturationFound = {
        "found": middle is not None,
        "load": middle,
        "estimator": None if middle is None else "middle of the interval",
        "interval": None if deadlocks else [low, high],
        "confidence": None if deadlocks else description.method.confidence,
        "unit": unit,
        "per_millisecond": None if middle is None else middle * rate,
        "interval_per_millisecond": None if middle is None or high is None else [low * rate, high * rate],
        "accepted_beyond": accepted,
        "accepted_unit": "flits per node per cycle",
        "deadlocks": deadlocks,
        "no_deadlock_at": deadlocking.spared(watched),
        "tried": tried,
    }
    return {
        "engine": runs[0].engine,
        "simulated_cycles": sum(run.simulated_cycles for run in runs),
        "cpu_seconds": sum(run.cpu_seconds for run in runs),
        "messages": sum(run.messages for run in runs),
        "head_hops": sum(run.head_hops for run in runs),
        "seed": description.method.seed,
        "cycle_seconds": description.cycle,
        "deadlock": next((run.deadlock for run in runs if run.deadlock), None),
        "version": VERSION,
        "figures": figures.of_saturation(description, found),
        "saturation": found,
    }
