"""Jobs of a workload that are message-passing programs of Assay's, which a described machine can run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    """Why no described machine runs it together with others; nothing where some can."""
    from assay.benchmark.record import benchmark, on_described

    record = benchmark(program)
    if record.kind == "ranks":
        return ""
    other = on_described(program)
    return f"{program} passes no messages" + (f" ({other} does)" if other != program else "")


def planned(submitted: float, time: float, limit: float, programs: Sequence[PlannedPart]) -> RankJob:
    """A job of these programs; of several, all have to be such as can run."""
    reasons = [reason for part in programs if (reason := why_not(part.program))]
    return RankJob(submitted, time, limit, () if reasons else tuple(programs), "; ".join(dict.fromkeys(reasons)))


def where_files_are(jobs: Sequence[RankJob], machine: str, described: bool) -> tuple[RankJob, ...]:
    """The same jobs on a machine whose storage is `described` or not: without it who uses files cannot run."""
    if described:
        return tuple(jobs)
    return tuple(_without_files(job, machine) for job in jobs)


def _without_files(job: RankJob, machine: str) -> RankJob:
    from assay.benchmark.record import benchmark

    names = dict.fromkeys(part.program for part in job.programs)
    users = [name for name in names if "storage" in benchmark(name).extra.get("needs", ())]
    if not users:
        return job
    why = f"{', '.join(users)} uses files, and {machine} has no [storage], what its I/O nodes and disks take"
    return replace(job, programs=(), why_not=why)


def of_jobs(jobs: Sequence[RankJob]) -> tuple[RankJob, ...]:
    """The jobs of a workload; none where none of them has a program."""
    return tuple(jobs) if any(job.programs or job.why_not for job in jobs) else ()
