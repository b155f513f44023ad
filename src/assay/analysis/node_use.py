"""What a node did between looks at its counters: processors, memory, network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_POINTS = 200  # of a node
LEAST_SPAN = 0.02  # s between two looks: clock ticks are 0.01 s

Look = tuple[float, int, int, int, int, int]  # time (s), busy and all ticks, bytes used and in all, bytes moved


@dataclass(frozen=True, kw_only=True)
class NodeUse:
    """One node: from `begins[i]` to `ends[i]` (s from the beginning) the shares of its processors that were busy and of
    its memory that was used, and the bytes per second through its interfaces, both ways together.
    """

    node: str
    begins: list[float]
    ends: list[float]
    processor: list[float]
    memory: list[float]
    network: list[float]


def use_of(node: str, looks: Sequence[Look], begun: float, makespan: float) -> NodeUse:
    """What a node did between its looks, which are in order of time; `begun`: the beginning, seconds since 1970.

    Looks that are closer than a part of the makespan (s) are one. A counter that falls (the node was started again)
    counts as unchanged.
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
