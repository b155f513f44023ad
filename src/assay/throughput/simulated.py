"""A workload on a simulated batch system: when every job starts, and what the machine did meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from assay.throughput import interference
from assay.throughput.interference import SharedResource
from assay.throughput.job_queues import QueueRules
from assay.throughput.played import COMPLETED, PlayedJob
from assay.throughput.workload import TICKS, Workload, rounded

POLICIES = {
    "fcfs": "first come, first served",
    "firstfit": "every job that fits, in order; no reservation",
    "easy": "EASY backfilling: a reservation for the first waiting job",
    "conservative": "a reservation for every job, with compression",
    "priority": "EASY in the order of priority with ageing",
    "fairshare": "EASY in the order of decayed use",
}
AGEING = 1 / 3600  # priority for each second of waiting
HALF_LIFE = 7 * 24 * 3600.0  # seconds
IdleReason = Literal[
    "nobody_waited", "none_fitted", "held", "scheduler", "fragmented", "limited", "closed", "lost", "unused"
]
IDLE: dict[IdleReason, str] = {
    "nobody_waited": "no job waited",
    "none_fitted": "no waiting job fitted",
    "held": "reserved for another job",
    "scheduler": "the scheduler was deciding",
    "fragmented": "enough free, but no place",
    "limited": "only jobs would have fitted that a limit excluded",
    "closed": "nodes that were reserved or had failed",
    "lost": "runs that a failure of a node ended",
    "unused": "allocated to jobs that do not use them",
}


@dataclass(frozen=True)
class Scheduled:
    """What became of a workload: each job's start (s), and processor seconds that were idle, by why.

    Starts are whole seconds unless times of the workload, or the scheduler's decisions, have fractions of one.
    `decision_cost`: seconds.
    `places`: the nodes of each job, where jobs are placed; `restarts`: runs that a failure of a node ended.
    `played`: what became of each job whose program ran, in the order of the workload.
    `turned_away`: what queues refuse, each job with its reason in `turned_why`; `refused`: what is wider than the
    machine. Where jobs slow one another down (`shared`), the workload's run times are those that came of it, `alone`
    those that jobs would have had (s), and `killed` those that were ended at their limit.
    `again` simulates another workload on the same batch system, where that is wanted.
    """

    workload: Workload
    refused: Workload
    processors: int
    policy: str
    started: NDArray[Any]
    idle: dict[str, float]
    decisions: int
    decision_cost: float = 0.0
    places: tuple[tuple[int, ...], ...] = ()
    restarts: int = 0
    rules: QueueRules | None = None
    turned_away: Workload | None = None
    turned_why: tuple[str, ...] = ()
    alone: NDArray[Any] | None = None
    killed: NDArray[np.bool_] | None = None
    shared: tuple[SharedResource, ...] = ()
    again: Callable[[Workload], Scheduled] | None = None
    played: tuple[PlayedJob | None, ...] = ()

    @property
    def ended(self) -> NDArray[Any]:
        """When each job ends, in seconds: as exact as starts are, so that an end and a start at one time are equal."""
        ended: NDArray[Any] = self.started + self.workload.runs
        return ended if self.played or ended.dtype.kind == "i" else rounded(ended, TICKS[-1])

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which jobs failed by themselves, or were ended at their limit as others slowed them down."""
        none = np.zeros(len(self.workload), dtype=bool)
        fails, killed = self.workload.fails, self.killed
        which: NDArray[np.bool_] = (none if fails is None else fails) | (none if killed is None else killed)
        return which

    def states(self) -> list[str]:
        """How each job ended: completed, failed, time limit, or what its program that really ran came to."""
        killed = np.zeros(len(self.workload), dtype=bool)
        for each in (self.killed, self.workload.cut):
            killed = killed if each is None else killed | each
        ended = [
            "time limit" if at_limit else "failed" if failed else COMPLETED
            for failed, at_limit in zip(self.failed, killed, strict=True)
        ]
        played = self.played or (None,) * len(ended)
        return [state if job is None else job.state for state, job in zip(ended, played, strict=True)]


def ticks_for(cost: float) -> int:
    """How many ticks per second, so that a cost in seconds is whole: to the microsecond."""
    return next(each for each in TICKS if each == TICKS[-1] or float(cost * each).is_integer())


