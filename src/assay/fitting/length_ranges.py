"""Where the protocol changes: ranges of lengths, each with a line of its own, or with nothing but bounds.

All ranges of neighbouring lengths are fitted at once, and the best division into 1, 2, ... ranges is found by dynamic
programming (Bellman 1961). Their number is that of the least Bayesian information criterion (Schwarz 1978), the cells'
noise being known from launches, but no less than what the best division leaves.
A bound that a line passes rules it out. A range in which at most one value, and otherwise bounds, were measured is
`determined` by no line: it is taken where no line goes through it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.fitting.measured_cells import MeasuredCells
from assay.fitting.robust_planes import planes

Floats = NDArray[np.float64]
MOST_RANGES = 6
CAP = 9.0  # squared deviations of one cell, which may be disturbed: no more of it counts
PENALTY = 3.0  # numbers of a range: start-up, time per byte, where it begins
FREE = 2.0  # what a range without a line costs; a value in it costs CAP, as no line explains it
PASSED = 0.02  # relative: a bound is passed by more than that


@dataclass(frozen=True)
class LengthRange:
    """Cells `first` to `last` (their places); `determined`: by a line."""

    first: int
    last: int
    determined: bool


def ranges(cells: MeasuredCells, sigma: Floats) -> list[LengthRange]:
    """The division of cells at increasing lengths into ranges; `sigma`: relative standard deviation of each cell."""
    count = len(cells)
    first, last = np.triu_indices(count)
    places = np.arange(count)
    inside = (places >= first[:, None]) & (places <= last[:, None])
    values = inside & ~cells.bound
    lengths = np.array([len(np.unique(cells.length[row])) for row in values])
    design = np.column_stack([np.ones(count), cells.length])
    tight = np.where(cells.bound, PASSED / 2, sigma)
    model = planes(design, np.broadcast_to(cells.value, inside.shape), tight, cells.bound, inside) @ design.T
    deviation = (model / cells.value - 1) / tight
    passed = np.where(cells.bound, np.maximum(deviation, 0.0) ** 2, np.minimum(deviation**2, CAP))
    cost = np.where(inside, passed, 0.0).sum(axis=1)
    line = lengths >= 2
    open_ = ~line & (inside & cells.bound).any(axis=1)
    cost = np.where(line, cost, np.where(open_, FREE + CAP * values.sum(axis=1), np.inf))
    table = np.full((count, count), np.inf)
    table[first, last] = cost
    if not np.isfinite(table[0, count - 1]):
        return []
    determined = np.zeros((count, count), bool)
    determined[first, last] = line
    divisions = [_division(table, number) for number in range(1, min(MOST_RANGES, count) + 1)]
    free = max(1, count - 3 * len(divisions))
    excess = max(1.0, min(left for _, left in divisions) / free)  # no line may fit what is measured to the noise
    judged = [left / excess + PENALTY * math.log(count) * len(found) for found, left in divisions]
    found = divisions[int(np.argmin(judged))][0]
    return [LengthRange(a, b, bool(determined[a, b])) for a, b in found]


def _division(cost: Floats, number: int) -> tuple[list[tuple[int, int]], float]:
    """The cheapest division into so many ranges: (first, last) of each, and its cost."""
    count = len(cost)
    best = np.full((number, count), np.inf)
    before = np.zeros((number, count), int)
    best[0] = cost[0]
    for step in range(1, number):
        for end in range(step, count):
            tried = best[step - 1, :end] + cost[1 : end + 1, end]
            before[step, end] = int(np.argmin(tried))
            best[step, end] = tried[before[step, end]]
    found, end = [], count - 1
    for step in range(number - 1, -1, -1):
        begin = before[step, end] + 1 if step else 0
        found.append((int(begin), end))
        end = begin - 1
    return found[::-1], float(best[number - 1, count - 1])
