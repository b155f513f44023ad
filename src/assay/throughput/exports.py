"""What was observed of jobs, in files that others read: CSV, SWF, Gantt as SVG, Perfetto's JSON, the page."""

from __future__ import annotations

import csv
import heapq
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from assay import output_file, trace_events
from assay.errors import InputError
from assay.sanitised import csv_row, visible
from assay.throughput import swf
from assay.throughput.activity import JobActivity
from assay.throughput.activity_svg import gantt_svg
from assay.trace_events import MICRO, Argument, TraceEvent

COLUMNS = ("system", "job", "submitted_s", "started_s", "ended_s", "wait_s", "run_s", "processors", "state", "nodes")
SPENT = ("user_s", "system_s")  # further columns, where any job has them


def as_csv(activities: Sequence[JobActivity]) -> str:
    """A line per job, of all systems."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    spent = any(job.user_seconds is not None for activity in activities for job in activity.jobs)
    write.writerow((*COLUMNS, *SPENT) if spent else COLUMNS)
    for activity in activities:
        for job in activity.jobs:
            wait = job.started - job.submitted if job.started is not None else None
            run = job.ended - job.started if job.ended is not None and job.started is not None else None
            times = [_plain(value) for value in (job.submitted, job.started, job.ended, wait, run)]
            row = [activity.title, job.name, *times, job.processors, job.state, " ".join(job.nodes)]
            row += [_plain(job.user_seconds), _plain(job.system_seconds)] if spent else []
            write.writerow(csv_row(row))
    return out.getvalue()


def _plain(value: float | None) -> str:
    return "" if value is None else f"{round(value, 6):.6f}".rstrip("0").rstrip(".")


def as_swf(activities: Sequence[JobActivity]) -> str:
    """The first system's jobs in the Standard Workload Format, times rounded to whole seconds.

    Of a simulated system all of them, as `--schedule` writes them; of a real one what was observed.
    """
    activity = activities[0]
    if activity.schedule is not None:
        return swf.written(activity.schedule, activity.title)
    lines = [
        "; Version: 2.2",
        f"; Computer: {visible(activity.title)}",
        f"; MaxJobs: {len(activity.jobs)}",
        f"; MaxProcs: {activity.processors}",
    ]
    for number, job in enumerate(activity.jobs, 1):
        fields = [-1] * 18
        submitted = round(job.submitted)
        fields[0], fields[1], fields[4], fields[7] = number, submitted, job.processors, job.processors
        if job.started is not None:
            fields[2] = round(job.started) - submitted
        if job.started is not None and job.ended is not None:
            fields[3] = round(job.ended) - round(job.started)
        fields[10] = 1 if job.state == "completed" else 5 if job.state == "deleted" else 0
        lines.append(" ".join(map(str, fields)))
    return "\n".join(lines) + "\n"


def as_gantt(activities: Sequence[JobActivity]) -> str:
    """The first system's jobs over its processors."""
    return gantt_svg(activities[0]) + "\n"


def as_perfetto(activities: Sequence[JobActivity]) -> str:
    """Every system a process, its jobs in lanes, waiting separate from running; for ui.perfetto.dev."""
    events: list[TraceEvent] = []
    for pid, activity in enumerate(activities, 1):
        for part, offset in (("waiting", 0), ("running", 1)):
            process = 2 * pid + offset
            events.append(trace_events.process(process, f"{activity.title}: {part}"))
        jobs = activity.jobs
        waits = [(job, job.submitted, job.started) for job in jobs if job.started is not None]
        runs = [(job, job.started, job.ended) for job in jobs if job.started is not None and job.ended is not None]
        for process, spans in ((2 * pid, waits), (2 * pid + 1, runs)):
            lanes = _lanes([(begin, end) for _, begin, end in spans])
            for (job, begin, end), lane in zip(spans, lanes, strict=True):
                about: dict[str, Argument] = {
                    "processors": job.processors,
                    "state": job.state,
                    "nodes": " ".join(job.nodes),
                }
                length = (end - begin) * MICRO
                events.append(trace_events.span(process, lane, job.name, begin * MICRO, length, about))
        events += [
            trace_events.count(2 * pid + 1, "processors in use", when * MICRO, {"processors": busy})
            for when, busy in activity.busy()
        ]
    return trace_events.text(events, "ms") + "\n"


def _lanes(spans: Sequence[tuple[float, float]]) -> list[int]:
    """For each span the lane, from 1, that is the lowest one free when it begins."""
    free: list[int] = []
    taken: list[tuple[float, int]] = []  # until when, and which lane
    found = [0] * len(spans)
    for at in sorted(range(len(spans)), key=lambda at: spans[at]):
        begin, end = spans[at]
        while taken and taken[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(taken)[1])
        found[at] = heapq.heappop(free) if free else len(taken) + 1
        heapq.heappush(taken, (end, found[at]))
    return found


FORMATS: dict[str, Callable[[Sequence[JobActivity]], str]] = {
    ".csv": as_csv,
    ".swf": as_swf,
    ".svg": as_gantt,
    ".json": as_perfetto,
}
ACCEPTED = "a file .html (the page), .csv, .swf, .svg (Gantt) or .json (for ui.perfetto.dev)"


def check(files: Sequence[Path]) -> None:
    """InputError for a file of another kind, before anything is run."""
    for file in files:
        if file.suffix not in (*FORMATS, ".html"):
            raise InputError("is of no kind that is written", key="--export", value=str(file), accepted=ACCEPTED)


def write(file: Path, activities: Sequence[JobActivity], page: Callable[[], str]) -> None:
    """Write one file, of the kind of its suffix; InputError where it cannot be."""
    text = page() if file.suffix == ".html" else FORMATS[file.suffix](activities)
    output_file.write_text(file, text)
