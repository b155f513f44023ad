"""Speedup with its base, and two laws of it.

Speedup S(p) = T(base) / T(p) has no meaning without its base: the best serial program, or the parallel one on its
fewest processors. With the times of p processors given relative to the base's own count b, efficiency is S(p) b / p.
`amdahl`: T(p) = T(1) (s + (1 - s) / p), s the serial share (Amdahl 1967). `universal`: S(p) = p / (1 + sigma (p - 1)
+ kappa p (p - 1)), sigma contention and kappa coherence (Gunther 2007), best at p* = sqrt((1 - sigma) / kappa). Both
are linear in their unknowns once written as p / S(p). `gustafson`: work that grows with p, W(p) = p W(1), is done at
a rate of S(p) = p - sigma (p - 1) times that of one, sigma the serial share of the time on p (Gustafson 1988); the
rate is linear in its unknowns. All are fitted by least squares of relative errors, within
their bounds. Lack of fit: launches repeat each p; F compares what the law leaves with what the launches differ by.
None without degrees of freedom. The root mean square of its residuals is given with that of perfect scaling, T(p) =
T(1) / p (of growing work the same for the time of a unit), fitted likewise: a law is useful where it leaves less.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from assay.analysis.alpha_beta import LackOfFit, expanded_interval
from assay.analysis.intervals import LEAST_LAUNCHES, LaunchEstimate, across_launches, scope
from assay.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
DRAWS = 400


@dataclass(frozen=True)
class Speedup(AnalysisResult):
    """Speedup (1) and efficiency (1) at each count of processors, over launches; `base` names what one is."""

    base: str
    processors: tuple[int, ...]
    speedup: tuple[LaunchEstimate, ...]
    efficiency: tuple[float, ...]
    superlinear: tuple[int, ...]


@dataclass(frozen=True)
class Law(AnalysisResult):
    """A fitted law.

    Its coefficients with 95% intervals over launches, relative residuals of the speedup at each count.
    """

    name: str
    base: str
    coefficients: dict[str, float]
    ci95: dict[str, tuple[float, float]] | None
    time_one: float
    residuals: tuple[float, ...]
    limit: float | None
    best_processors: float | None
    lack_of_fit: LackOfFit | None
    scope: str
    residual: float
    perfect_residual: float

    def predict(self, processors: ArrayLike) -> Floats:
        """Give the speedup over one processor at `processors` (n,)."""
        p = np.asarray(processors, float)
        sigma, kappa = self.coefficients["sigma"], self.coefficients.get("kappa", 0.0)
        if self.name == "gustafson":
            return np.asarray(p - sigma * (p - 1))
        return np.asarray(p / (1 + sigma * (p - 1) + kappa * p * (p - 1)))


def speedups(
    processors: ArrayLike, times_by_launch: ArrayLike, *, base: str, base_times: ArrayLike | None = None
) -> Speedup:
    """Give speedups of `times_by_launch` (launches, counts) in s over `base_times` (launches,) in s.

    Without `base_times` the column of the fewest processors is the base, launch by launch. `base` names it in words.
    """
    p, times = _checked(processors, times_by_launch)
    fewest = 1
    if base_times is None:
        reference, fewest = times[:, 0], int(p[0])
    else:
        reference = np.broadcast_to(np.asarray(base_times, float), (len(times),))
    ratio = reference[:, None] / times
    estimates = tuple(across_launches(ratio[:, [i]]) for i in range(len(p)))
    efficiency = tuple(estimate.value * fewest / count for estimate, count in zip(estimates, p, strict=True))
    beyond = tuple(
        int(count)
        for estimate, count in zip(estimates, p, strict=True)
        if (estimate.ci95 or estimate.range)[0] * fewest > count * (1 + 1e-9)
    )
    return Speedup(base, tuple(int(count) for count in p), estimates, efficiency, beyond)


def amdahl(processors: ArrayLike, times_by_launch: ArrayLike, *, base: str, seed: int = 0) -> Law:
    """Fit Amdahl's law to times (launches, counts) in s.

    Its coefficient sigma is the serial share, `limit` 1 / sigma.
    """
    return _fit("amdahl", processors, times_by_launch, base, seed)


def universal(processors: ArrayLike, times_by_launch: ArrayLike, *, base: str, seed: int = 0) -> Law:
    """Fit the universal scalability law to times (launches, counts) in s."""
    return _fit("universal", processors, times_by_launch, base, seed)


def gustafson(processors: ArrayLike, work: ArrayLike, times_by_launch: ArrayLike, *, base: str, seed: int = 0) -> Law:
    """Fit Gustafson's law to times (launches, counts) in s of `work` (counts,) that grows with the processors.

    Times are taken for as much work as the fewest processors do; sigma is within 0 and 1.
    """
    return _fit("gustafson", processors, scale_times(work, times_by_launch), base, seed)


def scale_times(work: ArrayLike, times_by_launch: ArrayLike) -> Floats:
    """Times (launches, counts) in s for as much work as the least of `work` (counts,), at each count's own rate."""
    amounts = np.asarray(work, float)
    return np.asarray(np.atleast_2d(np.asarray(times_by_launch, float)) * amounts.min() / amounts)


