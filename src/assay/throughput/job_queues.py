"""Queues of a simulated batch system: who may submit what to each, and what may run of it at once.

    [[queue]]                     # the first one takes jobs that name none
    name = "short"
    numbers = [1, 4]              # in the Standard Workload Format, field 15
    priority = 10                 # of two queues the one of the higher priority goes first
    max_processors = 64           # of one job: a wider one is refused
    max_time = "60 min"           # that one job requests: a longer one is refused
    max_running_jobs = 8          # at once, of all its jobs
    max_running_processors = 128
    max_user_jobs = 2             # at once, of each user
    max_user_processors = 32

A job chooses its queue by `queue` in the table of jobs, or by field 15. A job that a limit holds back delays no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field, field_validator

from assay.errors import InputError
from assay.machine.units import quantity
from assay.throughput.workload import Whole, Workload
from assay.toml.checking import Table

LimitRow = tuple[int, bool]  # how many at once; of processors, or of jobs
QueueRows = tuple[list[LimitRow], list[tuple[float, list[int]]]]  # all limits; of each group its rank and limits


class JobQueue(Table):
    """[[queue]]."""

    name: str = Field(min_length=1, description="what it is called")
    numbers: list[int] = Field(default=[], description="what it is called in the Standard Workload Format, field 15")
    priority: float = Field(default=0.0, description="of two queues the one of the higher priority goes first")
    max_processors: int | None = Field(
        default=None, ge=1, le=2**31 - 2, description="of one job; wider ones are refused"
    )
    max_time: str | None = Field(default=None, description='of one request, such as "60 min"; longer ones are refused')
    max_running_jobs: int | None = Field(default=None, ge=1, le=2**31 - 2, description="at once, of all its jobs")
    max_running_processors: int | None = Field(default=None, ge=1, le=2**31 - 2, description="at once, of all its jobs")
    max_user_jobs: int | None = Field(default=None, ge=1, le=2**31 - 2, description="at once, of each user")
    max_user_processors: int | None = Field(default=None, ge=1, le=2**31 - 2, description="at once, of each user")

    @field_validator("max_time")
    @classmethod
    def _is_a_time(cls, value: str | None) -> str | None:
        if value is not None and not 1 <= float(quantity(value, "s")) < 2**31:
            raise ValueError(f"{value!r} is not between 1 s and 68 years")
        return value

    @property
    def most_seconds(self) -> float:
        """What a job may request."""
        return float("inf") if self.max_time is None else float(quantity(self.max_time, "s"))

    def widest(self, processors: int) -> int:
        """The widest job that it ever runs on a machine of so many processors."""
        bounds = (self.max_processors, self.max_running_processors, self.max_user_processors)
        return min([processors, *(each for each in bounds if each is not None)])


@dataclass(frozen=True)
class QueueRules:
    """The queues of a machine, and what a user may run at once on all of it."""

    queues: tuple[JobQueue, ...] = ()
    user_jobs: int | None = None
    user_processors: int | None = None

    def __bool__(self) -> bool:
        """Whether there is any rule."""
        return bool(self.queues) or self.user_jobs is not None or self.user_processors is not None

    def of(self, workload: Workload) -> Whole:
        """Each job's queue, by its place; InputError for one that there is not."""
        if workload.queue is None or not self.queues:
            return np.zeros(len(workload), dtype=np.int64)
        known = {queue.name: at for at, queue in enumerate(self.queues)}
        known |= {str(number): at for at, queue in enumerate(self.queues) for number in queue.numbers}
        places = [0 if name == "" else known.get(name, -1) for name in workload.queue_names]
        found = np.array(places, dtype=np.int64)[workload.queue]
        if len(found) and found.min() < 0:
            at = int(np.argmin(found))
            problem = f"there is no such queue on the machine, and {workload.name(at)} is submitted to it"
            value = workload.queue_names[int(workload.queue[at])]
            raise InputError(problem, file=workload.source, key="queue", value=value, accepted=", ".join(known))
        return found

    def rows(self, workload: Workload) -> tuple[Whole, QueueRows]:
        """Of each job its group: those of one queue and, where users are limited, of one user; all limits and groups.

        Limits of a user are one of each queue, and one of the machine.
        """
        queue = self.of(workload)
        whole_machine = self.user_jobs is not None or self.user_processors is not None
        by_user = np.array(
            [whole_machine or bool(each.max_user_jobs or each.max_user_processors) for each in self.each()]
        )
        keys = np.stack([queue, np.where(by_user[queue], workload.user, -1)])
        kinds, group = np.unique(keys, axis=1, return_inverse=True)
        limits: list[LimitRow] = []
        places: dict[tuple[object, ...], int] = {}

        def limit(most: int | None, processors: bool, *whose: object) -> list[int]:
            if most is None:
                return []
            at = places.setdefault((processors, *whose), len(limits))
            if at == len(limits):
                limits.append((most, processors))
            return [at]

        groups = []
        for number, user in kinds.T.tolist():
            own = self.each()[number]
            found = limit(own.max_running_jobs, False, number) + limit(own.max_running_processors, True, number)
            found += limit(own.max_user_jobs, False, number, user) + limit(own.max_user_processors, True, number, user)
            found += limit(self.user_jobs, False, "all", user) + limit(self.user_processors, True, "all", user)
            groups.append((own.priority, found))
        return np.ascontiguousarray(group.reshape(-1), dtype=np.int64), (limits, groups)

    def each(self) -> tuple[JobQueue, ...]:
        """Give the queues; one without limits where only users have some."""
        return self.queues or (JobQueue(name="all"),)


@dataclass(frozen=True)
class Admission:
    """What the queues take of a workload, and what they refuse, each with the reason."""

    admitted: Workload
    refused: Workload
    why: tuple[str, ...] = ()


def admission(workload: Workload, rules: QueueRules, processors: int) -> Admission:
    """Refuse what is wider or longer than its queue allows; jobs wider than the machine are left to the machine."""
    none = np.zeros(len(workload), dtype=bool)
    if not rules:
        return Admission(workload, workload.only(none))
    own = rules.each()
    queue = rules.of(workload)
    user = min(rules.user_processors or processors, processors)
    widest = np.array([min(each.widest(processors), user) for each in own])[queue]
    longest = np.array([each.most_seconds for each in own])[queue]
    wide = (workload.processors > widest) & (workload.processors <= processors)
    long = workload.requested > longest
    out = wide | long
    why = [_why(own, rules, int(queue[at]), bool(wide[at])) for at in np.flatnonzero(out)]
    return Admission(workload.only(~out), workload.only(out), tuple(why))


def _why(own: Sequence[JobQueue], rules: QueueRules, queue: int, wide: bool) -> str:
    if not wide:
        return f"longer than queue {own[queue].name} allows"
    return f"wider than queue {own[queue].name} allows" if rules.queues else "wider than a user may have"
