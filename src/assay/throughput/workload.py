"""A workload: jobs in order of submission, as arrays; times in seconds from the first submission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.throughput.job_needs import JobNeeds
from assay.throughput.rank_jobs import RankJob

Whole = NDArray[np.int64]
Times = NDArray[Any]  # seconds: whole numbers where all of them are whole, else floating-point numbers
TICKS = (1, 1000, 1_000_000)  # per second, in which a batch system may be simulated: the coarsest that suits
Kind = TypeVar("Kind", bound=np.generic)
MOST_TICKS = 2**62  # of all processors over a whole simulation, which are counted in 64 bits


def rounded(seconds: Any, ticks: int) -> Times:
    """Times (s) to the nearest of so many ticks per second; whole numbers where all of them are."""
    counts = np.rint(np.asarray(seconds, dtype=np.float64) * ticks)
    found: Times = counts / ticks
    return found.astype(np.int64) if bool((counts % ticks == 0).all()) else found


@dataclass(frozen=True)
class Workload:
    """Jobs in order of submission, then of their number.

    `submitted`, `runs`, `requested`: seconds; a job never outlives what it requested. `ticks`: what these are whole
    multiples of, per second. `processors`: what each needs.
    `number`: as the source counts them; `names`: what the source calls them, where it has names. `ignored`: how many
    records gave no job, by why; `changed`: how many were changed, by how. `needs`: of each job,
    where any has some; `fails`: which end by failing, where any may; `cut`: which end at what they requested, where any
    does; `status`: field 11 of a file in the Standard Workload Format, how each ended there. `queue`: of each job, its
    place in `queue_names`, where "" is of those that name none; None where no job names one. `user_names`: by the
    users' numbers, where they have names. `plays`: of each job, where any is a message-passing program of Assay's.
    """

    number: Whole
    submitted: Times
    runs: Times
    requested: Times
    processors: Whole
    user: Whole
    priority: NDArray[np.float64]
    names: tuple[str, ...] = ()
    source: str = ""
    begins: float = 0
    ticks: int = 1
    ignored: Mapping[str, int] = field(default_factory=dict)
    changed: Mapping[str, int] = field(default_factory=dict)
    needs: tuple[JobNeeds, ...] = ()
    fails: NDArray[np.bool_] | None = None
    cut: NDArray[np.bool_] | None = None
    status: Whole | None = None
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

    def ticks_needed(self, processors: int) -> int:
        """In how many ticks per second all its times are whole: the coarsest of TICKS without overflow."""
        times = [np.asarray(each) for each in (self.submitted, self.runs, self.requested)]
        if self.ticks == 1 or not len(self) or all(each.dtype.kind == "i" for each in times):
            return 1
        longest = float(np.max(times[0])) + float(np.sum(np.maximum(times[1], 1)))
        found = 1
        for ticks in TICKS:
            if ticks > self.ticks or longest * ticks * processors > MOST_TICKS:
                break
            found = ticks
            if all(bool((np.rint(each * self.ticks) % (self.ticks // ticks) == 0).all()) for each in times):
                break
        return found

    def name(self, job: int) -> str:
        """What a job is called."""
        return self.names[job] if self.names else f"job {self.number[job]}"

    def only(self, kept: NDArray[np.bool_]) -> Workload:
        """The workload of some of its jobs."""
        arrays = ("number", "submitted", "runs", "requested", "processors", "user", "priority")
        names = tuple(name for name, keep in zip(self.names, kept, strict=False) if keep)
        needs = tuple(each for each, keep in zip(self.needs, kept, strict=False) if keep)
        plays = tuple(each for each, keep in zip(self.plays, kept, strict=False) if keep)
        return replace(
            self,
            names=names,
            needs=needs,
            plays=plays,
            fails=_of_some(self.fails, kept),
            cut=_of_some(self.cut, kept),
            status=_of_some(self.status, kept),
            queue=_of_some(self.queue, kept),
            **{name: getattr(self, name)[kept] for name in arrays},
        )


def _of_some(array: NDArray[Kind] | None, kept: NDArray[np.bool_]) -> NDArray[Kind] | None:
    """What is left of an array that not every workload has."""
    return None if array is None else array[kept]
