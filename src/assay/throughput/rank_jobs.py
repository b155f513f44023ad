"""Jobs of a workload that are message-passing programs of Assay's, which a described machine can run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class RankJob:
    """One job, times in s: `submitted` from the schedule's beginning, its expected `time`, the `limit` it requests.

    `program` is passed `arguments`, as a task of `assay run`; "": nothing is run, the job holds its nodes for its time.
    """

    submitted: float
    time: float
    limit: float
    program: str = ""
    arguments: tuple[str, ...] = ()


def plays(program: str | None) -> bool:
    """Whether a described machine can run it: it passes messages between ranks, and uses no files."""
    if program is None:
        return False
    from assay.benchmark.record import benchmark

    record = benchmark(program)
    return record.kind == "ranks" and record.part != "files"


def of_jobs(jobs: Sequence[RankJob]) -> tuple[RankJob, ...]:
    """The jobs of a workload; none where nothing is run."""
    return tuple(jobs) if any(job.program for job in jobs) else ()
