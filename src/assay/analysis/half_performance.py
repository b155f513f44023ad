"""Hockney's pair: the rate of endless messages r_infinity (B/s) and the length n_half (B) that gets half of it.

From a line T = alpha + beta N: r_infinity = 1/beta, n_half = alpha/beta (Hockney and Jesshope, Parallel Computers 2,
section 1.3). From a measured rate curve, without a model: the greatest rate, and the first length, by interpolation
in log N, that reaches half of it. The two differ where the line does not hold; both are shown.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.analysis.alpha_beta import AlphaBeta, expanded_interval
from assay.analysis.result import AnalysisResult


@dataclass(frozen=True)
class HalfPerformance(AnalysisResult):
    """`r_infinity` (B/s) and `n_half` (B) with 95% intervals over launches.

    None, with `reason`, where the data give none.
    """

    basis: str
    r_infinity: float | None
    n_half: float | None
    r_infinity_ci95: tuple[float, float] | None = None
    n_half_ci95: tuple[float, float] | None = None
    reason: str | None = None


NOT_POSITIVE = "the fitted start-up is not positive"


def from_fit(line: AlphaBeta) -> HalfPerformance:
    """Derive the pair from a fitted line, its interval from the line's resampled launches."""
    basis = f"line ({line.estimator})"
    if line.beta <= 0:
        return HalfPerformance(basis, None, None, reason="the fitted time does not grow with length")
    rate, half = 1 / line.beta, line.alpha / line.beta
    rate_ci = half_ci = None
    if line.resampled is not None:
        alpha, beta = line.resampled.T
        if (beta > 0).all():
            rate_ci = expanded_interval(1 / beta, rate, line.launches)
            half_ci = expanded_interval(alpha / beta, half, line.launches)
    if line.alpha <= 0:
        return HalfPerformance(basis, rate, None, rate_ci, None, reason=NOT_POSITIVE)
    return HalfPerformance(basis, rate, half, rate_ci, half_ci)


def from_rates(sizes: ArrayLike, rates: ArrayLike) -> HalfPerformance:
    """Read the pair off a curve: `sizes` (B) and `rates` (B/s), both (n,).

    Between two lengths the time is taken to grow evenly, as of start-up and bytes: so lengths may be distant.
    """
    sizes, rates = np.asarray(sizes, float), np.asarray(rates, float)
    order = np.argsort(sizes)
    sizes, rates = sizes[order], rates[order]
    kept = sizes > 0
    sizes, rates = sizes[kept], rates[kept]
    if len(sizes) == 0:
        return HalfPerformance("curve", None, None, reason="no message has a length")
    peak = float(rates.max())
    first = int(np.argmax(rates >= peak / 2))
    if first == 0:
        return HalfPerformance(
            "curve", peak, None, reason=f"already the shortest message, {sizes[0]:g} B, passes half of it"
        )
    (short, long), (before, after) = sizes[first - 1 : first + 1], (sizes / rates)[first - 1 : first + 1]
    per_byte = (after - before) / (long - short)
    half = (before - per_byte * short) / (2 / peak - per_byte)
    return HalfPerformance("curve", peak, float(half))
