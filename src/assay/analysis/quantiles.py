"""Quantiles and their intervals from order statistics; tails only where the samples carry them (method.md, rule 6).

Of n independent readings the number below the true quantile q is binomial, so two order statistics bracket it at a
known level, whatever the distribution. A two-sided 95% interval of p99 needs 0.99^n <= 2.5%, that is n >= 368; and a
reading that covers a batch of operations has averaged the tail away: then there is no tail, only the reason why.

Source: Hoefler and Belli 2015, section 3.1.3; Conover, Practical Nonparametric Statistics, section 3.2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.analysis.intervals import LaunchEstimate, across_launches
from assay.analysis.result import AnalysisResult


@dataclass(frozen=True)
class Quantile(AnalysisResult):
    """The `q`-quantile of n readings, in their unit. `value` and `ci95` are None where there is a `reason`."""

    q: float
    value: float | None
    ci95: tuple[float, float] | None
    n: int
    reason: str | None = None


def least_readings(q: float, level: float = 0.95) -> int:
    """Give the least number of readings that bracket the `q`-quantile on both sides at `level`.

    6 for 0.5, 368 for 0.99.
    """
    return math.ceil(math.log((1 - level) / 2) / math.log(max(q, 1 - q)))


def quantile(values: ArrayLike, q: float, *, batch: int = 1, level: float = 0.95) -> Quantile:
    """Estimate the `q`-quantile of single operations from readings `values` (n,) that each cover `batch` operations.

    Readings of one block follow each other and may be correlated; the interval holds for readings that are independent.
    """
    if not 0 < q < 1:
        raise ValueError(f"a quantile lies between 0 and 1, not at {q}")
    ordered = np.sort(np.asarray(values, float).ravel())
    n, needed = len(ordered), least_readings(q, level)
    if batch != 1 and q != 0.5:
        return Quantile(
            q, None, None, n, f"a reading covers {batch} operations, which averages tails away; batch 1 shows them"
        )
    if n < needed:
        if q != 0.5 or n == 0:
            return Quantile(q, None, None, n, f"{n} readings; {needed} are needed for both sides of the interval")
        return Quantile(q, float(np.median(ordered)), None, n, f"{n} readings; {needed} are needed for an interval")
    from scipy import special  # most runs have no such tail

    tail = (1 - level) / 2
    low, high = _least_count(tail, n, q), _least_count(1 - tail, n, q)
    if special.bdtr(low, n, q) > tail:
        low -= 1
    # P(X_(low+1) > quantile) = P(B <= low) <= tail, and P(X_(high+1) <= quantile) = P(B >= high+1) <= tail
    interval = (float(ordered[low]), float(ordered[min(high, n - 1)]))
    value = float(np.quantile(ordered, q, method="inverted_cdf")) if q != 0.5 else float(np.median(ordered))
    return Quantile(q, value, interval, n)


def _least_count(chance: float, n: int, q: float) -> int:
    """Give the least k that a binomial count of n does not exceed with this chance (scipy.stats takes a second to
    import). A chance that a count meets to rounding, such as the half of an odd n at q = 0.5, is met.
    """
    from scipy import special

    met = chance * (1 - 1e-12)
    k = math.ceil(special.bdtrik(chance, n, q))
    return k - 1 if k > 0 and special.bdtr(k - 1, n, q) >= met else k


def tail_across_launches(
    values_by_launch: Sequence[ArrayLike],
    q: float = 0.99,
    *,
    batch: int = 1,
    level: float = 0.95,
    allocations: int = 1,
    days: int = 1,
) -> tuple[LaunchEstimate | None, str | None]:
    """Estimate a tail over launches from each launch's own quantile; the rest as `across_launches` takes it.

    None and the reason where a launch cannot carry it.
    """
    each = [quantile(values, q, batch=batch) for values in values_by_launch]
    for launch, result in enumerate(each):
        if result.value is None:
            return None, f"launch {launch}: {result.reason}"
    values = [result.value for result in each if result.value is not None]
    return across_launches(values, level=level, allocations=allocations, days=days), None
