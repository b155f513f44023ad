"""A workload: jobs in order of submission, as arrays; times in whole seconds from the first submission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from assay.throughput.job_needs import JobNeeds
from assay.throughput.rank_jobs import RankJob

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Workload:
    """Jobs in order of submission, then of their number.

    `submitted`, `runs`, `requested`: seconds; a job never outlives what it requested. `processors`: what each needs.
    `number`: as the source counts them; `names`: what the source calls them, where it has names. `ignored`: how many
    records gave no job, by why; `changed`: how many were taken otherwise than they stand, by how. `needs`: of each job,
    where any has some; `fails`: which end by failing, where any may. `queue`: of each job, its place in
    `queue_names`, where "" is of those that name none; None where no job names one. `user_names`: by the users'
    numbers, where they have names. `plays`: of each job, where any is a message-passing program of Assay's.
    """

    number: Whole
    submitted: Whole
    runs: Whole
    requested: Whole
    processors: Whole
    user: Whole
    priority: NDArray[np.float64]
    names: tuple[str, ...] = ()
    source: str = ""
    begins: int = 0
    ignored: Mapping[str, int] = field(default_factory=dict)
    changed: Mapping[str, int] = field(default_factory=dict)
    needs: tuple[JobNeeds, ...] = ()
    fails: NDArray[np.bool_] | None = None
    queue: Whole | None = None
    queue_names: tuple[str, ...] = ()
    user_names: tuple[str, ...] = ()
    plays: tuple[RankJob, ...] = ()

    def __len__(self) -> int:
        return len(self.number)

    @property
    def work(self) -> float:
        """Processor seconds of all jobs."""
        work: float = np.sum(self.runs * self.processors).item()
        return work

    def name(self, job: int) -> str:
        """What a job is called."""
        return self.names[job] if self.names else f"job {self.number[job]}"

    def only(self, kept: NDArray[np.bool_]) -> Workload:
        """The workload of some of its jobs."""
        arrays = ("number", "submitted", "runs", "requested", "processors", "user", "priority")
        names = tuple(name for name, keep in zip(self.names, kept, strict=False) if keep)
        needs = tuple(each for each, keep in zip(self.needs, kept, strict=False) if keep)
        plays = tuple(each for each, keep in zip(self.plays, kept, strict=False) if keep)
        fails = None if self.fails is None else self.fails[kept]
        queue = None if self.queue is None else self.queue[kept]
        return replace(
            self,
            names=names,
            needs=needs,
            plays=plays,
            fails=fails,
            queue=queue,
            **{name: getattr(self, name)[kept] for name in arrays},
        )
