"""Where a curve of times over lengths jumps: the discontinuities that the papers state, found in simulated times.

A jump is a step in time between neighbouring lengths beyond what the bytes between them cost by the median slope. Found
by bisection, since a described machine is exact: the last length (B) that is still on the lower side.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from assay.published.cells.answers import Answers

LEAST_JUMP = 3e-6  # s: above any rounding to network ticks, below any protocol change of these machines


def jumps(answers: Answers, machine: str, low: int, high: int, parts: int = 64) -> list[tuple[int, float]]:
    """Jumps between `low` and `high` bytes: (last length before it, its height in s), by length."""
    grid = sorted({int(n) for n in np.linspace(low, high, parts + 1)})
    times = _times(answers, machine, grid)
    if len(times) < 3:
        return []
    lengths = sorted(times)
    slope = float(np.median([(times[b] - times[a]) / (b - a) for a, b in pairwise(lengths)]))
    found = []
    for a, b in pairwise(lengths):
        if times[b] - times[a] - slope * (b - a) <= LEAST_JUMP:
            continue
        last = _narrowed(answers, machine, a, b, slope)
        pair = _times(answers, machine, [last, last + 1])
        height = pair[last + 1] - pair[last] - slope  # between neighbours: a steeper stretch is no jump
        if height > LEAST_JUMP:
            found.append((last, height))
    return found


def _narrowed(answers: Answers, machine: str, low: int, high: int, slope: float) -> int:
    while high - low > 1:
        middle = (low + high) // 2
        times = _times(answers, machine, [low, middle, high])
        left = times[middle] - times[low] - slope * (middle - low)
        right = times[high] - times[middle] - slope * (high - middle)
        low, high = (low, middle) if left > right else (middle, high)
    return low


def _times(answers: Answers, machine: str, lengths: list[int]) -> dict[int, float]:
    found = answers.ask(machine, "echo", "half_round_trip", bytes=tuple(lengths), hops=(1,))
    return {int(answer.params["bytes"]): answer.value for answer in found}


def break_near(answers: Answers, machine: str, params: Any, low: int = 8, high: int = 6300) -> float | None:
    """The length (B) of the greatest jump between `low` and `high`."""
    found = jumps(answers, machine, low, high)
    return float(max(found, key=lambda each: each[1])[0]) if found else None
