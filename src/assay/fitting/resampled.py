"""How uncertain the cells of a run are: launches resampled, and what their lines do not explain.

Bootstrap over launches, the replicates (docs/method.md, rule 1): a launch that is drawn is drawn for all cells of a
benchmark, so that what launches share stays correlated. Deviations are widened for few launches (Hesterberg 2015,
section 5.3). What a disturbance may have moved is drawn cell by cell. What a line does not explain at the lengths that
were fitted it does not explain between them either: a factor of the whole line is drawn for that.

Chosen by coverage (tests/test_fit_recovery.py): the resampled launches alone, which know nothing of a model's lack of
fit, covered the truth of an iPSC/860, whose long messages are no single line, in 82% of the cells at 90%; with the
factor of the line in 89%, on a constant machine and a Paragon in 98 and 92%.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from assay.fitting.measured_cells import MeasuredCells

Floats = NDArray[np.float64]
FLOOR = 0.003  # relative: no cell is known better (clock ticks, flits, how a simulated machine rounds)
DRAWS = 400
LEVEL = 0.9  # of the intervals
LEAST_VALUES = 4  # from which a model's lack of fit is judged
MANY = 8  # values of a line, of which one that is far off is taken as disturbed unseen
SHARED = 3  # values of all ranges that each range's lack of fit has in addition to its own
MOST_FACTOR = 4.0  # of the widening for few launches


def launch_deviation(cells: MeasuredCells) -> float:
    """Relative standard deviation of one launch's value within its run, pooled over cells with several; 0 without.

    Deviations are from the median, which a single launch that was far off does not move.
    """
    deviations, free, launches = [], 0, 0
    for run in cells.runs:
        if len(run) < 2:
            continue
        logs = np.log(np.where(run > 0, run, np.nan)[:, ~cells.bound])
        counts = (~np.isnan(logs)).sum(axis=0)
        several = logs[:, counts >= 2]
        if several.size:
            deviations.append(several - np.nanmedian(several, axis=0))
            free += int((counts[counts >= 2] - 1).sum())
            launches = max(launches, several.shape[0])
    if not deviations:
        return 0.0
    left = np.concatenate([each.ravel() for each in deviations])
    # Huber's weights: a launch that was far off in a few cells does not widen all of them.
    scale = 1.4826 * float(np.nanmedian(np.abs(left))) * np.sqrt(launches / (launches - 1))
    clipped = np.clip(left, -4 * scale, 4 * scale) if scale > 0 else left
    return float(np.sqrt(np.nansum(clipped**2) / free))


def run_deviation(cells: MeasuredCells) -> float:
    """Relative standard deviation of a run's medians from those of other runs, beyond what launches explain.

    0 with one run: it is not known then.
    """
    medians = _run_medians(cells)
    if medians is None:
        return 0.0
    variance = float(np.mean(np.var(medians, axis=0, ddof=1)))
    launches = float(np.median([len(run) for run in cells.runs]))
    return float(np.sqrt(max(variance - (1.2 * launch_deviation(cells)) ** 2 / launches, 0.0)))


def _run_medians(cells: MeasuredCells) -> Floats | None:
    """Logarithms of each run's medians, (runs, cells that all runs have); None with fewer than two runs or no cell."""
    runs = cells.runs
    if len(runs) < 2:
        return None
    common = np.all([(~np.isnan(run)).any(axis=0) for run in runs], axis=0) & ~cells.bound
    if not common.any():
        return None
    return np.asarray(np.log([np.nanmedian(run[:, common], axis=0) for run in runs]), float)


def sigma(cells: MeasuredCells) -> Floats:
    """Relative standard deviation of each cell's value, by its launches and its disturbance."""
    counts = np.maximum((~np.isnan(cells.by_launch)).sum(axis=0), 1) if len(cells.by_launch) else np.ones(len(cells))
    of_median = np.where(counts > 2, 1.2, 1.0) * launch_deviation(cells) / np.sqrt(counts)
    return np.asarray(np.sqrt(of_median**2 + cells.slack**2 + FLOOR**2))


