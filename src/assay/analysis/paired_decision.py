"""Is B as fast as A? Decided while both take turns, at looks fixed beforehand (method.md, rules 4, 9 and 16).

Launches come in pairs, of A and B in random order; what is tested is the log ratio of each pair. Two answers are
possible before the last look, each with a stated error rate:

* *equal* rejects that the ratio is the margin or further from 1 (two one-sided tests);
* *differs* rejects that it is within two thirds of the margin, and its estimate passes the margin. Of several figures
  each has its share of the level, so that a false difference among them is as rare; for all being equal none is needed.

Between both limits either answer is right. A test that rejects only a ratio of 1 would call a true difference of two
thirds of the margin a difference in up to a quarter of all trials. The tests are Wilcoxon's signed rank, whose level at
each look comes from O'Brien and Fleming's spending function as Lan and DeMets give it: the sum over all looks is
`LEVEL`, and the last look has most of it.

Source: Lan and DeMets 1983; O'Brien and Fleming 1979; Schuirmann 1987; Hollander and Wolfe, section 3.1.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.analysis.comparison import ComparisonVerdict, signed_rank_cut, walsh_averages
from assay.analysis.result import AnalysisResult
from assay.analysis.spending import looks_of, spent

Floats = NDArray[np.float64]
LEVEL = 0.05  # error rate of each answer, over all looks together
SMALL = 2 / 3  # of the margin: what is not to be called a difference
LEAST_PAIRS = 10
GRID = 401  # points of a density


@dataclass(frozen=True)
class PairedDecision(AnalysisResult):
    """After `pairs` pairs: the verdict, the ratio B / A (1) with its interval, the log ratios' standard deviation.

    `interval` is at the level of this look, so that it covers 90% whichever look is the last. `last`: no look follows.
    """

    verdict: ComparisonVerdict
    ratio: float
    interval: tuple[float, float] | None
    deviation: float | None
    pairs: int
    last: bool

    @property
    def decided(self) -> bool:
        """Whether it is equal or differs."""
        return self.verdict is not ComparisonVerdict.UNKNOWN


@dataclass(frozen=True)
class PairedPlan:
    """What was fixed before the first pair: the margin (relative), the most pairs, among how many figures it is one.

    Raises ValueError for a margin outside 0 to 1, or too few pairs.
    """

    margin: float
    most: int
    figures: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.margin < 1:
            raise ValueError(f"a margin lies between 0 and 1, not at {self.margin}")
        if self.most < LEAST_PAIRS:
            raise ValueError(f"{self.most} pairs decide nothing: at least {LEAST_PAIRS}")

    @property
    def looks(self) -> tuple[int, ...]:
        """The numbers of pairs at which it is looked, ascending."""
        return looks_of(self.most)

    def look(self, log_ratios: Sequence[float]) -> PairedDecision:
        """Judge ln(B / A) of the pairs so far. Only after a number of pairs in `looks` is there another verdict
        than unknown.
        """
        shifts = np.asarray(log_ratios, float)
        pairs = len(shifts)
        walsh = walsh_averages(shifts)
        centre = float(np.median(walsh))
        found = PairedDecision(
            ComparisonVerdict.UNKNOWN,
            math.exp(centre),
            None,
            float(np.std(shifts, ddof=1)) if pairs > 1 else None,
            pairs,
            pairs >= self.looks[-1],
        )
        if pairs not in self.looks:
            return found
        at = self.looks.index(pairs)
        inner = self._between(walsh, pairs, levels(self.looks)[at])
        outer = self._between(walsh, pairs, levels(self.looks, LEVEL / self.figures)[at])
        edge, small = math.log1p(self.margin), math.log1p(SMALL * self.margin)
        verdict = ComparisonVerdict.UNKNOWN
        if inner is not None and -edge < inner[0] and inner[1] < edge:
            verdict = ComparisonVerdict.EQUAL
        elif outer is not None and (outer[0] > small or outer[1] < -small) and abs(centre) > edge:
            verdict = ComparisonVerdict.DIFFERS
        interval = None if inner is None else (math.exp(inner[0]), math.exp(inner[1]))
        return PairedDecision(verdict, found.ratio, interval, found.deviation, pairs, found.last)

    def _between(self, walsh: Floats, pairs: int, level: float) -> tuple[float, float] | None:
        """Where both one-sided tests at this level end; None where so few pairs reject nothing."""
        cut = signed_rank_cut(pairs, level)
        return None if cut is None else (float(walsh[cut]), float(walsh[-1 - cut]))


@functools.cache
def levels(looks: tuple[int, ...], level: float = LEVEL) -> tuple[float, ...]:
    """Give the one-sided level of each look, such that under the null any of them rejects at most at `level`.

    By the recursion of Armitage, McPherson and Rowe (1969): the density of a sum of normal increments that no look has
    rejected yet, on a grid.
    """
    from scipy import optimize, stats

    times = np.array(looks, float) / looks[-1]
    may_spend = spent(looks, level)
    grid, density = np.zeros(1), np.ones(1)  # before the first pair the sum is 0
    found = []
    for at, time in enumerate(times):
        step = math.sqrt(time - (times[at - 1] if at else 0.0))
        allowed = may_spend[at] - (may_spend[at - 1] if at else 0.0)

        def surplus(bound: float) -> float:
            over = density @ stats.norm.sf((bound * math.sqrt(time) - grid) / step)  # noqa: B023  # called at once
            return float(over - allowed)  # noqa: B023

        bound = float(optimize.brentq(surplus, 0.0, 12.0))
        found.append(float(stats.norm.sf(bound)))
        sums, width = np.linspace(-8.0, bound * math.sqrt(time), GRID, retstep=True)
        density = stats.norm.pdf((sums[:, None] - grid) / step) @ density / step * float(width)
        density[[0, -1]] /= 2  # the trapezoidal rule's ends
        grid = sums
    return tuple(found)


def power(difference: float, margin: float, deviation: float, pairs: int) -> float:
    """Predict how often `pairs` pairs show a true relative `difference`, log ratios being normal with `deviation`.

    A lower bound for tails that are heavier than normal, where ranks use the data better.
    """
    from scipy import stats

    if deviation <= 0:
        return float(difference > margin)
    error = deviation / math.sqrt(pairs * 3 / math.pi)  # the signed rank's efficiency, normal data
    needed = max(math.log1p(margin), math.log1p(SMALL * margin) + stats.norm.isf(LEVEL) * error)
    return float(stats.norm.sf((needed - math.log1p(difference)) / error))


def pairs_needed(difference: float, margin: float, deviation: float, wanted: float = 0.8) -> int | None:
    """Predict how many pairs show a true relative `difference` with the power `wanted`; None beyond a million."""
    pairs = LEAST_PAIRS
    while power(difference, margin, deviation, pairs) < wanted:
        if pairs > 1_000_000:
            return None
        pairs = math.ceil(pairs * 1.05)
    return pairs
