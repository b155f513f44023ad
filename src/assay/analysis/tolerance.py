"""A limit that a stated share of a population meets, with a stated confidence, whatever its distribution (Wilks 1941).

The r-th worst of n values is such a limit where at least r of n members lie among the population's worst with that
confidence: P(binomial(n, 1 - coverage) >= r) >= confidence.

Source: Wilks 1941, Determination of sample sizes for setting tolerance limits; Conover, Practical Nonparametric
Statistics, section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def values_needed(coverage: float, confidence: float) -> int:
    """Return the minimum number of values whose worst is a tolerance limit; ValueError for an invalid share."""
    if not (0 < coverage < 1 and 0 < confidence < 1):
        raise ValueError("coverage and confidence lie between 0 and 1")
    return math.ceil(math.log(1 - confidence) / math.log(coverage) - 1e-9)


def tolerance_limit(values: Sequence[float], coverage: float, confidence: float, *, higher: bool) -> float:
    """Return the strictest limit that, with `confidence`, a `coverage` of the population meets.

    `higher`: values are better where they are higher, and the limit is a least one. ValueError where `values` are fewer
    than `values_needed`.
    """
    from scipy import stats

    count = len(values)
    if count < values_needed(coverage, confidence):
        raise ValueError(f"{count} values: at least {values_needed(coverage, confidence)}")
    rank = 1
    while rank < count and stats.binom.sf(rank, count, 1 - coverage) >= confidence:
        rank += 1
    return sorted(values, reverse=not higher)[rank - 1]


def share_met(count: int, coverage: float, risk: float) -> float:
    """Return the share of `count` members that meets the limit, all but with probability `risk`.

    Where each meets it with probability `coverage`.
    """
    from scipy import stats

    return 1 - float(stats.binom.ppf(1 - risk, count, 1 - coverage)) / count
