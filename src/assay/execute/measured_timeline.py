"""The timeline of an application over MPI: its lines (programs/applications/span.hpp) as a log of a described machine.

Both are written by one writer (described/timeline.py). A message is the k-th that a rank sent to another by a tag with
the k-th that this one received: over one communicator these keep their order. Messages within groups of ranks are not
known, nor those with one end after the recorded calls.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict, cast

from assay.described.timeline import Columns, Log, write_timeline
from assay.errors import MeasurementError

CALLS = ("send", "isend", "recv", "irecv", "sendrecv", "wait", "test", "probe", "collective", "file")
GAP = 1.1  # cases follow one another at this many times the length of those before


class TimelineEvent(TypedDict):
    """A line of a program: rows of rank, name, begin, end [ns], to rank, tag, bytes, from rank, tag, bytes."""

    event: str
    ranks: int
    nodes: list[int]
    names: list[str]
    spans: list[list[int]]
    passed: list[int]
    own_clock: list[bool]


# Times in seconds; "from" is a keyword of Python.
TimelineSpan = TypedDict(
    "TimelineSpan",
    {
        "rank": int,
        "to_rank": int,
        "to_tag": int,
        "sent": int,
        "from_rank": int,
        "from_tag": int,
        "received": int,
        "doing": str,
        "from": float,
        "to": float,
        "about": dict[str, int | str],
    },
)


def draw(lines: Path, timeline: Path) -> None:
    """Write the timeline of a launch, by the lines of its program. MeasurementError where none is one."""
    found = [event for event in map(_event, _lines(lines)) if event is not None]
    if not found:
        raise MeasurementError(f"{lines}: has no timeline")
    spans: list[TimelineSpan] = []
    begin = 0.0
    for event in found:
        of = [_span(row, event["names"], begin) for row in event["spans"]]
        begin = GAP * max((each["to"] for each in of), default=begin)
        spans += of
    write_timeline(timeline, log(spans), found[0]["nodes"], _marks(found))


def _marks(events: list[TimelineEvent]) -> dict[int, str]:
    """Notes of a rank's track: calls that are left out, and a separate clock (its start is 0 then)."""
    marks: dict[int, str] = {}
    for rank in range(events[0]["ranks"]):
        passed = sum(event["passed"][rank] for event in events)
        own = any(event["own_clock"][rank] for event in events)
        marks[rank] = f", without {passed:,} later calls" * (passed > 0) + ", by its own clock" * own
    return marks


def _lines(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as file:
        return [line for line in file if '"timeline"' in line[:40]]


def _event(line: str) -> TimelineEvent | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return cast(TimelineEvent, event) if isinstance(event, dict) and event.get("event") == "timeline" else None


def _span(row: list[int], names: list[str], begin: float) -> TimelineSpan:
    rank, named, start, end, to_rank, to_tag, sent, from_rank, from_tag, received = row
    name, kernel = names[named], named >= len(CALLS)
    span: TimelineSpan = {
        "rank": rank,
        "to_rank": to_rank,
        "to_tag": to_tag,
        "sent": sent,
        "from_rank": from_rank,
        "from_tag": from_tag,
        "received": received,
        "doing": "compute" if kernel else name,
        "from": begin + 1e-9 * start,
        "to": begin + 1e-9 * end,
        "about": {"kernel": name},
    }
    if not kernel:
        span["about"] = _about(span)
    return span


def _about(span: TimelineSpan) -> dict[str, int | str]:
    """Of a call: to and from which rank, and how much."""
    about: dict[str, int | str] = {}
    if span["to_rank"] >= 0:
        about |= {"to rank": span["to_rank"], "bytes sent": span["sent"]}
    if span["from_rank"] >= 0:
        about |= {"for rank": span["from_rank"], "bytes received": span["received"]}
    return about


def log(spans: Iterable[TimelineSpan]) -> Log:
    """Spans and the messages between them, in columns."""
    rows = list(spans)
    names = ("rank", "doing", "from", "to", "about")
    return {
        "spans": {name: [dict(each)[name] for each in rows] for name in names},
        "sent": _sent(rows),
        "passages": {name: [] for name in ("message", "crossing", "from", "arrived", "flits")},
    }


def _sent(rows: list[TimelineSpan]) -> Columns:
    waiting: dict[tuple[int, int, int], deque[TimelineSpan]] = defaultdict(deque)
    for each in sorted(rows, key=lambda row: row["from"]):
        if each["to_rank"] >= 0:
            waiting[each["rank"], each["to_rank"], each["to_tag"]].append(each)
    found = []
    for each in sorted(rows, key=lambda row: row["to"]):
        if each["from_rank"] < 0:
            continue
        sent = waiting[each["from_rank"], each["rank"], each["from_tag"]]
        if sent:
            by = sent.popleft()
            found.append((by["rank"], each["rank"], by["to_tag"], by["sent"], by["from"], each["to"]))
    found.sort(key=lambda row: row[4])
    names = ("source", "destination", "tag", "bytes", "called", "delivered")
    return {name: [row[at] for row in found] for at, name in enumerate(names)}
