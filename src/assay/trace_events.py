"""Timelines in the Trace Event Format (JSON), which Perfetto and chrome://tracing open.

A timeline is a list of events. A process has tracks; a track has a name and an order. Times are in microseconds.
Source: Trace Event Format, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay import output_file

Argument = str | int | float | None
Arguments = Mapping[str, Argument]
TraceEvent = dict[str, str | int | float | Arguments]
MICRO = 1e6  # microseconds in a second


def process(pid: int, name: str) -> TraceEvent:
    """Name a process."""
    return _metadata(pid, 0, "process_name", {"name": name})


def track(pid: int, tid: int, name: str, order: int) -> Iterator[TraceEvent]:
    """Name a track of a process and give its place in order."""
    yield _metadata(pid, tid, "thread_name", {"name": name})
    yield _metadata(pid, tid, "thread_sort_index", {"sort_index": order})


def _metadata(pid: int, tid: int, what: str, arguments: Arguments) -> TraceEvent:
    return {"ph": "M", "pid": pid, "tid": tid, "name": what, "args": arguments}


def span(
    pid: int, tid: int, name: str, begin: float, length: float, arguments: Arguments | None = None, category: str = ""
) -> TraceEvent:
    """One span of a track."""
    found: TraceEvent = {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": begin, "dur": length}
    if category:
        found["cat"] = category
    if arguments is not None:
        found["args"] = arguments
    return found


def count(pid: int, name: str, at: float, arguments: Arguments) -> TraceEvent:
    """The values of a counter from a time (s) on."""
    return {"name": name, "ph": "C", "pid": pid, "tid": 0, "ts": at, "args": arguments}


@dataclass(frozen=True)
class NestedSpans:
    """Spans of one kind with the same identity (`id`): the format nests them by time."""

    pid: int
    id: str | int
    category: str

    def begin(self, name: str, at: float, arguments: Arguments) -> TraceEvent:
        """A span begins."""
        return self._event("b", name, at) | {"args": arguments}

    def end(self, name: str, at: float) -> TraceEvent:
        """The span that began last ends."""
        return self._event("e", name, at)

    def _event(self, phase: str, name: str, at: float) -> TraceEvent:
        found: TraceEvent = {"cat": self.category, "id": self.id, "pid": self.pid, "tid": 1}
        return found | {"name": name, "ph": phase, "ts": at}


def arrow(pid: int, number: int, source: tuple[int, float], target: tuple[int, float]) -> Iterator[TraceEvent]:
    """An arrow between two tracks, each end a track and a time."""
    common: TraceEvent = {"cat": "arrow", "name": "message", "id": number, "pid": pid}
    yield common | {"ph": "s", "tid": source[0], "ts": source[1]}
    yield common | {"ph": "f", "bp": "e", "tid": target[0], "ts": target[1]}


def text(events: Iterable[TraceEvent], unit: Literal["ns", "ms"] = "ns") -> str:
    """The timeline as JSON. `unit`: in which times are shown. ValueError for a time that is not finite."""
    return json.dumps({"displayTimeUnit": unit, "traceEvents": list(events)}, allow_nan=False)


def write(path: Path, events: Iterable[TraceEvent]) -> None:
    """Write a timeline. InputError where the file cannot be written."""
    output_file.write_text(path, text(events))
