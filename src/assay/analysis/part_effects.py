"""By how much the messages over each part of a machine take longer than comparable ones, launch by launch.

A part (a link, a node, a pair: a candidate of slow_pairs.py) has in each pass the median of its readings less the
median of the other readings of their classes, as logarithms; a launch has the median of its passes. These are values
of launches as those of any figure, on which a contract is judged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.analysis.slow_pairs import CandidateKind

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
SMALL = 0.1  # of a class: fewer readings of a part move the median of the class too little to be taken out


def effects_by_launch(
    log_times: Floats,
    classes: Integers,
    launch_of: Sequence[int],
    kind: CandidateKind,
    usable: NDArray[np.bool_],
) -> Floats:
    """Effects (launches, candidates) in log_times (passes, readings) with their classes, by `usable` readings alone.

    `usable` (readings,) or (passes, readings). NaN where a part has no usable reading with a comparable one.
    """
    every = np.broadcast_to(usable, log_times.shape)
    passes = np.stack([_of_pass(*each, kind) for each in zip(log_times, classes, every, strict=True)])
    launches = np.asarray(launch_of)
    return np.stack([_median(passes[launches == launch]) for launch in np.unique(launches)])


def readings_left(kind: CandidateKind, usable: NDArray[np.bool_]) -> Floats:
    """The share of each candidate's readings that is usable (candidates,); NaN for one without readings."""
    whole, left = (np.bincount(of[of >= 0], minlength=kind.count) for of in (kind.of, kind.of[:, usable]))
    return np.where(whole > 0, left / np.maximum(whole, 1), np.nan)


def _median(values: Floats) -> Floats:
    """Of each column, without its NaN; NaN where there is nothing else."""
    found = np.full(values.shape[1], np.nan)
    known = ~np.isnan(values).all(axis=0)
    found[known] = np.nanmedian(values[:, known], axis=0)
    return found


def _of_pass(times: Floats, classes: Integers, usable: NDArray[np.bool_], kind: CandidateKind) -> Floats:
    numbers = np.unique(classes, return_inverse=True)[1]
    size = int(numbers.max()) + 1
    whole = np.bincount(numbers[usable], minlength=size)
    residuals = np.full(len(times), np.nan)
    for each in range(size):
        here = usable & (numbers == each)
        if whole[each] > 1:
            residuals[here] = times[here] - np.median(times[here])
    slots, readings = np.nonzero(kind.of >= 0)
    candidates = kind.of[slots, readings]
    kept = usable[readings]
    candidates, readings = candidates[kept], readings[kept]
    inside = np.zeros((kind.count, size), np.int64)
    np.add.at(inside, (candidates, numbers[readings]), 1)
    found = _medians(candidates, residuals[readings], kind.count)
    for candidate in np.flatnonzero((inside > SMALL * whole).any(axis=1)):
        found[candidate] = _beside_others(times, numbers, usable, readings[candidates == candidate])
    return found


def _medians(groups: Integers, values: Floats, count: int) -> Floats:
    """The median of the values of each group that are no NaN; NaN of a group without any."""
    known = ~np.isnan(values)
    order = np.lexsort((values[known], groups[known]))
    values = values[known][order]
    members = np.bincount(groups[known], minlength=count)
    first = np.concatenate(([0], np.cumsum(members)[:-1]))
    found = np.full(count, np.nan)
    some = members > 0
    low, high = first + (members - 1) // 2, first + members // 2
    found[some] = (values[low[some]] + values[high[some]]) / 2
    return found


def _beside_others(times: Floats, numbers: Integers, usable: NDArray[np.bool_], own: Integers) -> float:
    """The median of a part's readings, each from the median of the others of its class; NaN without others."""
    mine = np.zeros(len(times), bool)
    mine[own] = True
    found = [
        times[mine & (numbers == each)] - np.median(times[usable & ~mine & (numbers == each)])
        for each in np.unique(numbers[own])
        if (usable & ~mine & (numbers == each)).any()
    ]
    return float(np.median(np.concatenate(found))) if found else float("nan")
