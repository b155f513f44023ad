"""Batch policies written from their definitions, one second after the other and one job at a time: slow, and plain.

A machine is a number of processors. At each second jobs that end are taken away first, then those submitted come in,
then the policy decides by what jobs requested. A job that runs for no time ends in the second of its start, and the
policy decides again. Where a decision takes time (`cost`), it is made of what is known when it begins, for the second
at which it is done.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class TwinJob:
    number: int
    submitted: int
    runs: int
    requested: int
    width: int
    user: int = 0
    priority: float = 0.0
    queue: int = 0
    started: int | None = None
    reserved: int | None = None
    noticed: int | None = None  # the second for which a decision knew that it had ended


@dataclass
class TwinQueue:
    """What may run at once of a queue's jobs, of a user's jobs in it; `rank`: the higher queue goes first."""

    rank: float = 0
    jobs: int | None = None
    processors: int | None = None
    user_jobs: int | None = None
    user_processors: int | None = None


@dataclass
class Twin:
    processors: int
    jobs: list[TwinJob]
    ageing: float = 1 / 3600
    half_life: float = 7 * 24 * 3600
    cost: int = 0
    queues: list[TwinQueue] = field(default_factory=lambda: [TwinQueue()])
    everywhere: TwinQueue = field(default_factory=TwinQueue)  # its limits of a user are those on the whole machine
    now: int = 0  # the second for which it is decided
    known: int = 0  # what has happened until then is known
    deciding: list[TwinJob] = field(default_factory=list)  # what this decision has started: it holds its processors

    def waiting(self) -> list[TwinJob]:
        there = [job for job in self.jobs if job.started is None and job.submitted <= self.known]
        return sorted(there, key=lambda job: -self.queues[job.queue].rank)

    def allows(self, job: TwinJob, others: list[TwinJob]) -> bool:
        """Whether no limit would be passed if this job ran beside the others."""
        queue = [other for other in others if other.queue == job.queue]
        own = self.queues[job.queue]
        users = [other for other in queue if other.user == job.user]
        everywhere = [other for other in others if other.user == job.user]
        return all(
            (jobs is None or len(beside) + 1 <= jobs)
            and (processors is None or sum(other.width for other in beside) + job.width <= processors)
            for beside, jobs, processors in (
                (queue, own.jobs, own.processors),
                (users, own.user_jobs, own.user_processors),
                (everywhere, self.everywhere.user_jobs, self.everywhere.user_processors),
            )
        )

    def running(self) -> list[TwinJob]:
        known = [job for job in self.jobs if job.started is not None and self.known < job.started + job.runs]
        return known + [job for job in self.deciding if job.runs == 0 and not self.cost]

    def free(self) -> int:
        return self.processors - sum(job.width for job in self.running())

    def start(self, job: TwinJob) -> None:
        assert job.width <= self.free() or self.cost
        job.started = self.now
        self.deciding.append(job)

    def something_happens(self) -> bool:
        """A job ends or is submitted in this second, or has its reservation now: only then a policy decides."""
        ends = (job.started + job.runs for job in self.jobs if job.started is not None)
        return self.now in {*ends, *(job.submitted for job in self.jobs), *(job.reserved for job in self.jobs)}

    def second(self, decide: Callable[[Twin], None]) -> None:
        """All that happens in this second."""
        self.known = self.now
        while self.something_happens():
            self.deciding = []
            self.notice()
            decide(self)
            if not any(job.runs == 0 for job in self.deciding):
                break

    def run(self, decide: Callable[[Twin], None]) -> list[int]:
        while any(job.started is None for job in self.jobs):
            self.second(decide)
            self.now += 1
            assert self.now < 1_000_000
        return [job.started or 0 for job in self.jobs]

    def notice(self) -> None:
        for job in self.jobs:
            if job.started is not None and job.noticed is None and job.started + job.runs <= self.known:
                job.noticed = min(self.now, job.started + job.requested)

    def run_in_time(self, decide: Callable[[Twin], None]) -> list[int]:
        """As `run`, each decision taking `cost` seconds; never two at once."""
        before, done = -1, 0  # when the last decision began, and when it was done
        for second in range(1_000_000):
            if all(job.started is not None for job in self.jobs):
                return [job.started or 0 for job in self.jobs]
            times = [job.submitted for job in self.jobs]
            times += [job.started + job.runs for job in self.jobs if job.started is not None]
            reserved = [job.reserved for job in self.jobs if job.reserved is not None and job.started is None]
            news = any(before < time <= second for time in times)
            if second < done or not (news or any(each - self.cost <= second for each in reserved)):
                continue
            before, done = second, second + self.cost
            self.known, self.now, self.deciding = second, done, []
            self.notice()
            decide(self)
        raise AssertionError("it never ends")


def fcfs(twin: Twin) -> None:
    for job in twin.waiting():
        if not twin.allows(job, twin.running()):
            continue
        if job.width > twin.free():
            return
        twin.start(job)


def first_fit(twin: Twin) -> None:
    for job in twin.waiting():
        if job.width <= twin.free() and twin.allows(job, twin.running()):
            twin.start(job)


def _shadow(twin: Twin, head: TwinJob) -> tuple[int, int]:
    """The first second at which the head fits, by what running jobs requested, and what is free beside it then."""
    time = twin.now
    while True:
        busy = sum(job.width for job in twin.running() if (job.started or 0) + job.requested > time)
        if twin.processors - busy >= head.width:
            return time, twin.processors - busy - head.width
        time += 1


def _easy(twin: Twin, order: Callable[[], list[TwinJob]]) -> None:
    def allowed(beside: list[TwinJob]) -> list[TwinJob]:
        return [job for job in order() if twin.allows(job, twin.running() + beside)]

    while (jobs := allowed([])) and jobs[0].width <= twin.free():
        twin.start(jobs[0])
    if not jobs:
        return
    head = jobs[0]
    time, extra = _shadow(twin, head)

    def candidates() -> Iterator[TwinJob]:
        return (job for job in allowed([head]) if job is not head and job.width <= twin.free())

    while (
        job := next((j for j in candidates() if twin.now + j.requested <= time or j.width <= extra), None)
    ) is not None:
        if twin.now + job.requested > time:
            extra -= job.width
        twin.start(job)


def easy(twin: Twin) -> None:
    _easy(twin, twin.waiting)


def priority(twin: Twin) -> None:
    def order() -> list[TwinJob]:
        def worth(job: TwinJob) -> float:
            return job.priority + twin.ageing * (twin.now - job.submitted)

        return sorted(
            twin.waiting(), key=lambda job: (-twin.queues[job.queue].rank, -worth(job), job.submitted, job.number)
        )

    _easy(twin, order)


def fair_share(twin: Twin) -> None:
    def order() -> list[TwinJob]:
        used: dict[int, float] = defaultdict(float)
        for job in twin.jobs:
            if job.started is not None:
                seconds = job.requested if job.noticed is None else job.noticed - job.started
                used[job.user] += job.width * seconds * 0.5 ** ((twin.now - job.started) / twin.half_life)
        total = sum(used.values())
        shares = {user: round(1e9 * each / total) if total else 0 for user, each in used.items()}
        rank = {job.number: twin.queues[job.queue].rank for job in twin.jobs}
        return sorted(twin.waiting(), key=lambda job: (-rank[job.number], shares.get(job.user, 0), job.number))

    _easy(twin, order)


class Conservative:
    """Every job reserves when it is submitted; at an early end each is moved as early as it fits, until none moves."""

    def __init__(self) -> None:
        self.expected: dict[int, int] = {}

    def fits(self, twin: Twin, job: TwinJob, at: int) -> bool:
        for second in range(at, at + max(job.requested, 0)):
            beside = [other for other in twin.jobs if other is not job and self._takes(twin, other, second)]
            if sum(other.width for other in beside) + job.width > twin.processors or not twin.allows(job, beside):
                return False
        return True

    @staticmethod
    def _takes(twin: Twin, job: TwinJob, second: int) -> bool:
        """Whether a job holds its processors at that second, as far as the scheduler knows."""
        if job.started is not None:
            going = job.noticed is None or any(job is other for other in twin.deciding)
            return going and second < job.started + job.requested
        return job.reserved is not None and job.reserved <= second < job.reserved + job.requested

    def earliest(self, twin: Twin, job: TwinJob) -> int:
        at = twin.now
        while not self.fits(twin, job, at):
            at += 1
        return at

    def __call__(self, twin: Twin) -> None:
        early = [
            job
            for job in twin.jobs
            if job.started is not None
            and job.noticed is not None
            and job.noticed < job.started + job.requested
            and job.number not in self.expected
        ]
        self.expected |= {job.number: 1 for job in early}
        known = [job for job in twin.waiting() if job.reserved is not None]
        moved = early
        while moved:
            moved = []
            for job in known:
                at = self.earliest(twin, job)
                if at < (job.reserved or 0):
                    job.reserved = at
                    moved.append(job)
        for job in sorted(twin.waiting(), key=lambda job: job.number):
            if job.reserved is None:
                job.reserved = self.earliest(twin, job)
        if any((job.reserved or 0) < twin.now for job in twin.waiting()):  # decided too late: all anew
            for job in twin.waiting():
                job.reserved = None
            for job in twin.waiting():
                job.reserved = self.earliest(twin, job)
        for job in twin.waiting():
            if job.reserved is not None and job.reserved <= twin.now:
                twin.start(job)


POLICIES: dict[str, Callable[[], Callable[[Twin], None]]] = {
    "fcfs": lambda: fcfs,
    "firstfit": lambda: first_fit,
    "easy": lambda: easy,
    "conservative": Conservative,
    "priority": lambda: priority,
    "fairshare": lambda: fair_share,
}
