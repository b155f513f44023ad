"""What jobs did over time, of a real or simulated batch system: what graph, page and exports are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.analysis.node_use import NodeUse
from assay.throughput.job_names import kind_of
from assay.throughput.live_results import LiveThroughput, ideal_starts
from assay.throughput.simulated import Scheduled

MOST_NODES = 64  # whose use is drawn
MOST_DRAWN = 5_000  # jobs of one system


@dataclass(frozen=True, kw_only=True)
class ActiveJob:
    """One job that was submitted: seconds from the first submission; None for what never happened."""

    name: str
    submitted: float
    started: float | None
    ended: float | None
    processors: int
    state: str
    user: str = ""
    nodes: tuple[str, ...] = ()
    user_seconds: float | None = None
    system_seconds: float | None = None

    @property
    def kind(self) -> str:
        """Its name without its number: what it is coloured by; one for all jobs that have no name (`job 7`)."""
        kind = kind_of(self.name)
        return kind if kind != self.name else self.name.rpartition(" ")[0] or self.name


@dataclass(frozen=True, kw_only=True)
class JobActivity:
    """The jobs of one system in order of submission; `left_out`: how many more there were, where it is what is drawn.

    `marks`: labelled times (s) in the graph. `use`: what the nodes did. `schedule`: of a simulated system,
    all that is known of its jobs.
    """

    title: str
    processors: int
    jobs: tuple[ActiveJob, ...]
    left_out: int = 0
    marks: tuple[tuple[float, str], ...] = ()
    use: tuple[NodeUse, ...] = ()
    schedule: Scheduled | None = None

    @property
    def end(self) -> float:
        """The last second of any job or mark."""
        ends = [job.ended or job.started or job.submitted for job in self.jobs]
        return max([*ends, *(when for when, _ in self.marks)], default=0.0)

    def drawn(self) -> JobActivity:
        """The part of it that pictures show: the first jobs."""
        more = len(self.jobs) - MOST_DRAWN
        return self if more <= 0 else replace(self, jobs=self.jobs[:MOST_DRAWN], left_out=self.left_out + more)

    def busy(self) -> list[tuple[float, int]]:
        """Processors in use from each time on, until the next."""
        changes: dict[float, int] = {0.0: 0}
        for job in self.jobs:
            if job.started is not None and job.ended is not None:
                start, end = round(job.started, 9), round(job.ended, 9)  # an end and a start may be one time
                changes[start] = changes.get(start, 0) + job.processors
                changes[end] = changes.get(end, 0) - job.processors
        found, now = [], 0
        for when in sorted(changes):
            now += changes[when]
            found.append((when, now))
        return found


def of_live(found: LiveThroughput) -> JobActivity:
    """What was measured."""
    jobs = [
        ActiveJob(
            name=job.name,
            submitted=job.submitted,
            started=job.started,
            ended=job.ended,
            processors=job.processors,
            state="wrong answer" if job.answer is False else job.state,
            nodes=tuple(job.nodes),
            user_seconds=job.user_seconds,
            system_seconds=job.system_seconds,
        )
        for job in found.jobs
        if job.submitted is not None
    ]
    jobs.sort(key=lambda job: job.submitted)
    title = f"{found.system} ({found.policy}), measured"
    use = tuple(found.use[:MOST_NODES])
    return JobActivity(title=title, processors=found.processors, jobs=tuple(jobs), use=use)


def ideals_of(found: LiveThroughput) -> list[JobActivity]:
    """The same jobs under simulated policies, at no cost."""
    return [
        JobActivity(
            title=f"{policy}, simulated without any cost",
            processors=found.processors,
            jobs=tuple(
                ActiveJob(
                    name=job.name,
                    submitted=submitted,
                    started=start,
                    ended=round(start + run, 6),
                    processors=job.processors,
                    state="completed",
                )
                for job, submitted, start, run in ideal_starts(found.jobs, found.processors, policy)
            ),
        )
        for policy in found.ideal
    ]


def of_schedule(found: Scheduled, title: str) -> JobActivity:
    """What was simulated."""
    jobs = found.workload
    ended, states = found.ended, found.states()
    return JobActivity(
        title=title,
        processors=found.processors,
        schedule=found,
        jobs=tuple(
            ActiveJob(
                name=jobs.name(at),
                submitted=float(jobs.submitted[at]),
                started=float(found.started[at]),
                ended=float(ended[at]),
                processors=int(jobs.processors[at]),
                state=states[at],
                nodes=tuple(map(str, found.places[at])) if found.played else (),
                user=str(jobs.user[at]),
            )
            for at in range(len(jobs))
        ),
    )


def placed(activity: JobActivity) -> list[tuple[ActiveJob, list[tuple[int, int]]]]:
    """Each job that ran with the processors that it is drawn on, as first and count of adjacent ones.

    The lowest that are free at its start: the graph shows how many, where the batch system does not report which.
    """
    free = np.ones(max(1, activity.processors), dtype=bool)
    ran = [job for job in activity.jobs if job.started is not None and job.ended is not None]
    events = sorted(
        [(job.ended or 0.0, 0, at) for at, job in enumerate(ran)]
        + [(job.started or 0.0, 1, at) for at, job in enumerate(ran)]
    )
    held: dict[int, np.ndarray[tuple[int], np.dtype[np.intp]]] = {}
    found: list[tuple[ActiveJob, list[tuple[int, int]]]] = []
    for _, starts, at in events:
        if starts:
            given = np.flatnonzero(free)[: ran[at].processors]
            found.append((ran[at], _runs(given.tolist())))
            if ran[at].ended != ran[at].started:  # what takes no time holds nothing
                held[at] = given
                free[given] = False
        elif at in held:
            free[held.pop(at)] = True
    return found


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][0] + found[-1][1] == number:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((number, 1))
    return found
