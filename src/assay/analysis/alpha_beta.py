"""Start-up time and time per byte: T(N) = alpha + beta N, fitted by one of two named estimators.

`ordinary`: least squares of the times themselves over chosen sizes, as the papers did (Dunigan 1991, section 4.1,
Table 6), so that their coefficients can be compared. Long messages rule it. `relative`: Huber's M-estimate of the
*relative* residuals (T - fit)/T, by iteratively reweighted least squares; sizes have equal weights and a deviant one is
damped. `piecewise` fits each stretch between protocol breakpoints by itself.

Launches are the replicates: times come as (launches, sizes), each size is reduced to its median over launches, and
intervals come from refitting resampled launches, their percentiles expanded for the few launches (Hesterberg 2015,
section 5.3). Lack of fit: a line is fitted to each launch separately; the mean of its residuals over launches is the
model's error at that size, their scatter around that mean is noise, and F is the ratio of both variances. Hold-out:
the line is fitted to every other size and judged on the remaining ones, then with the two halves exchanged.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analysis.intervals import LEAST_LAUNCHES, scope
from assay.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
HUBER = 1.345  # in robust standard deviations: 95% efficiency on normal residuals
FLOOR = 1e-4  # relative residuals below this are not distinguished (clock ticks, rounding)


@dataclass(frozen=True)
class LackOfFit(AnalysisResult):
    """Test of the line: F with its degrees of freedom, p, and the greatest mean residual of a size (relative)."""

    f: float
    p: float
    degrees: tuple[int, int]
    worst: float


@dataclass(frozen=True)
class AlphaBeta(AnalysisResult):
    """A fitted line: `alpha` (s), `beta` (s/B), their 95% intervals over launches (None with fewer than six).

    `alpha_range` and `beta_range` are the least and greatest of the lines fitted to each launch by itself.

    `residuals` are (T - fit)/T at `sizes` (B); `holdout` is the median and worst relative error at sizes that were
    not fitted (None with fewer than four sizes); `resampled` (draws, 2) keeps the refitted alpha and beta for laws
    that derive from them.
    """

    estimator: str
    alpha: float
    beta: float
    alpha_ci95: tuple[float, float] | None
    beta_ci95: tuple[float, float] | None
    alpha_range: tuple[float, float]
    beta_range: tuple[float, float]
    sizes: tuple[float, ...]
    residuals: tuple[float, ...]
    holdout: tuple[float, float] | None
    lack_of_fit: LackOfFit | None
    launches: int
    scope: str
    resampled: Floats | None = field(default=None, repr=False, compare=False)

    def predict(self, sizes: ArrayLike) -> Floats:
        """Give the time (s) of messages of `sizes` (B)."""
        return np.asarray(self.alpha + self.beta * np.asarray(sizes, float), dtype=float)


@dataclass(frozen=True)
class Segment(AnalysisResult):
    """One stretch of a piecewise fit: it holds for `least` <= N <= `greatest` (B)."""

    least: float
    greatest: float
    line: AlphaBeta


def _weighted_line(sizes: Floats, times: Floats, weights: Floats) -> Floats:
    """Weighted least squares of rows of `times` (..., sizes): alpha and beta, (..., 2)."""
    total = weights.sum(-1)
    centre = (weights * sizes).sum(-1) / total
    height = (weights * times).sum(-1) / total
    spread = sizes - centre[..., None]
    beta = (weights * spread * (times - height[..., None])).sum(-1) / (weights * spread**2).sum(-1)
    return np.stack([height - beta * centre, beta], axis=-1)


def ordinary_line(sizes: ArrayLike, times: ArrayLike) -> Floats:
    """Least squares of `times` (..., sizes) on `sizes` (sizes,): alpha and beta along the last axis."""
    times = np.asarray(times, float)
    return _weighted_line(np.asarray(sizes, float), times, np.ones_like(times))


def relative_line(sizes: ArrayLike, times: ArrayLike, rounds: int = 20) -> Floats:
    """Huber's M-estimate of relative residuals of `times` (..., sizes): alpha and beta along the last axis."""
    sizes, times = np.asarray(sizes, float), np.asarray(times, float)
    base = 1 / times**2
    line = _weighted_line(sizes, times, base)
    for _ in range(rounds):
        residual = np.abs(times - line[..., :1] - line[..., 1:] * sizes) / times
        scale = np.maximum(1.4826 * np.median(residual, axis=-1, keepdims=True), FLOOR)
        weights = base * np.minimum(1.0, HUBER * scale / np.maximum(residual, 1e-300))
        fresh = _weighted_line(sizes, times, weights)
        settled = np.allclose(fresh, line, rtol=1e-9, atol=0)
        line = fresh
        if settled:
            break
    return line


ESTIMATORS: dict[str, Callable[[ArrayLike, ArrayLike], Floats]] = {
    "ordinary": ordinary_line,
    "relative": relative_line,
}


