"""Jobs whose programs ran at the same time on a described machine: how they ended, and the cost of the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.throughput.job_names import kind_of

COMPLETED = "completed"


@dataclass(frozen=True, kw_only=True)
class PlayedJob:
    """A job whose program ran. Times in s, None where they are not known: a run that did not complete has none.

    `alone`: on an empty machine, where the batch system would place it then; `alone_there`: by itself on the nodes that
    it had; `run`: on these among the others. `placement` (`alone_there` over `alone`) is what the place cost it,
    `interference` (`run` over `alone_there`) what the others did, `slowdown` both together. `state`: completed, wrong
    answer, failed, time limit, or deadlock; `why`: of all but the first.
    """

    name: str
    program: str
    state: str
    why: str
    nodes: list[int]
    alone: float | None
    alone_there: float | None
    run: float | None
    slowdown: float | None
    placement: float | None
    interference: float | None

    @property
    def kind(self) -> str:
        """Its name in the table of jobs."""
        return kind_of(self.name)


@dataclass(frozen=True, kw_only=True)
class PlayedKind:
    """All jobs of one name that completed: the mean and the largest of what a slowdown is made of; `jobs`: how many."""

    name: str
    program: str
    jobs: int
    alone: float
    run: float
    slowdown: float
    placement: float
    interference: float
    largest: float


@dataclass(frozen=True, kw_only=True)
class HeldKind:
    """All jobs of one name whose programs did not run: `jobs` of them occupied their nodes. `why`: why."""

    name: str
    jobs: int
    why: str


def held_kinds(reasons: Iterable[tuple[str, str]]) -> list[HeldKind]:
    """By name, of each job's name and why its programs did not run (empty: they did, or there are none)."""
    counts: dict[tuple[str, str], int] = {}
    for name, why in reasons:
        if why:
            key = (kind_of(name), why)
            counts[key] = counts.get(key, 0) + 1
    return [HeldKind(name=name, jobs=jobs, why=why) for (name, why), jobs in counts.items()]


def played_job(
    name: str, program: str, nodes: list[int], ended: tuple[str, str], times: Sequence[float | None]
) -> PlayedJob:
    """A job by its state and why, and how long it ran alone, alone there, and in the mix (s)."""
    alone, there, run = times
    return PlayedJob(
        name=name,
        program=program,
        state=ended[0],
        why=ended[1],
        nodes=nodes,
        alone=alone,
        alone_there=there,
        run=run,
        slowdown=ratio(run, alone),
        placement=ratio(there, alone),
        interference=ratio(run, there),
    )


def ratio(over: float | None, under: float | None) -> float | None:
    """One time over another, where both are known."""
    return None if over is None or not under else over / under


def kinds(jobs: Iterable[PlayedJob]) -> list[PlayedKind]:
    """By name, in the order of their first jobs; `largest`: the greatest interference."""
    groups: dict[str, list[PlayedJob]] = {}
    for job in jobs:
        if job.state == COMPLETED and job.interference is not None and job.slowdown is not None:
            groups.setdefault(job.kind, []).append(job)
    return [
        PlayedKind(
            name=name,
            program=each[0].program,
            jobs=len(each),
            alone=_mean([job.alone for job in each]),
            run=_mean([job.run for job in each]),
            slowdown=_mean([job.slowdown for job in each]),
            placement=_mean([job.placement for job in each]),
            interference=_mean([job.interference for job in each]),
            largest=max(job.interference or 0.0 for job in each),
        )
        for name, each in groups.items()
    ]


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known)