def in_ticks(workload: Workload, ticks: int) -> Workload:
    """The workload with its times in whole ticks, so many per second; a request is at least one."""

    def whole(seconds: NDArray[Any]) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = np.rint(seconds * ticks).astype(np.int64)
        return counts

    requested = np.maximum(whole(workload.requested), 1)
    runs = np.minimum(whole(workload.runs), requested)
    return replace(workload, submitted=whole(workload.submitted), runs=runs, requested=requested)


def timed(
    workload: Workload,
    processors: int,
    policy: str,
    decision_cost: float,
    rules: QueueRules | None = None,
    shared: Sequence[SharedResource] = (),
) -> Scheduled:
    """Simulate a workload in seconds, each decision taking `decision_cost` seconds (to the microsecond)."""
    ticks = max(ticks_for(decision_cost), workload.ticks_needed(processors))
    if ticks == 1:
        found = schedule(in_ticks(workload, 1), processors, policy, int(decision_cost), 1, rules, shared)
        return replace(found, decision_cost=decision_cost)
    cost = max(1, round(decision_cost * ticks)) if decision_cost else 0
    found = schedule(in_ticks(workload, ticks), processors, policy, cost, ticks, rules, shared)
    fits = workload.processors <= processors
    kept = workload.only(fits)
    if found.alone is not None:
        found = replace(found, alone=kept.runs)
        runs: NDArray[Any] = found.workload.runs / ticks  # seconds, to a tick
        kept = replace(kept, runs=runs)
    return replace(
        found,
        workload=kept,
        refused=workload.only(~fits),
        started=found.started / ticks,
        idle={why: count / ticks for why, count in found.idle.items()},
        decision_cost=decision_cost,
    )


def schedule(
    workload: Workload,
    processors: int,
    policy: str,
    decision_cost: int = 0,
    ticks: int = 1,
    rules: QueueRules | None = None,
    shared: Sequence[SharedResource] = (),
) -> Scheduled:
    """Simulate; jobs wider than the machine are refused, and the rest goes on.

    All times are in ticks, so many per second: those of the workload, and how long the scheduler takes for a decision.
    No job may be wider than `rules` ever let run (`job_queues.admission`).
    """
    from assay._core import batch

    fits = workload.processors <= processors
    kept, refused = workload.only(fits), workload.only(~fits)
    arrays = (kept.submitted, kept.runs, kept.requested, kept.processors, kept.user, kept.priority)
    found: CoreSchedule = batch.schedule(
        processors,
        policy,
        *(np.ascontiguousarray(each) for each in arrays),
        AGEING / ticks,
        HALF_LIFE * ticks,
        decision_cost,
        *(rules.rows(kept) if rules else (np.zeros(0, dtype=np.int64), ([], []))),
        interference.rows(kept, shared),
    )
    idle: dict[str, float] = {why: int(found[why]) for why in IDLE if why in found and (rules or why != "limited")}
    made = Scheduled(kept, refused, processors, policy, found["starts"], idle, int(found["decisions"]))
    return slowed(made, found["ends"], found["killed"], shared)


class CoreSchedule(TypedDict):
    """What the core gives: ticks at which jobs start and end, which end at their limit, and idle time by why."""

    starts: NDArray[np.int64]
    ends: Sequence[int]
    killed: Sequence[bool]
    decisions: int
    nobody_waited: NotRequired[int]
    none_fitted: NotRequired[int]
    held: NotRequired[int]
    scheduler: NotRequired[int]
    fragmented: NotRequired[int]
    limited: NotRequired[int]
    closed: NotRequired[int]
    lost: NotRequired[int]
    unused: NotRequired[int]


def slowed(
    made: Scheduled, ends: Sequence[float], killed: Sequence[bool], shared: Sequence[SharedResource]
) -> Scheduled:
    """The schedule with the run times that came of it, where jobs slow one another down."""
    if not shared:
        return made
    jobs = made.workload
    runs: NDArray[Any] = np.array(ends) - made.started
    at_limit = np.array(killed, dtype=bool)
    return replace(made, workload=replace(jobs, runs=runs), alone=jobs.runs, killed=at_limit, shared=tuple(shared))
