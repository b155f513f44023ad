"""r_max and n_half of a vector loop in each level of memory: lines of time against length, level by level.

Hockney and Jesshope, Parallel Computers 2, section 1.3: a loop over n elements takes T = t_0 + n/r, so that
n_half = t_0 r elements get half of the greatest rate. A line is fitted to the lengths whose vectors lie in one level:
more than CLEAR of the cache before it, less than FULL of its own; lengths between belong to neither. Where a level has
fewer than LEAST lengths there is no line: the best rate among them is given, and `reason` explains it.

A line that its own readings contradict is rejected. The greatest rate of the law lies above every rate measured, so
that one below the best of them, by more than readings agree within (AGREE), is none. One far above is an extrapolation:
at the longest length a share of n/(n + n_half) of it was seen. It may lie as far above the best rate as the rates of
the level differ, which is what was seen of their growth, and at most 1/REACH, as then the longest vectors have at
least REACH n_half elements, and an error of theirs is in r_max no more than 4/3 times.

A start-up is a small part of times as long as those of a large cache, where three lengths can put it anywhere. Its
range is that of each launch's own line and of the lines without one length each. Where that holds zero, there is no
n_half, and no r_max above the best rate either, as it would rest on that start-up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analysis import alpha_beta, half_performance
from assay.analysis.result import AnalysisResult

FULL = 0.85  # of a cache: what else is in it takes some
CLEAR = 1.5  # times the cache before: a vector that just overflows it still finds part of itself there
LEAST = 3  # lengths of a line
AGREE = 0.1  # relative: medians of one launch and another differ by so much (docs/method.md: 10 to 17%)
REACH = 3  # n_half that the longest vectors of a level must have
LINE, BEST = "line", "best reading"  # what a rate rests on
NOT_TOLD = "the start-up cannot be distinguished from zero by launches and by lines without one length"
BEST_RATE = ": the best rate measured there"

Floats = NDArray[np.float64]
Launch = tuple[str, int]  # host, launch
Pair = tuple[float, float]


@dataclass(frozen=True)
class LevelRates(AnalysisResult):
    """One level: r_max (elements/s), n_half (elements), start-up (s), each with its 95% interval where launches allow.

    `n_half_range` and `start_up_range` are those of launches and of lines without one length each.
    `size` is the cache's bytes, None beyond the last. `lengths` are those that were used. `basis` is whether `r_max`
    is a line's or `best`, the greatest median rate of a length, which bounds it from below.
    """

    level: str
    size: float | None
    lengths: tuple[float, ...]
    best: float
    basis: str
    r_max: float
    r_max_ci95: Pair | None
    n_half: float | None
    n_half_ci95: Pair | None
    start_up: float | None
    reason: str | None
    n_half_range: Pair | None = None
    start_up_range: Pair | None = None


def name_levels(footprints: ArrayLike, caches: Mapping[int, float]) -> list[str | None]:
    """Name the level that holds each of `footprints` (n,) in B; None between two. `caches`: bytes by number.

    A cache no larger than the one before it is none.
    """
    sizes: list[tuple[str, float]] = []
    for number, size in sorted(caches.items()):
        if not sizes or size > sizes[-1][1]:
            sizes.append((f"L{number}", size))
    bounds = [0.0, *(CLEAR * size for _, size in sizes)]
    ends = [*((name, FULL * size) for name, size in sizes), ("memory", float("inf"))]
    return [
        next((name for (name, most), least in zip(ends, bounds, strict=True) if least < of <= most), None)
        for of in np.asarray(footprints, float)
    ]


def fit_levels(
    passes: Mapping[float, Mapping[Launch, float]], footprints: ArrayLike, caches: Mapping[int, float]
) -> list[LevelRates]:
    """Fit every level that holds one of the lengths; `passes`: s of a whole pass by length and launch, rising.

    `footprints` (n,) in B, as `passes` has lengths. A line uses the launches that have every length of its level; where
    there is none, as others disturbed one length here and another there, each length's median over its own launches.
    """
    levels = name_levels(footprints, caches)
    found = []
    for level in dict.fromkeys(each for each in levels if each):
        inside = {n: times for (n, times), name in zip(passes.items(), levels, strict=True) if name == level}
        common = sorted(set.intersection(*(set(times) for times in inside.values())))
        rows = [[times[key] for times in inside.values()] for key in common]
        rows = rows or [[float(np.median(list(times.values()))) for times in inside.values()]]
        size = caches[int(level[1:])] if level != "memory" else None
        found.append(_level(level, size, np.array(list(inside), float), np.array(rows, float)))
    return found


def best_alone(rates: LevelRates, reason: str) -> LevelRates:
    """Remove the line: the best rate remains, with the reason."""
    return replace(
        drop_start_up(rates, reason + BEST_RATE),
        basis=BEST,
        r_max=rates.best,
        r_max_ci95=None,
    )


def drop_start_up(rates: LevelRates, reason: str | None) -> LevelRates:
    """Remove start-up and n_half, with the reason."""
    return replace(
        rates, n_half=None, n_half_ci95=None, n_half_range=None, start_up=None, start_up_range=None, reason=reason
    )


def _level(level: str, size: float | None, lengths: Floats, times: Floats) -> LevelRates:
    rates = lengths / np.median(times, axis=0)
    best = float(rates.max())
    used = tuple(float(n) for n in lengths)
    found = LevelRates(level, size, used, best, BEST, best, None, None, None, None, None)
    if len(lengths) < LEAST:
        plural = "length lies" if len(lengths) == 1 else "lengths lie"
        return best_alone(found, f"{len(lengths)} {plural} in {level}, a line needs {LEAST}")
    line = alpha_beta.fit(lengths, times, "relative")
    half = half_performance.from_fit(line)
    if half.r_infinity is None:
        return best_alone(found, str(half.reason))
    found = replace(
        found,
        basis=LINE,
        r_max=half.r_infinity,
        r_max_ci95=half.r_infinity_ci95,
        n_half=half.n_half,
        n_half_ci95=half.n_half_ci95,
        start_up=line.alpha if half.n_half is not None else None,
        reason=half.reason,
    )
    against = _contradicted(found, rates)
    if against is not None:
        return best_alone(found, against)
    return found if found.n_half is None else _ranged(found, lengths, times)


def _ranged(found: LevelRates, lengths: Floats, times: Floats) -> LevelRates:
    """Give start-up and n_half with their ranges; where these hold zero, neither."""
    middle = np.median(times, axis=0)
    without = [np.arange(len(lengths)) != i for i in range(len(lengths))]
    left_out = [alpha_beta.relative_line(lengths[kept], middle[kept]) for kept in without]
    alpha, beta = np.vstack([alpha_beta.relative_line(lengths, times), left_out]).T
    if (alpha > 0).all() and (beta > 0).all():
        halves = alpha / beta
        return replace(
            found,
            n_half_range=(float(halves.min()), float(halves.max())),
            start_up_range=(float(alpha.min()), float(alpha.max())),
        )
    return drop_start_up(found, NOT_TOLD)


def exceeds_measured(rates: LevelRates) -> bool:
    """Whether a line's r_max lies above every rate measured without a start-up that explains it."""
    return rates.basis == LINE and rates.n_half is None and rates.r_max > rates.best


def _contradicted(found: LevelRates, rates: Floats) -> str | None:
    """How the rates at the lengths contradict the line's r_max; None where they do not."""
    beyond = found.r_max / found.best - 1
    if beyond < -AGREE:
        return f"no line: its r_max would be {1 + beyond:.2g} of a rate measured"
    if beyond <= max(AGREE, min(1 / REACH, float(rates.max() / rates.min()) - 1)):
        return None
    longest = max(found.lengths)
    reach = "" if found.n_half is None else f", n_half {found.n_half:.3g} by a longest length of {longest:.7g}"
    return f"no line: its r_max would be {1 + beyond:.3g} times the best rate{reach}"
