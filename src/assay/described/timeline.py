"""What happened on a described machine, as a timeline (Trace Event Format, for Perfetto) and as a communication matrix.

An application's timeline over MPI has the same form (execute/measured_timeline.py).
Two processes in the timeline: *ranks*, a track each with its calls (send, recv, wait, compute, barrier; a blocking call
lasts until the rank goes on); *messages*, each a span from its call until a receive has it, with its crossings of the
network inside (request, reply, data), and an arrow from rank to rank. The matrix is a table of the pairs of ranks that
spoke: messages and bytes. Both state the node of each rank; a host processor and I/O nodes, which come after the ranks,
have none.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assay import output_file, trace_events
from assay.errors import InputError
from assay.trace_events import MICRO, NestedSpans, TraceEvent

Columns = Mapping[str, Sequence[Any]]
Log = Mapping[str, Columns]
RANKS, MESSAGES = 1, 2
MOST = 200_000  # messages; a timeline of more is of no use to a person
Marks = Mapping[int, str]  # what the name of a rank's track ends with
NONE: Marks = MappingProxyType({})


def of_ranks(log: Log, places: Sequence[int], beyond: int) -> Log:
    """The log of a job by its own ranks, rank r at places[r], from one by places.

    Places from `beyond` on, which are not the job's (I/O nodes), come after its ranks.
    """
    rank = {place: at for at, place in enumerate(places)}

    def own(column: Sequence[int]) -> list[int]:
        return [rank.get(place, place - beyond + len(places)) for place in column]

    by_rank = {
        name: {key: own(column) if key in ("rank", "source", "destination") else column for key, column in each.items()}
        for name, each in log.items()
        if name != "passages"  # whose ends are the network's nodes
    }
    rows = sorted(zip(*by_rank["matrix"].values(), strict=True))
    columns = zip(*rows, strict=True) if rows else [()] * len(by_rank["matrix"])
    matrix = dict(zip(by_rank["matrix"], columns, strict=True))
    return {**by_rank, "matrix": matrix, "passages": log["passages"]}


def write_timeline(path: Path, log: Log, on: Sequence[int], marks: Marks = NONE) -> None:
    """Write the timeline; `log` as the core gives it, times in s; `on`: the node of each rank.

    InputError where it would be too long.
    """
    if len(log["sent"]["source"]) > MOST:
        raise InputError(
            "has too many messages for a timeline",
            key="--timeline",
            value=len(log["sent"]["source"]),
            accepted=f"{MOST}; fewer cases with --set, or fewer ranks",
        )
    events = [
        trace_events.process(RANKS, "ranks"),
        trace_events.process(MESSAGES, "messages"),
        *_spans(log["spans"], on, marks),
        *_messages(log["sent"], log["passages"]),
    ]
    trace_events.write(path, events)


def write_matrix(path: Path, log: Log, on: Sequence[int]) -> None:
    """Write the communication matrix as CSV: source, destination, messages, bytes, and the nodes of both."""
    names = ("source", "destination", "messages", "bytes")
    try:
        with output_file.opened(path, newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow((*names, "source_node", "destination_node"))
            for row in zip(*(log["matrix"][name] for name in names), strict=True):
                writer.writerow((*row, *(on[rank] if rank < len(on) else "" for rank in row[:2])))
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None


def _spans(spans: Columns, on: Sequence[int], marks: Marks) -> Iterator[TraceEvent]:
    for rank in sorted(set(spans["rank"])):
        node = f" on node {on[rank]}" if rank < len(on) else ""
        yield from trace_events.track(RANKS, rank + 1, f"rank {rank}{node}{marks.get(rank, '')}", rank)
    about = spans.get("about") or [{}] * len(spans["rank"])  # what else is known of each
    columns = (spans[key] for key in ("rank", "doing", "from", "to"))
    for rank, doing, begin, end, more in zip(*columns, about, strict=True):
        length = (end - begin) * MICRO
        yield trace_events.span(RANKS, rank + 1, doing, begin * MICRO, length, more or None, "rank")


def _messages(sent: Columns, passages: Columns) -> Iterator[TraceEvent]:
    inside: dict[int, list[tuple[str, float, float, int]]] = {}
    columns = (passages[key] for key in ("message", "crossing", "from", "arrived", "flits"))
    for message, crossing, begin, end, flits in zip(*columns, strict=True):
        if end >= 0:
            inside.setdefault(message, []).append((crossing, begin, end, flits))
    names = ("source", "destination", "tag", "bytes", "called", "delivered")
    for row, (source, to, tag, size, called, delivered) in enumerate(zip(*(sent[n] for n in names), strict=True)):
        if delivered < 0:
            continue
        crossings = inside.get(row, [])
        message = NestedSpans(MESSAGES, row, "message")
        spans = [(f"{source} to {to}", called, delivered)] + [(name, begin, end) for name, begin, end, _ in crossings]
        for name, begin, end in spans:
            yield message.begin(name, begin * MICRO, {"bytes": size, "tag": tag})
            yield message.end(name, end * MICRO)
        ends = (source + 1, called * MICRO), (to + 1, delivered * MICRO)
        yield from trace_events.arrow(RANKS, row, *ends)
