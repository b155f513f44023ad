"""The paper's schedule: which jobs are submitted when, a batch a line (van der Steen 2000, section 4.1.7).

`900: 2 * maya5_run` submits two jobs of that name 900 s after the start. Lines that begin with `#`, and what follows a
`#`, are comments. Batches may come in any order; jobs are numbered in the order of their submission, and of one second
in the order of the lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from assay import input_file
from assay.errors import InputError

LINE = re.compile(r"\s*(?P<time>\d+(\.\d+)?)\s*:\s*((?P<count>\d+)\s*\*\s*)?(?P<name>[A-Za-z0-9_][A-Za-z0-9_.+-]*)\s*")
ACCEPTED = "SECONDS: COUNT * NAME, such as 900: 2 * maya5_run; without COUNT * it is one job"
MOST_JOBS = 1_000_000
PUBLISHED = "eurobench2000"  # the paper's own schedule


@dataclass(frozen=True)
class JobBatch:
    """So many jobs of one name, submitted `time` seconds after the start; `line` of the file."""

    time: float
    count: int
    name: str
    line: int


def published() -> list[JobBatch]:
    """The schedule that van der Steen 2000 prints; `line` counts its batches."""
    from assay.machine import catalogue
    from assay.machine.published import Arrival

    return [
        JobBatch(float(each.time_s), each.count, each.job, at)
        for at, each in enumerate(catalogue.load().of(Arrival), 1)
    ]


def is_published(schedule: str) -> bool:
    """Whether the paper's schedule is meant, and no file of that name."""
    return schedule == PUBLISHED and not Path(schedule).exists()


def named(schedule: str) -> list[JobBatch]:
    """The batches of a schedule: a file, or the paper's by its name. InputError as `read`."""
    return published() if is_published(schedule) else read(Path(schedule))


def read(path: Path) -> list[JobBatch]:
    """Read a schedule. InputError names file and line of what is no batch, and a file without jobs."""
    return parsed(input_file.text(path, accepted="a schedule"), path)


def parsed(text: str, path: Path) -> list[JobBatch]:
    """The batches of a schedule's text, in the order of the lines."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0]
        if not words.strip():
            continue
        match = LINE.fullmatch(words)
        if match is None:
            raise InputError("is no batch of jobs", file=path, line=number, value=line.strip(), accepted=ACCEPTED)
        count = int(match["count"] or 1)
        if not 1 <= count <= MOST_JOBS:
            accepted, seen = f"1 to {MOST_JOBS}", match["count"]
            raise InputError("is no number of jobs", file=path, line=number, value=seen, accepted=accepted)
        found.append(JobBatch(float(match["time"]), count, match["name"], number))
    if not found:
        raise InputError("submits no job", file=path, accepted=ACCEPTED)
    if sum(batch.count for batch in found) > MOST_JOBS:
        raise InputError("submits too many jobs", file=path, accepted=f"at most {MOST_JOBS}")
    return found
