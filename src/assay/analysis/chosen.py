"""Is what a library chose slower than the best of several ways to do the same? The best is picked from the same data.

Every way of every cell (an operation at one size) is compared with the library's choice, launch by launch
(`comparison`), and all these comparisons are one family, corrected by Benjamini and Hochberg. A cell is named where at
least one way is faster, beyond the margin and after the correction; its best way is the one with the greatest ratio.

Picking the best, and only the cells where it is the best, would leave each interval too short. Those that are stated
have the level 1 - 0.05 R / m, with R cells named of m comparisons: then at most 5% of them miss their ratio on
average, however they were picked (the false coverage rate). Where the launches are too few for that level there is no
interval, and the cell is not named.

Source: Benjamini and Hochberg 1995; Benjamini and Yekutieli 2005, False discovery rate-adjusted multiple confidence
intervals for selected parameters.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.comparison import (
    Comparison,
    ComparisonVerdict,
    correct_family,
    signed_rank_cut,
    walsh_averages,
)
from assay.analysis.result import AnalysisResult

MISSES = 0.05  # of the intervals stated, on average


@dataclass(frozen=True)
class Rival:
    """One algorithm and the library's choice: their comparison (ratio: the choice over it), its pairs of launches."""

    comparison: Comparison
    ways: Sequence[float]
    choices: Sequence[float]
    exact: bool = False  # simulated: no launch varies


@dataclass(frozen=True)
class Chosen(AnalysisResult):
    """A cell's judgement: `best` way, `ratio` (1) of the choice to it, its interval where the choice is named slower.

    `level` is that of the interval; `comparisons` the size of the family.
    """

    best: str
    ratio: float
    ci95: tuple[float, float] | None
    level: float | None
    slower: bool
    comparisons: int
    reason: str


def judge_choices(cells: Sequence[Mapping[str, Rival]]) -> list[Chosen]:
    """Judge each cell's choice against its ways, by name; no cell may be empty."""
    family = [rival.comparison for ways in cells for rival in ways.values()]
    corrected = iter(correct_family(family, "benjamini-hochberg"))
    found = [{name: next(corrected) for name in ways} for ways in cells]
    faster = [_faster(each) for each in found]
    named = [place for place, each in enumerate(faster) if each is not None]
    while True:  # a cell without an interval at its level is not named, which makes the level of the others higher
        level = 1 - MISSES * len(named) / max(1, len(family))
        stated = {place: _interval(cells[place][faster[place] or ""], level) for place in named}
        kept = [place for place in named if stated[place] is not None]
        if kept == named:
            break
        named = kept
    made = []
    for place, each in enumerate(found):
        best = faster[place] or max(each, key=lambda name: each[name].ratio)
        made.append(
            Chosen(
                best=best,
                ratio=each[best].ratio,
                ci95=stated.get(place),
                level=level if place in stated else None,
                slower=place in stated,
                comparisons=len(family),
                reason=each[best].reason if place in stated or faster[place] is None else _few(cells[place][best]),
            )
        )
    return made


def _faster(ways: Mapping[str, Comparison]) -> str | None:
    better = {n: c for n, c in ways.items() if c.verdict is ComparisonVerdict.DIFFERS and c.ratio > 1}
    return max(better, key=lambda name: better[name].ratio, default=None)


def _interval(rival: Rival, level: float) -> tuple[float, float] | None:
    if rival.exact:
        return rival.comparison.ratio, rival.comparison.ratio
    shift = np.log(np.asarray(rival.choices)) - np.log(np.asarray(rival.ways))
    outside = signed_rank_cut(len(shift), (1 - level) / 2)
    if outside is None:
        return None
    walsh = walsh_averages(shift)
    low, high = math.exp(float(walsh[outside])), math.exp(float(walsh[-1 - outside]))
    return (low, high) if low > 1 else None


def _few(rival: Rival) -> str:
    return f"{len(rival.choices)} launches are too few for an interval among so many comparisons"
