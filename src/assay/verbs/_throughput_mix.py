"""Output of jobs that ran at the same time: alone, alone in their place, and with the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.report.units import human

if TYPE_CHECKING:
    from assay.throughput.activity_page import PageTable
    from assay.throughput.played import PlayedJob
    from assay.throughput.results import ThroughputResult

HEAD = ("job", "program", "nodes", "alone", "alone there", "in the mix", "by place", "by others", "state")
NARROW = ("job", "nodes", "alone", "in the mix", "by place", "by others")  # for a terminal
KINDS = ("jobs", "number", "alone", "in the mix", "by place", "by others", "at most")
NOTE = "Alone: on an empty machine. The cost of a job's place, and of the other jobs."
MOST_ROWS = 40  # jobs on the terminal
MOST_NODES = 6
LEAST_SHOWN = 1.0005  # which is written +0.1%


def interference_line(found: ThroughputResult) -> str:
    """What the jobs cost one another, in one line; nothing where none of them completed."""
    known = [job for job in found.played or () if job.interference is not None]
    if not known:
        return ""
    worst = max(known, key=lambda job: job.interference or 0.0)
    assert worst.interference is not None
    if worst.interference < LEAST_SHOWN:
        return "no job slowed down by the others"
    return f"slowed down most by others: {worst.name}, {longer(worst.interference)}"


def held_lines(found: ThroughputResult) -> list[str]:
    """Jobs whose programs could not run, a line for each name."""
    return [f"{each.name} ({each.jobs:,}): not run, {each.why}; its nodes were occupied" for each in found.held or ()]


def job_rows(jobs: Sequence[PlayedJob]) -> list[tuple[str, ...]]:
    """A row for each job."""
    return [
        (
            job.name,
            job.program,
            nodes_text(job.nodes),
            *(_time(each) for each in (job.alone, job.alone_there, job.run)),
            longer(job.placement),
            longer(job.interference),
            f"{job.state}: {job.why}" if job.why else job.state,
        )
        for job in jobs
    ]


def narrow_rows(jobs: Sequence[PlayedJob]) -> list[tuple[str, ...]]:
    """The same in the columns that a terminal has room for."""
    kept = [HEAD.index(each) for each in NARROW]
    return [tuple(row[at] for at in kept) for row in job_rows(jobs)]


def kind_rows(found: ThroughputResult) -> list[tuple[str, ...]]:
    """A row for each name of the table of jobs."""
    return [
        (
            each.name,
            str(each.jobs),
            _time(each.alone),
            _time(each.run),
            longer(each.placement),
            longer(each.interference),
            longer(each.largest),
        )
        for each in found.programs or ()
    ]


def tables(found: ThroughputResult, of: str = "") -> list[PageTable]:
    """The same for the page; `of`: which system, where there are several."""
    from assay.throughput.activity_page import PageTable

    if not found.played:
        return []
    behind = f" ({of})" if of else ""
    return [
        PageTable(title=f"Concurrent jobs by name{behind}", head=KINDS, rows=kind_rows(found)),
        PageTable(title=f"Concurrent jobs, each{behind}", head=HEAD, rows=job_rows(found.played)),
    ]


def nodes_text(nodes: Sequence[int]) -> str:
    """The nodes of a job: adjacent ones as a range."""
    runs: list[list[int]] = []
    for node in nodes:
        if runs and node == runs[-1][1] + 1:
            runs[-1][1] = node
        else:
            runs.append([node, node])
    shown = ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs[:MOST_NODES])
    return shown + (f" and {len(runs) - MOST_NODES} more" if len(runs) > MOST_NODES else "")


def longer(ratio: float | None) -> str:
    """By how much a time is longer."""
    return "" if ratio is None else f"{100 * (ratio - 1):+.1f}%".replace("-0.0%", "+0.0%")


def _time(seconds: float | None) -> str:
    return "" if seconds is None else human(seconds, "s")
