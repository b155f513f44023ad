"""How far runs of the same differ, learnt from earlier runs, and by which estimator they differ least (rule 16).

An estimator makes one number of a run: the median of its launches, or the end of their best quarter, moved less by what
slows some launches down. Which one decides is fixed by earlier runs, which the compared ones are no part of: the best
quarter, unless the logarithms of medians differ by less than half as much from run to run. The lesser of two deviations
of five runs would be too small too often. Their deviation is that of successive runs (von Neumann), so that a
change of level long ago counts once. A ratio of two runs then has the error sqrt(2) times that, by Student's t.

With fewer than LEAST_RUNS earlier runs the deviations of all figures are pooled. That all figures spread equally is an
assumption, and called one; a figure whose own deviation is greater keeps that, and none counts as better known than by
LEAST_RUNS runs of its own.

Source: von Neumann 1941 (mean square successive difference); Student 1908.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.analysis.comparison import Comparison, verdict_of

Floats = NDArray[np.float64]
Key = TypeVar("Key", bound=Hashable)
LEAST_RUNS = 5  # earlier ones, from which a figure has a spread of its own
LEAST_POOLED = 2  # earlier ones, from which there is a spread that is pooled over figures
MEDIAN, FAST = "median", "fast quarter"
STEADIER = 0.5  # of the fast quarter's deviation: with less than that, medians decide


@dataclass(frozen=True)
class RunSpread:
    """`deviation`: of ln(estimate) of one run, from so many earlier `runs`; `pooled`: over so many figures, or 0."""

    estimator: str
    deviation: float
    runs: int
    pooled: int = 0

    @property
    def freedom(self) -> float:
        """Degrees of freedom: successive differences have two thirds of those of independent values."""
        differences = (self.runs - 1) * max(self.pooled, 1)
        return 2 * (min(differences, LEAST_RUNS - 1) if self.pooled else differences) / 3

    @property
    def text(self) -> str:
        """What it is from, in words."""
        if not self.pooled:
            return f"with the spread between runs ({self.deviation:.1%}, of {self.runs} earlier runs)"
        of = f"{self.pooled} figure{'s' * (self.pooled > 1)} of {self.runs} earlier runs"
        return f"assuming that all figures spread equally between runs ({self.deviation:.1%}, {of})"


def estimate(values: Sequence[float], estimator: str, better: str) -> float:
    """One run's number: the median of its launches, or the quarter's end that is the better one."""
    if estimator == MEDIAN:
        return float(np.median(values))
    return float(np.quantile(values, 0.75 if better == "higher" else 0.25))


def learn(earlier: Sequence[Sequence[float]], better: str) -> RunSpread | None:
    """From each earlier run's launch values, the oldest first, which are positive; None of too few runs."""
    if len(earlier) < LEAST_RUNS:
        return None
    median, fast = (
        RunSpread(
            estimator, successive_deviation([estimate(each, estimator, better) for each in earlier]), len(earlier)
        )
        for estimator in (MEDIAN, FAST)
    )
    return median if median.deviation < STEADIER * fast.deviation else fast


def pool(earlier: Mapping[Key, Sequence[Sequence[float]]]) -> dict[Key, RunSpread]:
    """Each figure's spread where earlier runs are few, from all figures; by figure as `learn` takes it.

    Figures with fewer than LEAST_POOLED earlier runs have none, and are not counted.
    """
    medians = {
        key: [estimate(each, MEDIAN, "lower") for each in of] for key, of in earlier.items() if len(of) >= LEAST_POOLED
    }
    if not medians:
        return {}
    squares = np.concatenate([np.diff(np.log(values)) ** 2 for values in medians.values()])
    common, runs = math.sqrt(float(np.mean(squares)) / 2), max(map(len, medians.values()))
    return {
        key: RunSpread(MEDIAN, max(common, successive_deviation(values)), runs, len(medians))
        for key, values in medians.items()
    }


def successive_deviation(values: Sequence[float]) -> float:
    """The standard deviation of the logarithm of positive values in their order, by successive differences."""
    logs = np.log(values)
    return math.sqrt(float(np.mean(np.diff(logs) ** 2)) / 2)


def compare_runs(a: Sequence[float], b: Sequence[float], better: str, margin: float, spread: RunSpread) -> Comparison:
    """Compare two runs' launch values, positive, by the estimator and the spread that earlier runs gave."""
    from scipy import stats  # late: it takes half a second

    one, other = (estimate(values, spread.estimator, better) for values in (a, b))
    shift, error, edge = math.log(other / one), math.sqrt(2) * spread.deviation, math.log1p(margin)
    tail: Callable[[float], float] = lambda away: float(  # noqa: E731
        stats.t.sf(away / error, spread.freedom) if error else away <= 0
    )
    half = float(stats.t.isf(0.025, spread.freedom)) * error
    p_equal = max(tail(edge - shift), tail(edge + shift))
    interval = (shift - half, shift + half)
    verdict, reason = verdict_of(shift, interval, p_equal, margin, min(len(a), len(b)))
    known = f"by the {spread.estimator} of launches, {spread.text}"
    return Comparison(
        verdict=verdict,
        ratio=math.exp(shift),
        ci95=(math.exp(interval[0]), math.exp(interval[1])),
        margin=margin,
        p_differs=min(1.0, 2 * tail(abs(shift))),
        p_equal=p_equal,
        pairs=min(len(a), len(b)),
        paired=False,
        statistic=spread.estimator,
        spread=None,
        claim=False,
        reason=f"{reason}; {known}",
    )
