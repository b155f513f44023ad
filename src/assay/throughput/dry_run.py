"""What a test would be: jobs, processor hours, and the makespan that each policy makes of them without any cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import InputError
from assay.number_words import number_of
from assay.throughput import simulated
from assay.throughput.job_names import kind_of
from assay.throughput.live_jobs import LiveJob
from assay.throughput.results import RefusedJob
from assay.throughput.workload import Whole, Workload

TICKS = 1000  # per second


@dataclass(frozen=True, kw_only=True)
class PlannedKind:
    """Jobs of one name: how many, the processors and expected seconds of each."""

    name: str
    jobs: int
    processors: int
    expected: float


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """A test that was not run. Times in seconds, compressed; `processor_hours` of all jobs that fit.

    `least_makespan`: by work and by the last arrival. `ideal`: the makespan by policy, by expected times.
    """

    system: str
    processors: int
    workload: str
    jobs: int
    kinds: list[PlannedKind]
    processor_hours: float
    last_submission: float
    least_makespan: float
    ideal: Mapping[str, float]
    refused: list[RefusedJob]


def dry_run(jobs: Sequence[LiveJob], processors: int, system: str, workload: str) -> DryRun:
    """Describe what a test would be; InputError where no job fits."""
    fits = [job for job in jobs if job.processors <= processors]
    if not fits:
        raise InputError(f"every job is wider than the {number_of(processors, 'processor')} of {system}", file=workload)
    planned = workload_of(fits)
    kinds: dict[tuple[str, int, float], int] = {}
    for job in fits:
        key = (kind_of(job.name), job.processors, job.expected)
        kinds[key] = kinds.get(key, 0) + 1
    work = sum(job.processors * job.expected for job in fits)
    alone = max(job.due + job.expected for job in fits)
    return DryRun(
        system=system,
        processors=processors,
        workload=workload,
        jobs=len(fits),
        kinds=[
            PlannedKind(name=name, jobs=count, processors=width, expected=expected)
            for (name, width, expected), count in list(kinds.items())[:1000]
        ],
        processor_hours=work / 3600,
        last_submission=max(job.due for job in fits),
        least_makespan=max(work / processors, alone),
        ideal={
            policy: float(simulated.schedule(planned, processors, policy).ended.max()) / TICKS
            for policy in simulated.POLICIES
        },
        refused=[RefusedJob(name=job.name, processors=job.processors) for job in jobs if job.processors > processors],
    )


def workload_of(jobs: Sequence[LiveJob]) -> Workload:
    """The jobs as the simulated batch system takes them, in ticks of a millisecond."""

    def whole(values: Sequence[float]) -> Whole:
        ticks: Whole = np.rint(np.array(values) * TICKS).astype(np.int64)
        return ticks

    users = {user: number for number, user in enumerate(dict.fromkeys(job.user for job in jobs))}
    requested = np.maximum(whole([job.requested for job in jobs]), 1)
    return Workload(
        number=np.arange(1, len(jobs) + 1),
        submitted=whole([job.due for job in jobs]),
        runs=np.minimum(whole([job.expected for job in jobs]), requested),
        requested=requested,
        processors=np.array([job.processors for job in jobs], dtype=np.int64),
        user=np.array([users[job.user] for job in jobs], dtype=np.int64),
        priority=np.array([job.priority for job in jobs]),
        names=tuple(job.name for job in jobs),
    )
