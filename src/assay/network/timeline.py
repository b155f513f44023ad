"""A replay as a timeline in the Trace Event Format (JSON), which Perfetto and chrome://tracing open.

Two processes: *messages*, where each message is a span from its generation to its tail's delivery, with its waits (at
the source and for each link on its way), its head's way and its body inside it, packet by packet where it is cut; and
*links*, one track a channel or lane, where each packet is a span from its head's crossing to its tail's. All engines
give the same. Times are those of the machine described; a span's arguments have the cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay import trace_events
from assay.errors import InputError
from assay.network.description import NetworkDescription
from assay.network.documents import CoreLink
from assay.network.engine import link_name
from assay.network.trace import MessageTrace
from assay.trace_events import Argument, NestedSpans, TraceEvent

Integers = NDArray[np.int64]
MESSAGES, LINKS = 1, 2
MOST = 200_000  # messages; more cannot be shown


@dataclass(frozen=True)
class Hop:
    """A packet on a link: the cycles in which its head and tail start to cross; tail None where it never does."""

    link: int
    channel: int
    head: int
    tail: int | None


Ways = dict[tuple[int, int], list[Hop]]  # by row of the trace and packet, in order of the way


@dataclass(frozen=True)
class ReplayedTrace:
    """What the core returned: links, cycles of head and tail by row (-1: never), ways, and the cycle after the last."""

    links: Sequence[CoreLink]
    head: Integers
    tail: Integers
    ways: Ways
    end: int


def check(messages: int) -> None:
    """InputError where there are more than a timeline can show."""
    if messages > MOST:
        raise InputError(
            "are too many messages for a timeline", key="--timeline", value=messages, accepted=f"{MOST} or fewer"
        )


def write(path: Path, description: NetworkDescription, messages: MessageTrace, played: ReplayedTrace) -> None:
    """Write the file."""
    us = description.cycle * trace_events.MICRO
    stored = description.network.switching == "store-and-forward"
    events = [
        trace_events.process(MESSAGES, "messages"),
        trace_events.process(LINKS, "links"),
        *_messages(messages, played, stored, us),
        *_links(messages, played, us),
    ]
    trace_events.write(path, events)


def ways(order: Integers, crossings: Mapping[str, Integers]) -> Ways:
    """Columns of the core, whose messages are rows of `order`, packet by packet."""
    found: Ways = {}
    names = ("packet", "link", "channel", "head", "tail")
    rows = order[crossings["message"]].tolist()
    for row, packet, link, channel, head, tail in zip(rows, *(crossings[name].tolist() for name in names), strict=True):
        found.setdefault((row, packet), []).append(Hop(link, channel, head, tail if tail >= 0 else None))
    for way in found.values():
        way.sort(key=lambda hop: hop.head)
    return found


def _messages(messages: MessageTrace, played: ReplayedTrace, stored: bool, us: float) -> Iterator[TraceEvent]:
    packets: dict[int, list[int]] = {}
    for row, packet in sorted(played.ways):
        packets.setdefault(row, []).append(packet)
    for row in range(len(messages)):
        name, born = _words(messages, row), int(messages.cycle[row])
        head, tail = int(played.head[row]), int(played.tail[row])
        about: dict[str, Argument] = {"flits": int(messages.flits[row]), "generated": born}
        about |= {"head": head, "tail": tail} if tail >= 0 else {"delivered": "never"}
        ours = packets.get(row, [])
        end = max(_over(played, played.ways[row, packet]) for packet in ours) if tail >= 0 else played.end
        span = _Spans(str(messages.id[row]), us)
        if len(ours) < 2:
            inside = _parts(played, played.ways[row, ours[0]], born, end, stored, span) if ours else ()
            yield from span.around(name, born, end, inside, about)
            continue
        yield from span.around(name, born, end, (), about | {"packets": len(ours)})
        requested = born
        for packet in ours:
            way = played.ways[row, packet]
            over = _over(played, way)
            span = _Spans(f"{messages.id[row]}.{packet}", us)
            inside = _parts(played, way, requested, over, stored, span)
            yield from span.around(f"{name}, packet {packet}", requested, over, inside, {"packet": packet})
            requested = over if way[0].tail is None else way[0].tail + 1


def _parts(
    played: ReplayedTrace, way: Sequence[Hop], requested: int, end: int, stored: bool, span: _Spans
) -> Iterator[TraceEvent]:
    """Of a packet that requests its first link at `requested`: its waits, its head's way and its body."""
    first, last = way[0], way[-1]
    yield from span.around("waits at the source", requested, first.head)
    arrived = played.links[last.link]["kind"] == "ejection"
    inside = _inside(played.links, last) if arrived else end
    waits = _waits(played.links, way, None if arrived else end, stored, span)
    yield from span.around("head on its way", first.head, inside, waits)
    yield from span.around("body", inside, end)


