"""Start-up, time per byte and delay per hop: T(N, h) = alpha + beta N + gamma h, fitted in two ways that are named.

`ordinary`: least squares of the times themselves over the papers' lengths and hops, as they did (Dunigan 1991, DELTA,
section 3.1, Table 3.1); long messages rule it. `relative`: Huber's M-estimate of the relative residuals, as in
`alpha_beta`. Where a protocol crosses the path several times for long messages its hop costs as many times more:
`by_length` fits the stretches on both sides of a break by themselves, each with its gamma (Dunigan 1991, section 4.1:
about eleven microseconds per hop up to 100 bytes on the iPSC/860, about 33 beyond).

Launches are the replicates: cells are reduced to medians over launches, intervals come from refitting resampled
launches. Hold-out: fitted without the cells of each number of hops in turn, judged on these.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analysis.alpha_beta import FLOOR, HUBER, expanded_interval
from assay.analysis.intervals import LEAST_LAUNCHES, scope
from assay.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
Interval = tuple[float, float]


@dataclass(frozen=True)
class PerHop(AnalysisResult):
    """A fitted plane: `alpha` (s), `beta` (s/B), `gamma` (s/hop), their 95% intervals over launches (None below six).

    `alpha_range` and so on: the least and greatest of the planes fitted to each launch by itself. `over`: the shortest
    and the longest message (B) fitted, `hops` the numbers of hops. `worst` and `median` of |T - fit|/T; `holdout` the
    same two at numbers of hops that were not fitted (None with fewer than three).
    """

    estimator: str
    alpha: float
    beta: float
    gamma: float
    alpha_ci95: Interval | None
    beta_ci95: Interval | None
    gamma_ci95: Interval | None
    alpha_range: Interval
    beta_range: Interval
    gamma_range: Interval
    over: Interval
    hops: tuple[float, ...]
    median: float
    worst: float
    holdout: Interval | None
    cells: int
    launches: int
    scope: str

    def predict(self, sizes: ArrayLike, hops: ArrayLike) -> Floats:
        """Give the time (s) of messages of `sizes` (B) over `hops`."""
        return np.asarray(self.alpha + self.beta * np.asarray(sizes, float) + self.gamma * np.asarray(hops, float))


def ordinary_plane(design: Floats, times: Floats) -> Floats:
    """Least squares of `times` (cells,) on the rows (1, N, h) of `design`: alpha, beta, gamma."""
    return _solved(design, times, np.ones_like(times))


def relative_plane(design: Floats, times: Floats, rounds: int = 30) -> Floats:
    """Huber's M-estimate of the relative residuals: alpha, beta, gamma."""
    plane = _solved(design, times, 1 / times)
    for _ in range(rounds):
        residual = np.abs(times - design @ plane) / times
        scale = max(1.4826 * float(np.median(residual)), FLOOR)
        weights = np.sqrt(np.minimum(1.0, HUBER * scale / np.maximum(residual, 1e-300))) / times
        fresh = _solved(design, times, weights)
        settled = np.allclose(fresh, plane, rtol=1e-9, atol=0)
        plane = fresh
        if settled:
            break
    return plane


ESTIMATORS: dict[str, Callable[[Floats, Floats], Floats]] = {"ordinary": ordinary_plane, "relative": relative_plane}


def fit(
    sizes: ArrayLike,
    hops: ArrayLike,
    times_by_launch: ArrayLike,
    estimator: str = "relative",
    *,
    over: Interval = (0, np.inf),
    draws: int = 500,
    seed: int = 0,
) -> PerHop:
    """Fit the plane to `times_by_launch` (launches, cells) or (cells,) in s, of `sizes` (B) within `over` and `hops`.

    Raises ValueError with fewer than two different sizes or hops, or a time that is not positive and finite.
    """
    sizes, hops = np.asarray(sizes, float), np.asarray(hops, float)
    times = np.atleast_2d(np.asarray(times_by_launch, float))
    if sizes.ndim != 1 or hops.shape != sizes.shape or times.shape[1:] != sizes.shape:
        raise ValueError(f"times of shape {times.shape} do not match {sizes.shape} sizes and {hops.shape} hops")
    inside = (sizes >= over[0]) & (sizes <= over[1])
    sizes, hops, times = sizes[inside], hops[inside], times[:, inside]
    if len(np.unique(sizes)) < 2 or len(np.unique(hops)) < 2:
        raise ValueError("a plane needs at least two different sizes and two numbers of hops")
    if not np.isfinite(times).all() or (times <= 0).any():
        raise ValueError("a plane is fitted to times that are positive and finite")
    plane_of = ESTIMATORS[estimator]
    design = np.column_stack([np.ones_like(sizes), sizes, hops])
    middle, launches = np.median(times, axis=0), len(times)
    plane = plane_of(design, middle)
    alone = np.array([plane_of(design, each) for each in times])
    intervals: list[Interval | None] = [None, None, None]
    if launches >= LEAST_LAUNCHES:
        picks = np.random.default_rng(seed).integers(launches, size=(draws, launches))
        drawn = np.array([plane_of(design, np.median(times[each], axis=0)) for each in picks])
        intervals = [expanded_interval(drawn[:, at], float(plane[at]), launches) for at in range(3)]
    ranges = [(float(alone[:, at].min()), float(alone[:, at].max())) for at in range(3)]
    errors = np.abs(middle - design @ plane) / middle
    return PerHop(
        estimator=estimator,
        alpha=float(plane[0]),
        beta=float(plane[1]),
        gamma=float(plane[2]),
        alpha_ci95=intervals[0],
        beta_ci95=intervals[1],
        gamma_ci95=intervals[2],
        alpha_range=ranges[0],
        beta_range=ranges[1],
        gamma_range=ranges[2],
        over=(float(sizes.min()), float(sizes.max())),
        hops=tuple(np.unique(hops).tolist()),
        median=float(np.median(errors)),
        worst=float(errors.max()),
        holdout=_holdout(plane_of, design, middle),
        cells=len(sizes),
        launches=launches,
        scope=scope(launches, launches >= LEAST_LAUNCHES),
    )


def by_length(
    sizes: ArrayLike,
    hops: ArrayLike,
    times_by_launch: ArrayLike,
    breaks: tuple[float, ...],
    estimator: str = "relative",
) -> tuple[PerHop, ...]:
    """A plane for each stretch between `breaks` (B; a size equal to one lies below it) that has cells enough."""
    sizes = np.asarray(sizes, float)
    edges = (-np.inf, *sorted(breaks), np.inf)
    made = []
    for low, high in itertools.pairwise(edges):
        inside = sizes[(sizes > low) & (sizes <= high)]
        if len(np.unique(inside)) >= 2:
            made.append(fit(sizes, hops, times_by_launch, estimator, over=(float(inside.min()), float(inside.max()))))
    return tuple(made)


def _solved(design: Floats, times: Floats, weights: Floats) -> Floats:
    scale = np.maximum(np.abs(design).max(axis=0), 1e-300)
    rows = design / scale * weights[:, None]
    return np.asarray(np.linalg.lstsq(rows, times * weights, rcond=None)[0] / scale, float)


def _holdout(plane_of: Callable[[Floats, Floats], Floats], design: Floats, times: Floats) -> Interval | None:
    counts = np.unique(design[:, 2])
    if len(counts) < 3:
        return None
    errors = []
    for count in counts:
        kept = design[:, 2] != count
        predicted = design[~kept] @ plane_of(design[kept], times[kept])
        errors.append(np.abs(predicted - times[~kept]) / times[~kept])
    error = np.concatenate(errors)
    return float(np.median(error)), float(error.max())
