"""Each program of a test once alone on the machine before the test, and how much slower it is among the others.

Van der Steen 2000 (section 6.1.3) compares single-user mode with the throughput test so: no program was off by
more than 14%. Every program has a test of its own in OUT/alone/NAME, which is resumed like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.throughput import experiment, submission_log
from assay.throughput.batch_system import BatchSystem
from assay.throughput.job_names import kind_of
from assay.throughput.job_programs import JobPrograms
from assay.throughput.live_jobs import LiveJob
from assay.throughput.submission_lines import PlanOfTest


@dataclass(frozen=True, kw_only=True)
class ProgramSlowdown:
    """A program alone and in the mix: run times (s), `jobs` of it that ended well.

    `slowdown`: mean over alone; `largest`: the longest over alone. None where it did not end well, alone or ever.
    """

    name: str
    processors: int
    jobs: int
    alone: float | None
    mean: float | None
    longest: float | None
    slowdown: float | None
    largest: float | None


def run_alone(
    opened: Callable[[], BatchSystem],
    jobs: Sequence[LiveJob],
    programs: JobPrograms,
    out: Path,
    about: PlanOfTest,
    progress: Callable[[str], None] = lambda text: None,
) -> dict[str, float | None]:
    """Run the first job of every name alone, one after the other; gives its run time (s), None where it failed.

    `opened` gives the batch system anew; jobs that are wider than it are left out.
    """
    firsts: dict[str, LiveJob] = {}
    for job in jobs:
        firsts.setdefault(kind_of(job.name), job)
    found: dict[str, float | None] = {}
    for name, first in firsts.items():
        system = opened()
        facts = system.facts()
        if first.processors > facts.processors:
            continue
        progress(f"{name} alone")
        job = replace(first, id="0001-alone", number=1, due=0.0)
        log = submission_log.opened(out / "alone" / _folder(name), {**about, "alone": name}, [job], False)
        try:
            (followed,) = experiment.follow(system, facts, [job], programs, log).jobs
        finally:
            log.close()
        record = followed.record
        found[name] = None
        if record is not None and record.well and record.answer is not False:
            found[name] = (record.ended or 0.0) - (record.started or 0.0)
    return found


def _folder(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)


def slowdowns(
    ran: Sequence[tuple[str, float]], alone: Mapping[str, float | None], widths: Mapping[str, int]
) -> list[ProgramSlowdown]:
    """Each program alone and in the mix; `ran`: name and run time (s) of each job that ended well."""
    found = []
    for name, by_itself in alone.items():
        runs = [run for job, run in ran if kind_of(job) == name]
        mean = sum(runs) / len(runs) if runs else None
        longest = max(runs, default=None)
        found.append(ProgramSlowdown(
            name=name,
            processors=widths[name],
            jobs=len(runs),
            alone=by_itself,
            mean=mean,
            longest=longest,
            slowdown=mean / by_itself if mean is not None and by_itself else None,
            largest=longest / by_itself if longest is not None and by_itself else None,
        ))  # fmt: skip
    return found
