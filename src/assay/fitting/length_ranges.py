"""Where the protocol changes: ranges of lengths, each with a line of its own, or with nothing but bounds.

All ranges of neighbouring lengths are fitted at once, and the best division into 1, 2, ... ranges is found by dynamic
programming (Bellman 1961). Their number is that of the least Bayesian information criterion (Schwarz 1978), the cells'
noise being known from launches, but no less than what the best division leaves. A bound that a line passes rules it
out. A range in which at most one length has values, and others bounds, is `determined` by no line: it is taken where no
line goes through it.

With few lengths in a range several divisions are as good. A prior decides then: a byte takes about as long as it takes
in the longest messages, within a factor of a few, as far as bytes matter in the range at all.
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
CAP = 30.0  # squared deviations of one cell, which a disturbance may have moved unseen: no more of it counts
PENALTY = 3.0  # numbers of a range: start-up, time per byte, where it begins
FREE = 2.0  # what a range without a line costs; a length with values in it costs CAP, as no line explains it
PASSED = 0.02  # relative: a bound is passed by more than that
USUAL = math.log(2.0)  # standard deviation of the logarithm of a byte's time against that of the longest messages
LIKELY = 2.7  # a place of a limit is possible whose squared deviations are no more than that above the best one's (90%)


@dataclass(frozen=True)
class LengthRange:
    """From length `first` to length `last` (B) of those measured; `determined`: by a line.

    `ends`: lengths that may as well be the last one of this range, this one among them.
    """

    first: float
    last: float
    determined: bool
    ends: tuple[float, ...] = ()


def ranges(cells: MeasuredCells, sigma: Floats) -> list[LengthRange]:
    """The division of cells into ranges of lengths; `sigma`: relative standard deviation of each cell."""
    lengths, place = np.unique(cells.length, return_inverse=True)
    count = len(lengths)
    first, last = np.triu_indices(count)
    inside = (place >= first[:, None]) & (place <= last[:, None])
    columns = [np.ones(len(cells)), cells.length]
    if len(np.unique(cells.hops)) > 1:
        columns.append(cells.hops)
    design = np.column_stack(columns)
    tight = np.where(cells.bound, PASSED / 2, sigma)
    found = planes(design, np.broadcast_to(cells.value, inside.shape), tight, cells.bound, inside)
    deviation = (found @ design.T / cells.value - 1) / tight
    passed = np.where(cells.bound, np.maximum(deviation, 0.0) ** 2, np.minimum(deviation**2, CAP))
    cost = np.where(inside, passed, 0.0).sum(axis=1)
    with_values = np.zeros(count, bool)
    with_values[place[~cells.bound]] = True
    valued = np.cumsum(with_values)[last] - np.cumsum(with_values)[first] + with_values[first]
    line = valued >= 2
    residual = np.zeros((count, count))
    residual[first, last] = cost
    cost = cost + np.where(line, _unusual(lengths, first, last, found), 0.0)
    open_ = ~line & (inside & cells.bound).any(axis=1)
    cost = np.where(line, cost, np.where(open_, FREE + CAP * valued, np.inf))
    table = np.full((count, count), np.inf)
    table[first, last] = cost
    if not np.isfinite(table[0, count - 1]):
        return []
    determined = np.zeros((count, count), bool)
    determined[first, last] = line
    divisions = [_division(table, number) for number in range(1, min(MOST_RANGES, count) + 1)]
    excess = max(1.0, min(sum(residual[a, b] for a, b in of) for of, _ in divisions) / len(cells))
    judged = [left / excess + PENALTY * math.log(len(cells)) * len(of) for of, left in divisions]
    best = divisions[int(np.argmin(judged))][0]
    return [
        LengthRange(float(lengths[a]), float(lengths[b]), bool(determined[a, b]),
                    tuple(float(lengths[end]) for end in _ends(table / excess, best, at)))
        for at, (a, b) in enumerate(best)
    ]  # fmt: skip


def _unusual(lengths: Floats, first: NDArray[np.int64], last: NDArray[np.int64], found: Floats) -> Floats:
    """What the prior of a range's time per byte adds to its cost, by how much of its time its bytes take."""
    whole = found[(first == 0) & (last == len(lengths) - 1)][0]
    long = found[(last == len(lengths) - 1) & (first >= max(0, len(lengths) - 4))]
    usual = float(np.median(long[:, 1][long[:, 1] > 0])) if (long[:, 1] > 0).any() else float(whole[1])
    if usual <= 0:
        return np.zeros(len(found))
    spent = found[:, 1] * lengths[last]
    share = spent / np.maximum(spent + found[:, 0], 1e-300)
    ratio = np.log(np.maximum(found[:, 1], usual * 1e-3) / usual) / USUAL
    return np.asarray(np.minimum(ratio**2, CAP) * share)


def _ends(cost: Floats, best: list[tuple[int, int]], at: int) -> list[int]:
    """The places at which range `at` may end as well, all others as they are (profile likelihood)."""
    if at == len(best) - 1:
        return [best[at][1]]
    begin, end = best[at][0], best[at + 1][1]
    total = cost[begin, begin:end] + cost[begin + 1 : end + 1, end]
    return [begin + int(place) for place in np.flatnonzero(total <= total.min() + LIKELY)]


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
