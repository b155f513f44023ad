"""What the nodes did during a test, from the counters that each job's starter wrote to its record.

A node is seen while a job has its first process there. Between two looks at a node its processors, interfaces and
memory did what the counters' difference says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from assay import versions

MOST_POINTS = 200  # of a node
LEAST_SPAN = 0.02  # s between two looks: clock ticks are 0.01 s


@dataclass(frozen=True, kw_only=True)
class NodeUse:
    """One node: from `begins[i]` to `ends[i]` (s from the first submission) the shares of its processors that were busy
    and of its memory that was used, and the bytes per second through its interfaces, both ways together.
    """

    node: str
    begins: list[float]
    ends: list[float]
    processor: list[float]
    memory: list[float]
    network: list[float]


Look = tuple[float, int, int, int, int, int]  # time, busy, all, used, memory, bytes


def looks_of(records: Iterable[Path]) -> dict[str, list[Look]]:
    """The counters in records, by node, in order of time; what cannot be read is passed over."""
    found: dict[str, list[Look]] = {}
    for path in records:
        try:
            lines = path.read_text(errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            if '"node"' not in line:
                continue
            try:
                about = versions.current(versions.JOB_RECORD, json.loads(line), versions.in_file(path))
                numbers = [int(about[key]) for key in ("busy", "all", "used", "memory")]
                traffic = int(about["received"]) + int(about["sent"])
                look = (float(about["time"]), numbers[0], numbers[1], numbers[2], numbers[3], traffic)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
            found.setdefault(str(about["host"]), []).append(look)
    return {node: sorted(looks) for node, looks in sorted(found.items())}


def use_of(node: str, looks: list[Look], begun: float, makespan: float) -> NodeUse:
    """What a node did between its looks; `begun`: the first submission, seconds since 1970.

    Looks that are closer than a part of the makespan are one.
    """
    least = max(LEAST_SPAN, makespan / MOST_POINTS)
    begins, ends, processor, memory, network = [], [], [], [], []
    first = looks[0]
    for look in looks[1:]:
        span = look[0] - first[0]
        if span < least and look is not looks[-1]:
            continue
        all_ticks = look[2] - first[2]
        if span < LEAST_SPAN or all_ticks <= 0:
            continue
        begins.append(round(first[0] - begun, 4))
        ends.append(round(look[0] - begun, 4))
        processor.append(round(min(1.0, max(0.0, (look[1] - first[1]) / all_ticks)), 4))
        memory.append(round(look[3] / look[4], 4) if look[4] else 0.0)
        network.append(round(max(0, look[5] - first[5]) / span, 1))
        first = look
    return NodeUse(node=node, begins=begins, ends=ends, processor=processor, memory=memory, network=network)


def nodes_used(records: Iterable[Path], begun: float, makespan: float) -> list[NodeUse]:
    """Every node that was looked at at least twice."""
    made = [use_of(node, looks, begun, makespan) for node, looks in looks_of(records).items()]
    return [each for each in made if each.begins]
