"""Jobs of a workload that are message-passing programs of Assay's, which a described machine can run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.throughput.program_jobs import PlannedPart


@dataclass(frozen=True)
class RankJob:
    """One job, times in s: `submitted` from the schedule's beginning, its expected `time`, the `limit` it requests.

    `programs` run one after the other until one fails; none: the job holds its nodes for its time, and sends nothing.
    `why_not`: why its programs are not run, where it has any.
    """

    submitted: float
    time: float
    limit: float
    programs: tuple[PlannedPart, ...] = ()
    why_not: str = ""

    @property
    def program(self) -> str:
        """What it runs, by name; nothing where nothing is run."""
        return ", ".join(part.program for part in self.programs)


def why_not(program: str) -> str:
    """Why a described machine cannot run it beside others; nothing where it can."""
    from assay.benchmark.record import benchmark

    record = benchmark(program)
    if record.kind != "ranks":
        return f"{program} passes no messages"
    if record.part == "files":
        return f"{program} uses files, and the world that jobs share has no file system"
    return ""


def planned(submitted: float, time: float, limit: float, programs: Sequence[PlannedPart]) -> RankJob:
    """A job of these programs; of several, all have to be such as can run."""
    reasons = [reason for part in programs if (reason := why_not(part.program))]
    return RankJob(submitted, time, limit, () if reasons else tuple(programs), "; ".join(dict.fromkeys(reasons)))


def of_jobs(jobs: Sequence[RankJob]) -> tuple[RankJob, ...]:
    """The jobs of a workload; none where nothing is run."""
    return tuple(jobs) if any(job.programs for job in jobs) else ()
