"""Lines of looks at a node's counters during a launch (event `node`; their form: programs/timing/node_looks.hpp)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

WHOLES = ("busy", "all", "used", "memory", "received", "sent")
MOST = 2**63 - 1
LATEST = 1e11  # s since 1970


@dataclass(frozen=True)
class NodeLook:
    """A node's counters at `time` (s since 1970): ticks busy and in all, bytes of memory, bytes through interfaces."""

    host: str
    time: float
    busy: int
    all: int
    used: int
    memory: int
    received: int
    sent: int


def node_look(event: Mapping[str, object]) -> NodeLook:
    """Read a line. ValueError for impossible values."""
    host, time = event.get("host"), event.get("time")
    if not isinstance(host, str) or not host:
        raise ValueError(f"host: got {host!r}, expected a name")
    if (
        not isinstance(time, int | float)
        or isinstance(time, bool)
        or not math.isfinite(time)
        or not 0 <= time <= LATEST
    ):
        raise ValueError(f"time: got {time!r}, expected a number of 0 to {LATEST:g}")
    counters: dict[str, int] = {}
    for key in WHOLES:
        value = event.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
            raise ValueError(f"{key}: got {value!r}, expected a whole number from 0")
        counters[key] = value
    return NodeLook(host=host, time=float(time), **counters)