def resampled(cells: MeasuredCells, seed: int, count: int = DRAWS) -> Floats:
    """`count` draws of all values, (count, cells), s; bounds stay."""
    random = np.random.default_rng(seed)
    drawn = np.ones((count, len(cells)))
    launches = len(cells.by_launch)
    if launches >= 2:
        middle = np.nanmedian(np.where(np.isnan(cells.by_launch), cells.value, cells.by_launch), axis=0)
        filled = np.where(np.isnan(cells.by_launch), middle, cells.by_launch) / middle
        picks = random.integers(launches, size=(count, launches))
        drawn = 1 + (np.median(filled[picks], axis=1) - 1) * widening(cells.launches)
        drawn *= np.exp(_of_runs(cells, random, count))[:, None]
    own = np.exp(random.standard_normal(drawn.shape) * np.sqrt(FLOOR**2 + cells.slack**2))
    together = 1 / (1 + cells.common * random.uniform(size=(count, 1)))  # of what may have moved all cells at once
    found = cells.value * np.maximum(drawn, 0.05) * own * together
    return np.where(cells.bound, cells.value, found)


def _of_runs(cells: MeasuredCells, random: np.random.Generator, count: int) -> Floats:
    """By how much the mean of the runs may be off, (count,), of logarithms: all lengths of a run are moved together."""
    runs = len(cells.runs)
    if runs < 2:
        return np.zeros(count)
    return np.asarray(run_deviation(cells) / np.sqrt(runs) * random.standard_t(runs - 1, count).clip(-6.3, 6.3))


def widening(launches: int) -> float:
    """By what deviations of resampled launches are multiplied, for so few launches."""
    from scipy.special import ndtri, stdtrit

    if launches < 2:
        return 1.0
    tail = 0.5 + LEVEL / 2
    factor = float(stdtrit(launches - 1, tail) / ndtri(tail)) * float(np.sqrt(launches / (launches - 1)))
    return min(factor, MOST_FACTOR)


def unexplained(cells: MeasuredCells, model: Floats) -> tuple[float, int]:
    """Relative variance of values from their `model` (cells,) that their noise does not explain, and its freedom.

    The noise of each cell by itself is what launches differ by beyond what each differs by in all cells. A value that
    is far off counts as one at three times the typical deviation, where there are MANY; of few values each may be the
    only one of another protocol. No less than FLOOR squared. A disturbed value does not count: what it is off by is
    the disturbance's. Of a line through fewer than LEAST_VALUES others nothing is known: a freedom of 0.
    """
    values = ~cells.bound & (cells.slack == 0)
    if values.sum() < LEAST_VALUES:
        return FLOOR**2, 0
    residual = np.abs(model / cells.value - 1)[values]
    if len(residual) >= MANY:
        residual = np.minimum(residual, 3 * 1.4826 * float(np.median(residual)) + FLOOR)
    free = int(values.sum()) - 2
    return max(float((residual**2).sum()) / free - _own_noise(cells.chosen(values)) ** 2, FLOOR**2), free


def lack_of_fit(found: Mapping[int, tuple[float, int]]) -> dict[int, tuple[float, float]]:
    """Relative deviation of each range's line for its lack of fit, and its degrees of freedom, by what is left there.

    A range with few values borrows from all ranges, as if SHARED more values of theirs were in it: what is not known of
    a few lengths is not nothing.
    """
    whole = sum(free for _, free in found.values())
    common = sum(variance * free for variance, free in found.values()) / whole if whole else FLOOR**2
    made = {}
    for at, (variance, free) in found.items():
        made[at] = (float(np.sqrt((free * variance + SHARED * common) / (free + SHARED))), float(free + SHARED))
    return made


def _own_noise(cells: MeasuredCells) -> float:
    """Relative standard deviation of a cell's value that it does not share with the others of its launches."""
    launches = len(cells.by_launch)
    if launches < 2:
        return 0.0
    logs = np.log(np.where(cells.by_launch > 0, cells.by_launch, np.nan))
    if np.isnan(logs).all():
        return 0.0
    logs = logs - np.nanmean(logs, axis=0)
    logs = logs - np.nanmean(logs, axis=1, keepdims=True)
    return 1.2 * float(np.sqrt(np.nanmean(logs**2) * launches / (launches - 1) / launches))
