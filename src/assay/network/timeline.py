"""A replay as a timeline in the Trace Event Format (JSON), which Perfetto and chrome://tracing open.

Two processes: *messages*, where each message is a span from its generation to its tail's delivery, with its wait at
the source and its head's way inside it; and *links*, one track a channel, where each worm is a span from its head's
crossing to its tail's (worm engine). Times are in us of the machine described; a span's arguments have the cycles.
Source: Trace Event Format, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.network.description import Description
from assay.network.trace import Messages

Integers = NDArray[np.int64]
Event = dict[str, Any]
MESSAGES, LINKS = 1, 2
MOST = 200_000  # messages; a timeline of more is of no use to a person


def write(
    path: Path,
    description: Description,
    links: Sequence[Mapping[str, Any]],
    messages: Messages,
    delivered: Mapping[str, Integers],
    order: Integers,
    crossings: Mapping[str, Integers],
) -> None:
    """The file. `delivered`: head and tail by message; `crossings`: columns of the core, messages as rows of
    `order`.
    """
    if len(messages) > MOST:
        raise InputError(
            "has too many messages for a timeline", key="--timeline", value=len(messages), accepted=f"{MOST}"
        )
    us = description.cycle * 1e6
    events = [
        _name(MESSAGES, "process_name", "messages"),
        _name(LINKS, "process_name", "links"),
        *_messages(messages, delivered, _entered(messages, order, crossings), us),
        *_links(links, messages, order, crossings, us),
    ]
    document = {"displayTimeUnit": "ns", "traceEvents": events}
    try:
        path.write_text(json.dumps(document, allow_nan=False), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None


def _entered(messages: Messages, order: Integers, crossings: Mapping[str, Integers]) -> dict[int, int]:
    """The cycle in which each message's head crossed its first link."""
    found: dict[int, int] = {}
    for row, head in zip(order[crossings["message"]].tolist(), crossings["head"].tolist(), strict=True):
        found[row] = min(head, found.get(row, head))
    return found


def _messages(
    messages: Messages, delivered: Mapping[str, Integers], entered: Mapping[int, int], us: float
) -> Iterator[Event]:
    for row in range(len(messages)):
        born, head, tail = int(messages.cycle[row]), int(delivered["head"][row]), int(delivered["tail"][row])
        if tail < 0:
            continue
        name = f"{messages.id[row]}: {messages.source[row]} to {messages.destination[row]}"
        about = {"flits": int(messages.flits[row]), "generated": born, "head": head, "tail": tail}
        spans = [
            (name, born, tail + 1),
            ("head on its way", entered.get(row, born), head + 1),
            ("body", head + 1, tail + 1),
        ]
        if entered.get(row, born) > born:
            spans.append(("waits at the source", born, entered[row]))
        for label, start, end in sorted(spans, key=lambda span: (span[1], -span[2])):
            if end > start:
                common = {"cat": "message", "name": label, "id": int(messages.id[row]), "pid": MESSAGES, "tid": 1}
                yield common | {"ph": "b", "ts": start * us, "args": about}
                yield common | {"ph": "e", "ts": end * us}


def _links(
    links: Sequence[Mapping[str, Any]],
    messages: Messages,
    order: Integers,
    crossings: Mapping[str, Integers],
    us: float,
) -> Iterator[Event]:
    tracks: dict[int, int] = {}
    columns = (crossings[name].tolist() for name in ("message", "link", "channel", "head", "tail"))
    for message, link, channel, head, tail in zip(*columns, strict=True):
        if channel not in tracks:
            tracks[channel] = len(tracks) + 1
            yield _name(LINKS, "thread_name", f"{_called(links[link])} (link {link})", tracks[channel])
            yield _name(LINKS, "thread_sort_index", link, tracks[channel], key="sort_index")
        row = order[message]
        yield {
            "ph": "X",
            "pid": LINKS,
            "tid": tracks[channel],
            "name": f"{messages.id[row]}: {messages.source[row]} to {messages.destination[row]}",
            "ts": head * us,
            "dur": (tail + 1 - head) * us,
            "args": {"head": head, "tail": tail, "flits": int(messages.flits[row])},
        }


def _called(link: Mapping[str, Any]) -> str:
    match link["kind"]:
        case "injection":
            return f"node {link['from']} into router {link['to']}"
        case "ejection":
            return f"router {link['from']} into node {link['to']}"
        case _:
            return f"router {link['from']} to {link['to']}"


def _name(process: int, what: str, name: object, track: int = 0, key: str = "name") -> Event:
    return {"ph": "M", "pid": process, "tid": track, "name": what, "args": {key: name}}