def _checked(processors: ArrayLike, times_by_launch: ArrayLike) -> tuple[Floats, Floats]:
    p, times = np.asarray(processors, float), np.atleast_2d(np.asarray(times_by_launch, float))
    if p.ndim != 1 or times.shape[1:] != p.shape:
        raise ValueError(f"times of shape {times.shape} do not match {p.shape} counts of processors")
    if (p < 1).any() or len(np.unique(p)) != len(p) or not np.isfinite(times).all() or (times <= 0).any():
        raise ValueError("a speedup needs different counts from 1 on, and times that are positive and finite")
    order = np.argsort(p)
    return p[order], times[:, order]


def _design(name: str, p: Floats) -> Floats:
    """T(p) = T1/p + T1 sigma (p-1)/p + T1 kappa (p-1): its columns."""
    columns = [1 / p, (p - 1) / p]
    return np.column_stack([*columns, p - 1] if name == "universal" else columns)


def _solve(name: str, p: Floats, times: Floats) -> Floats:
    """T1, sigma (, kappa) by relative least squares, none below 0."""
    if name == "gustafson":  # rate = a p + b: sigma = b / (a + b)
        rates = _not_negative(np.column_stack([p, np.ones(len(p))]) * times[:, None], np.ones(len(p)))
        return np.array([1 / rates.sum(), rates[1] / rates.sum()])
    found = _not_negative(_design(name, p) / times[:, None], np.ones(len(p)))
    return (
        np.concatenate([found[:1], found[1:] / found[0]])
        if found[0] > 0
        else np.r_[times.max(), np.ones(1), np.zeros(len(found) - 2)]
    )


def _not_negative(design: Floats, wanted: Floats) -> Floats:
    """Least squares with no unknown below 0: of all choices of those that are 0, the best whose others are not below.

    With two or three unknowns that is quicker than importing scipy.optimize, and the same (Lawson and Hanson 1974,
    chapter 23: the solution is the least-squares one of its own nonzero unknowns).
    """
    best, least = np.zeros(design.shape[1]), float(wanted @ wanted)
    for count in range(1, len(best) + 1):
        for used in map(list, itertools.combinations(range(len(best)), count)):
            part = np.linalg.lstsq(design[:, used], wanted, rcond=None)[0]
            residual = wanted - design[:, used] @ part
            if (part >= 0).all() and float(residual @ residual) < least:
                best, least = np.zeros(len(best)), float(residual @ residual)
                best[used] = part
    return best


def _fit(name: str, processors: ArrayLike, times_by_launch: ArrayLike, base: str, seed: int) -> Law:
    p, times = _checked(processors, times_by_launch)
    unknowns = 3 if name == "universal" else 2
    if len(p) < unknowns:
        raise ValueError(f"{name} has {unknowns} unknowns and needs as many counts of processors, not {len(p)}")
    middle = np.median(times, axis=0)
    found = _solve(name, p, middle)
    names = ["sigma", "kappa"][: unknowns - 1]
    sigma, kappa = float(found[1]), float(found[2]) if unknowns == 3 else 0.0
    intervals = None
    if len(times) >= LEAST_LAUNCHES:
        picks = np.random.default_rng(seed).integers(len(times), size=(DRAWS, len(times)))
        drawn = np.array([_solve(name, p, np.median(times[pick], axis=0))[1:] for pick in picks])
        intervals = {
            key: expanded_interval(drawn[:, i], float(found[1 + i]), len(times)) for i, key in enumerate(names)
        }
    fitted = found[0] * (1 + sigma * (p - 1) + kappa * p * (p - 1)) / p
    if name == "gustafson":
        fitted = found[0] / (p - sigma * (p - 1))
    perfect = _not_negative((1 / p)[:, None] / middle[:, None], np.ones(len(p)))[0] / p
    best = math.sqrt((1 - sigma) / kappa) if kappa > 0 and sigma < 1 else None
    return Law(
        name=name,
        base=base,
        coefficients={key: float(found[1 + i]) for i, key in enumerate(names)},
        ci95=intervals,
        time_one=float(found[0]),
        residuals=tuple((1 - middle / fitted).tolist()),
        limit=1 / sigma if sigma > 0 and kappa == 0 and name != "gustafson" else None,
        best_processors=best,
        lack_of_fit=_lack_of_fit(times, fitted, unknowns),
        scope=scope(len(times), intervals is not None),
        residual=_left(middle, fitted),
        perfect_residual=_left(middle, perfect),
    )


def _left(times: Floats, fitted: Floats) -> float:
    """Root mean square of relative residuals."""
    return float(np.sqrt(np.mean((fitted / times - 1) ** 2)))


def _lack_of_fit(times: Floats, fitted: Floats, unknowns: int) -> LackOfFit | None:
    """F of the launches' shared relative residuals over their scatter.

    Each launch's own level, common to all counts, is noise of none.
    """
    launches, counts = times.shape
    if launches < 2 or counts <= unknowns:
        return None
    residual = times / fitted - 1
    residual = residual - residual.mean(axis=1, keepdims=True)
    shared = residual.mean(axis=0)
    degrees = (counts - unknowns, (launches - 1) * (counts - 1))
    noise = float(((residual - shared) ** 2).sum()) / degrees[1]
    model = float(launches * (shared**2).sum()) / degrees[0]
    f = model / noise if noise > 0 else (math.inf if model > 1e-24 else 0.0)
    return LackOfFit(f=f, p=float(scipy.special.fdtrc(*degrees, f)), degrees=degrees, worst=float(np.abs(shared).max()))