def _inside(links: Sequence[CoreLink], last: Hop) -> int:
    """The cycle in which a head is inside its destination, as `simulate` counts header latencies: A_H + h_H."""
    return last.head + int(links[last.link]["head_ticks"])


def _over(played: ReplayedTrace, way: Sequence[Hop]) -> int:
    """The cycle after the last of a packet: its tail has left its last link, its head is inside; or the run's end."""
    last = way[-1]
    if last.tail is None:
        return played.end
    if played.links[last.link]["kind"] != "ejection":
        return last.tail + 1
    return max(last.tail + 1, _inside(played.links, last))


def _waits(
    links: Sequence[CoreLink], way: Sequence[Hop], end: int | None, stored: bool, span: _Spans
) -> Iterator[TraceEvent]:
    """Between a head's being ready to leave a router and its leaving; `end`: of the wait that never ends."""
    for at, hop in enumerate(way):
        if stored and hop.tail is None:
            return
        ready = (hop.tail or 0 if stored else hop.head) + links[hop.link]["head_ticks"]
        if at + 1 < len(way):
            yield from span.around(f"waits for {link_name(links[way[at + 1].link])}", ready, way[at + 1].head)
        elif end is not None:
            yield from span.around("waits forever", ready, end)


class _Spans:
    """Nested spans of one track of the messages."""

    def __init__(self, track: str, us: float) -> None:
        self._spans = NestedSpans(MESSAGES, track, "message")
        self._us = us

    def around(
        self,
        name: str,
        start: int,
        end: int,
        inside: Iterator[TraceEvent] | tuple[()] = (),
        about: Mapping[str, Argument] | None = None,
    ) -> Iterator[TraceEvent]:
        """A span in cycles with what is inside it; nothing where it has no length."""
        if end > start:
            yield self._spans.begin(name, start * self._us, about or {})
            yield from inside
            yield self._spans.end(name, end * self._us)


def _links(messages: MessageTrace, played: ReplayedTrace, us: float) -> Iterator[TraceEvent]:
    tracks: dict[tuple[int, int], int] = {}
    most = max((link["channels"] * link["lanes"] for link in played.links), default=1)
    for (row, packet), way in sorted(played.ways.items()):
        for hop in way:
            link, place = played.links[hop.link], (hop.link, hop.channel)
            if place not in tracks:
                tracks[place] = len(tracks) + 1
                order = hop.link * most + hop.channel
                yield from trace_events.track(LINKS, tracks[place], _track(link, *place), order)
            end = played.end if hop.tail is None else hop.tail + link["flit_ticks"]
            about: dict[str, Argument] = {"head": hop.head, "tail": "never" if hop.tail is None else hop.tail}
            about |= {"flits": int(messages.flits[row]), "packet": packet}
            begin, length = hop.head * us, (end - hop.head) * us
            yield trace_events.span(LINKS, tracks[place], _words(messages, row), begin, length, about)


def _words(messages: MessageTrace, row: int) -> str:
    return f"{messages.id[row]}: {messages.source[row]} to {messages.destination[row]}"


def _track(link: CoreLink, number: int, channel: int) -> str:
    words = f"{link_name(link)} (link {number}"
    if link["channels"] > 1:
        words += f", channel {channel // link['lanes']}"
    if link["lanes"] > 1:
        words += f", lane {channel % link['lanes']}"
    return f"{words})"
