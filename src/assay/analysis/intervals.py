"""A number with its interval, launches being the replicates (method.md, rules 1 and 2).

The value is the median of the launches' own medians. Its 95% interval joins two order statistics of the launches:
with n launches the ranks k and n+1-k bracket the median of all launches with probability 1 - 2 P(Bin(n, 1/2) < k),
whatever the distribution. The percentile bootstrap of launches, measured for comparison
(tests/test_analysis_intervals.py), covers 92 to 94% with six to ten launches and is not used. Fewer than six
launches cannot bracket at 95%: then only their range is given.

Source: Hoefler and Belli 2015 (rules 5 to 8); Conover, Practical Nonparametric Statistics, section 3.2.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analysis.median import median
from assay.analysis.result import AnalysisResult

LEAST_LAUNCHES = 6  # 2 * 0.5**6 = 3.1%: the least number whose extremes bracket the median at 95%
CLAIM_LAUNCHES = 30  # method.md, rule 1: what a claim rests on

STATISTICS: dict[str, Callable[[NDArray[np.float64]], float]] = {
    "median": median,
    "mean": lambda values: float(np.mean(values)),
    "min": lambda values: float(np.min(values)),
}


@dataclass(frozen=True)
class LaunchEstimate(AnalysisResult):
    """One figure: `value`, `ci95` and `range` in the unit of the samples.

    `range` is the least and the greatest launch; `ci95` is None with fewer launches than its level needs; `level` is
    the confidence at which `ci95` was drawn (above 0.95 where a stopping rule spends it over several looks).
    """

    value: float
    ci95: tuple[float, float] | None
    range: tuple[float, float]
    launches: int
    scope: str
    statistic: str = "median"
    level: float = 0.95


@functools.cache
def median_rank(launches: int, level: float = 0.95) -> int | None:
    """The greatest k such that the k-th least and k-th greatest of `launches` values bracket the median at `level`.

    None where even the extremes (k = 1) do not: too few launches for an interval at that level.
    """
    tail, k = 0, 0  # of 2 ** launches outcomes, those with fewer than k launches below the median
    while k <= launches // 2 and 2 * (tail + math.comb(launches, k)) <= (1 - level + 1e-12) * 2**launches:
        tail += math.comb(launches, k)
        k += 1
    return k or None


def median_interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float] | None:
    """Bracket the median of the population that `values` (n,) came from, by order statistics; None with too few."""
    ordered = np.sort(np.asarray(values, float))
    k = median_rank(len(ordered), level) if len(ordered) else None
    return None if k is None else (float(ordered[k - 1]), float(ordered[-k]))


def across_launches(
    values_by_launch: Sequence[ArrayLike] | NDArray[np.float64],
    *,
    statistic: str = "median",
    level: float = 0.95,
    allocations: int = 1,
    days: int = 1,
) -> LaunchEstimate:
    """Estimate one figure from its samples, one array (or one number) per launch.

    `statistic` names what each launch is reduced to (median, mean, min); the value is the median over launches of
    that. Raises ValueError where there is no launch, an empty launch or a value that is not finite.
    """
    reduce = STATISTICS[statistic]
    arrays = [np.atleast_1d(np.asarray(values, float)).ravel() for values in values_by_launch]
    if not arrays or any(len(values) == 0 for values in arrays):
        raise ValueError("an estimate needs at least one launch, and a sample in each")
    if not all(np.isfinite(values).all() for values in arrays):
        raise ValueError("an estimate needs finite samples")
    launches = np.array([reduce(values) for values in arrays])
    n = len(launches)
    interval = median_interval(launches, level)
    return LaunchEstimate(
        value=median(launches),
        ci95=interval,
        range=(float(launches.min()), float(launches.max())),
        launches=n,
        scope=scope(n, interval is not None, allocations, days),
        statistic=statistic,
        level=level,
    )


def scope(launches: int, interval: bool, allocations: int = 1, days: int = 1) -> str:
    """One sentence: what was sampled and which levels were not."""
    counted = f"{launches} launch{'es' if launches != 1 else ''}"
    unsampled = ["another allocation"] * (allocations == 1) + ["another day"] * (days == 1)
    where = ("in one allocation" if allocations == 1 else f"in {allocations} allocations") + (
        " on one day" if days == 1 else f" on {days} days"
    )
    sentence = f"{counted} {where}"
    if not interval:
        sentence += "; too few for an interval, so only their range is given"
    if unsampled:
        sentence += f"; {' and '.join(unsampled)} {'was' if len(unsampled) == 1 else 'were'} not sampled"
    return sentence
