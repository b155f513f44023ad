"""How evenly a batch system serves its users, and which jobs later ones passed.

Jain's index of the users' mean bounded slowdowns x, (sum x)^2 / (n sum x^2): 1 where all are served equally, 1/n where
one has all of the slowdown (Jain, Chiu and Hawe 1984). Users where there are two or more; else programs.

The fair start time of a job is when the same batch system starts it if no job is submitted after it (Sabin, Kochhar and
Sadayappan 2004, Job fairness in non-preemptive job scheduling): a job that starts later was passed at its cost. First
come, first served treats no job so; nor does conservative backfilling where requests are exact. Each job that waited is
simulated anew with all before it, so that this is for workloads of up to MOST_JOBS jobs, or MOST_SLOWLY where a
simulation takes longer: jobs have places on nodes, or the policy is fair share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from assay.document.json_form import WRITTEN_IF_SET
from assay.throughput.job_names import kind_of
from assay.throughput.simulated import Scheduled
from assay.throughput.workload import Workload

MOST_JOBS, MOST_SLOWLY = 3_000, 500  # whose fair start times are found
MOST_GROUPS = 1000  # that are listed


@dataclass(frozen=True, kw_only=True)
class ServedGroup:
    """The jobs of one user, or of one program: means over them; seconds. `jobs`: that ran."""

    name: str
    jobs: int
    mean_wait: float
    bounded_slowdown: float


@dataclass(frozen=True, kw_only=True)
class FairStarts:
    """Jobs against their fair start times: `late` of `jobs` started later; by how much, in seconds.

    `mean_miss`: over all jobs, 0 of those that were not late; `mean_miss_of_late`: over those that were; `latest`: the
    name of the latest. The last two are None where none was late.
    """

    jobs: int
    late: int
    mean_miss: float
    mean_miss_of_late: float | None
    longest_miss: float
    latest: str | None


@dataclass(frozen=True, kw_only=True)
class Fairness:
    """`index`: Jain's, of `groups` by user or by program (`of`); `spread`: largest mean slowdown over smallest.

    `fair_starts` is None where it was not looked for: several settings compared, a real system, or more jobs than
    `fair_starts_up_to`, which is given then.
    """

    of: str
    index: float
    spread: float
    groups: list[ServedGroup]
    fair_starts: FairStarts | None = None
    fair_starts_up_to: Annotated[int | None, WRITTEN_IF_SET] = None


def jain(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Jain's index of positive values, from 1/n to 1."""
    of = np.asarray(values, dtype=np.float64)
    return float(of.sum() ** 2 / (len(of) * np.square(of).sum()))


def of_groups(
    of: str, keys: NDArray[Any], label: Callable[[Any], str], waited: NDArray[Any], slowdown: NDArray[np.float64]
) -> Fairness | None:
    """By each job's key; None where there are fewer than two."""
    kinds, which = np.unique(keys, return_inverse=True)
    if len(kinds) < 2:
        return None
    counts = np.bincount(which)
    waits = np.bincount(which, weights=waited) / counts
    means = np.bincount(which, weights=slowdown) / counts
    groups = [
        ServedGroup(
            name=label(kinds[at]), jobs=int(counts[at]), mean_wait=float(waits[at]), bounded_slowdown=float(mean)
        )
        for at, mean in enumerate(means)
    ]
    groups.sort(key=lambda group: (-group.bounded_slowdown, group.name))
    spread = float(means.max() / means.min())
    return Fairness(of=of, index=jain(means), spread=spread, groups=groups[:MOST_GROUPS])


def of_programs(names: Sequence[str], waited: NDArray[Any], slowdown: NDArray[np.float64]) -> Fairness | None:
    """By program: the jobs' names without their numbers."""
    keys = np.array([kind_of(name) for name in names], dtype=str)
    return of_groups("program", keys, str, waited, slowdown)


def fairness(found: Scheduled, slowdown: NDArray[np.float64]) -> Fairness | None:
    """Of a simulated schedule; `slowdown`: each job's, bounded."""
    jobs = found.workload
    waited = found.started - jobs.submitted
    made = None
    if len(np.unique(jobs.user)) > 1:
        made = of_groups("user", jobs.user, lambda user: user_name(jobs, int(user)), waited, slowdown)
    elif jobs.names:
        made = of_programs(jobs.names, waited, slowdown)
    most = MOST_SLOWLY if found.places or found.policy == "fairshare" else MOST_JOBS
    if found.again is None:
        return made
    if len(jobs) > most:
        return None if made is None else replace(made, fair_starts_up_to=most)
    starts = fair_starts(found, found.again)
    if made is None:
        return Fairness(of="job", index=1.0, spread=1.0, groups=[], fair_starts=starts)
    return replace(made, fair_starts=starts)


def user_name(jobs: Workload, number: int) -> str:
    """What a user is called."""
    return jobs.user_names[number] or "(none)" if 0 <= number < len(jobs.user_names) else f"user {number}"


def fair_starts(found: Scheduled, again: Callable[[Workload], Scheduled]) -> FairStarts:
    """Simulate every job that waited without those after it; one that did not has its fair start."""
    jobs = found.workload if found.alone is None else replace(found.workload, runs=found.alone)
    count = np.arange(len(jobs))
    fair = found.started.astype(np.float64)
    for at in np.flatnonzero(found.started > jobs.submitted):
        fair[at] = float(again(jobs.only(count <= at)).started[at])
    miss = np.maximum(0.0, found.started - fair)
    late = miss > 1e-9
    return FairStarts(
        jobs=len(jobs),
        late=int(late.sum()),
        mean_miss=float(miss.mean()),
        mean_miss_of_late=float(miss[late].mean()) if late.any() else None,
        longest_miss=float(miss.max()),
        latest=jobs.name(int(np.argmax(miss))) if late.any() else None,
    )