def fit(
    sizes: ArrayLike,
    times_by_launch: ArrayLike,
    estimator: str = "relative",
    *,
    over: tuple[float, float] = (0, np.inf),
    draws: int = 1000,
    seed: int = 0,
) -> AlphaBeta:
    """Fit T = alpha + beta N to `times_by_launch` (launches, sizes) or (sizes,) in s, at `sizes` (B) within `over`.

    Raises ValueError with fewer than two different sizes in `over`, or a time that is not positive and finite.
    """
    sizes = np.asarray(sizes, float)
    times = np.atleast_2d(np.asarray(times_by_launch, float))
    if sizes.ndim != 1 or times.shape[1:] != sizes.shape:
        raise ValueError(f"times of shape {times.shape} do not match {sizes.shape} sizes")
    chosen = (sizes >= over[0]) & (sizes <= over[1])
    order = np.argsort(sizes[chosen], kind="stable")
    sizes, times = sizes[chosen][order], times[:, chosen][:, order]
    if len(np.unique(sizes)) < 2:
        raise ValueError("a line needs at least two different sizes")
    if not np.isfinite(times).all() or (times <= 0).any():
        raise ValueError("a line is fitted to times that are positive and finite")
    line_of = ESTIMATORS[estimator]
    middle = np.median(times, axis=0)
    alpha, beta = (float(entry) for entry in line_of(sizes, middle))
    launches = len(times)
    alone = line_of(sizes, times)
    resampled = _resample(line_of, sizes, times, draws, seed) if launches >= LEAST_LAUNCHES else None
    return AlphaBeta(
        estimator=estimator,
        alpha=alpha,
        beta=beta,
        alpha_ci95=None if resampled is None else expanded_interval(resampled[:, 0], alpha, launches),
        beta_ci95=None if resampled is None else expanded_interval(resampled[:, 1], beta, launches),
        alpha_range=(float(alone[:, 0].min()), float(alone[:, 0].max())),
        beta_range=(float(alone[:, 1].min()), float(alone[:, 1].max())),
        sizes=tuple(sizes.tolist()),
        residuals=tuple(((middle - alpha - beta * sizes) / middle).tolist()),
        holdout=_holdout(line_of, sizes, middle),
        lack_of_fit=_lack_of_fit(sizes, times),
        launches=launches,
        scope=scope(launches, resampled is not None),
        resampled=resampled,
    )


def piecewise(
    sizes: ArrayLike,
    times_by_launch: ArrayLike,
    breakpoints: Sequence[float],
    estimator: str = "relative",
    *,
    draws: int = 1000,
    seed: int = 0,
) -> tuple[Segment, ...]:
    """Fit each stretch between `breakpoints` (B) by itself.

    A size equal to a breakpoint belongs to the stretch below it; stretches with fewer than two sizes are skipped.
    """
    sizes = np.asarray(sizes, float)
    edges = [-np.inf, *sorted(breakpoints), np.inf]
    segments = []
    for least, greatest in itertools.pairwise(edges):
        inside = (sizes > least) & (sizes <= greatest)
        if len(np.unique(sizes[inside])) < 2:
            continue
        bounds = (float(sizes[inside].min()), float(sizes[inside].max()))
        segments.append(Segment(*bounds, fit(sizes, times_by_launch, estimator, over=bounds, draws=draws, seed=seed)))
    return tuple(segments)


def expanded_interval(resampled: Floats, value: float, launches: int) -> tuple[float, float]:
    """95% percentile interval of `resampled` (draws,), expanded for few launches; it always holds `value`."""
    from scipy import special  # late: a command of a described machine fits nothing

    tail = special.ndtr(-np.sqrt(launches / (launches - 1)) * special.stdtrit(launches - 1, 0.975))
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return (min(float(low), value), max(float(high), value))


def _resample(
    line_of: Callable[[ArrayLike, ArrayLike], Floats], sizes: Floats, times: Floats, draws: int, seed: int
) -> Floats:
    picks = np.random.default_rng(seed).integers(len(times), size=(draws, len(times)))
    return line_of(sizes, np.median(times[picks], axis=1))


def _holdout(
    line_of: Callable[[ArrayLike, ArrayLike], Floats], sizes: Floats, times: Floats
) -> tuple[float, float] | None:
    distinct = np.unique(sizes)
    if len(distinct) < 4:
        return None
    odd = np.isin(sizes, distinct[1::2])
    errors = []
    for fitted in (odd, ~odd):
        alpha, beta = line_of(sizes[fitted], times[fitted])
        errors.append(np.abs(alpha + beta * sizes[~fitted] - times[~fitted]) / times[~fitted])
    error = np.concatenate(errors)
    return float(np.median(error)), float(error.max())


def _lack_of_fit(sizes: Floats, times: Floats) -> LackOfFit | None:
    from scipy import special  # late, as above

    launches, free = len(times), len(sizes) - 2
    if launches < 2 or free < 1:
        return None
    middle = np.median(times, axis=0)
    weights = np.broadcast_to(1 / middle**2, times.shape)
    line = _weighted_line(sizes, times, weights)
    residual = (times - line[:, :1] - line[:, 1:] * sizes) / middle
    shared = residual.mean(axis=0)
    noise = float(((residual - shared) ** 2).sum()) / ((launches - 1) * free)
    model = float(launches * (shared**2).sum()) / free
    degrees = (free, (launches - 1) * free)
    f = model / noise if noise > 0 else (np.inf if model > 0 else 0.0)
    return LackOfFit(f=f, p=float(special.fdtrc(*degrees, f)), degrees=degrees, worst=float(np.abs(shared).max()))
