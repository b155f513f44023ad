"""Where the protocol changes: lengths at which T = alpha + beta N jumps or bends.

Candidates come from ruptures: dynamic programming over piecewise lines (its linear cost, equation divided by T so
that residuals are relative). Each number of pieces is refitted; the number is the one that a penalty of Schwarz's
kind, on the refitted relative residuals with the noise as floor, prefers. Then each break must have an effect: the
time jumps there, or the line from the left misses the stretch on the right (or the other way round), by at least
`least_effect` of the time and by FAR times the noise; what has not is merged, worst first, and refitted. A break lies
between two measured lengths; it is given as that bracket. With launches, each resampled set of them votes for each
bracket: the share that finds it again is its `support`.

Source: Bai and Perron 1998 (sequential breaks in linear models); ruptures (Truong, Oudre, Vayatis 2020).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analysis.alpha_beta import relative_line
from assay.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
LEAST_EFFECT = 0.05  # of the time: a protocol's change that moves less is not worth a name
LEAST_SIZES = 3  # of a piece: a line and one to judge it by
FAR = 4.0  # an effect must pass so many times the relative noise
MOST = 4  # breaks
DRAWS = 40  # resampled sets of launches that vote


@dataclass(frozen=True)
class Breakpoint(AnalysisResult):
    """A change between the lengths `below` and `above` (B).

    `jump` is relative to the time there, `slope` the relative change of beta; `effect` is what the break is judged
    by; `kind`: jump or slope; `support` is the share of resampled launches in which the effect passes again (None
    under three).
    """

    below: float
    above: float
    jump: float
    slope: float
    effect: float
    kind: str
    support: float | None = None

    @property
    def at(self) -> float:
        """One length (B) inside the bracket: its geometric mean."""
        return math.sqrt(self.below * self.above) if self.below > 0 else self.above / 2


def find_breakpoints(
    sizes: ArrayLike,
    times_by_launch: ArrayLike,
    *,
    least_effect: float = LEAST_EFFECT,
    noise: float | None = None,
    most: int = MOST,
    seed: int = 0,
) -> tuple[Breakpoint, ...]:
    """Find the breaks of `times_by_launch` (launches, sizes) or (sizes,) in s over `sizes` (B), ascending by length.

    `noise` is the relative noise of one time if it is known, from a clock's tick for instance; it is estimated from
    the neighbours otherwise. An empty result means that one line holds within `least_effect`, or that there are too
    few sizes.
    """
    sizes = np.asarray(sizes, float)
    times = np.atleast_2d(np.asarray(times_by_launch, float))
    order = np.argsort(sizes, kind="stable")
    sizes, times = sizes[order], times[:, order]
    middle = np.median(times, axis=0)
    if noise is None:
        noise = _noise(sizes, middle)
    cuts = _cuts(sizes, middle, least_effect, noise, most)
    support: list[float | None] = [None] * len(cuts)
    if len(times) >= 3 and cuts:
        picks = np.random.default_rng(seed).integers(len(times), size=(DRAWS, len(times)))
        drawn = [np.median(times[pick], axis=0) for pick in picks]
        for i in range(len(cuts)):
            effects = [_effect(sizes, again, cuts, i)[0] for again in drawn]
            support[i] = float(np.mean([effect >= max(least_effect, FAR * noise) for effect in effects]))
    return tuple(_describe(sizes, middle, cuts, i, support[i]) for i in range(len(cuts)))


def _noise(sizes: Floats, times: Floats) -> float:
    """Relative noise from how far each time lies off the line through its two neighbours.

    Breaks touch few of those.
    """
    if len(sizes) < 5:
        return 0.0
    left, mid, right = sizes[:-2], sizes[1:-1], sizes[2:]
    share = np.where(right > left, (mid - left) / np.where(right > left, right - left, 1), 0.5)
    off = times[1:-1] - (1 - share) * times[:-2] - share * times[2:]
    unit = np.sqrt(times[1:-1] ** 2 + ((1 - share) * times[:-2]) ** 2 + (share * times[2:]) ** 2)
    return float(1.4826 * np.median(np.abs(off) / unit))


def _cuts(sizes: Floats, times: Floats, least_effect: float, noise: float, most: int) -> list[int]:
    """Give the indices at which a new piece starts."""
    n = len(sizes)
    if n < 2 * LEAST_SIZES or len(np.unique(sizes)) < 2 * LEAST_SIZES:
        return []
    scale = sizes.max()
    signal = np.column_stack([np.ones(n), times.mean() / times, times.mean() * (sizes / scale) / times])
    import ruptures  # a second and a half that most runs need not spend

    search = ruptures.Dynp(model="linear", min_size=LEAST_SIZES, jump=1).fit(signal)
    floor = max(noise, 1e-4) ** 2
    best: tuple[float, list[int]] | None = None
    for breaks in range(min(most, n // LEAST_SIZES - 1) + 1):
        cuts = [int(end) for end in search.predict(n_bkps=breaks)[:-1]] if breaks else []
        residual = _residuals(sizes, times, cuts)
        score = n * math.log(float(np.mean(residual**2)) + floor) + 3 * breaks * math.log(n)
        if best is None or score < best[0]:
            best = (score, cuts)
    assert best is not None
    cuts = best[1]
    while cuts:
        effects = [_effect(sizes, times, cuts, i) for i in range(len(cuts))]
        weakest = int(np.argmin([effect for effect, _, _ in effects]))
        if effects[weakest][0] >= max(least_effect, FAR * noise):
            break
        cuts = cuts[:weakest] + cuts[weakest + 1 :]
    return cuts


def _pieces(n: int, cuts: list[int]) -> list[slice[int, int, int]]:
    edges = [0, *cuts, n]
    return [slice(start, end) for start, end in itertools.pairwise(edges)]


def _residuals(sizes: Floats, times: Floats, cuts: list[int]) -> Floats:
    out = np.empty(len(sizes))
    for piece in _pieces(len(sizes), cuts):
        alpha, beta = relative_line(sizes[piece], times[piece])
        out[piece] = 1 - (alpha + beta * sizes[piece]) / times[piece]
    return out


def _effect(sizes: Floats, times: Floats, cuts: list[int], i: int) -> tuple[float, float, float]:
    """Effect, jump and slope change of break i. The effect is the jump, or how badly each side's line serves the other.

    Of the two sides the lesser, because a line that is poorly known from a short stretch misses everything beyond it.
    """
    left, right = (_pieces(len(sizes), cuts)[k] for k in (i, i + 1))
    before, after = (relative_line(sizes[piece], times[piece]) for piece in (left, right))
    edge = math.sqrt(max(sizes[left][-1], 1.0) * sizes[right][0])
    at = [float(line[0] + line[1] * edge) for line in (before, after)]
    jump = at[1] / at[0] - 1 if at[0] > 0 else 0.0
    slope = float(after[1] / before[1] - 1) if before[1] > 0 else 0.0
    misses = [
        float(np.median(np.abs(line[0] + line[1] * sizes[piece] - times[piece]) / times[piece]))
        for line, piece in ((before, right), (after, left))
    ]
    return max(abs(jump), min(misses)), jump, slope


def _describe(sizes: Floats, times: Floats, cuts: list[int], i: int, support: float | None) -> Breakpoint:
    effect, jump, slope = _effect(sizes, times, cuts, i)
    kind = "jump" if abs(jump) >= LEAST_EFFECT else "slope"
    return Breakpoint(float(sizes[cuts[i] - 1]), float(sizes[cuts[i]]), jump, slope, effect, kind, support)
