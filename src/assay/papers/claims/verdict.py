"""Holds, differs, or cannot be told: what replications say of a comparison, at 95% over all its parts together.

Ratios of two points are compared by the logarithms of their replications' means, in pairs where both have as many,
since replication i has the same random numbers in all points, else by Welch's interval (Law, Simulation Modeling
and Analysis, 10.2); a claim of several parts shares the error probability among them (Bonferroni). "Holds" and
"differs" each need the whole interval on their side; anything else cannot be told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from assay.network.study.results import Point

Outcome = Literal["holds", "differs", "cannot be told"]
OUTCOMES: tuple[Outcome, ...] = ("holds", "cannot be told", "differs")
Range = tuple[float, float]


@dataclass(frozen=True)
class Part:
    """One comparison with its numbers in words."""

    outcome: Outcome
    numbers: str


@dataclass(frozen=True)
class ClaimVerdict:
    """What became of a claim."""

    claim: str
    outcome: Outcome
    parts: tuple[Part, ...]
    note: str = ""
    mark: str | None = None  # whether it was an input, restated or predicted, where descriptions could have used it

    def document(self) -> dict[str, object]:
        """For JSON."""
        return {
            "claim": self.claim,
            "outcome": self.outcome,
            "parts": [{"outcome": part.outcome, "numbers": part.numbers} for part in self.parts],
            "note": self.note,
            **({} if self.mark is None else {"mark": self.mark}),
        }


def verdict(claim: str, parts: Sequence[Part], note: str = "") -> ClaimVerdict:
    """All parts together: one that differs, differs; else one that cannot be told leaves it open."""
    outcomes = {part.outcome for part in parts}
    outcome: Outcome = "holds" if parts else "cannot be told"
    if "differs" in outcomes:
        outcome = "differs"
    elif "cannot be told" in outcomes:
        outcome = "cannot be told"
    return ClaimVerdict(claim, outcome, tuple(parts), note)


def within(found: Range, accepted: Range) -> Outcome:
    """Whether an interval lies inside what is accepted, outside of it, or across its edge."""
    if not all(math.isfinite(edge) for edge in found):
        return "cannot be told"
    if accepted[0] <= found[0] and found[1] <= accepted[1]:
        return "holds"
    return "differs" if found[1] < accepted[0] or found[0] > accepted[1] else "cannot be told"


def fact(true: bool, numbers: str) -> Part:
    """What needs no statistics."""
    return Part("holds" if true else "differs", numbers)


def ratio(one: Point, other: Point, figure: str, parts: int = 1) -> tuple[float, Range]:
    """Ratio of two points' latencies, of geometric means over replications, with its interval."""
    a, b = (np.log(np.asarray(point.means.get(figure, []), float)) for point in (one, other))
    if len(a) < 2 or len(b) < 2:
        return math.nan, (-math.inf, math.inf)
    if len(a) == len(b):
        apart = a - b
        middle = float(apart.mean())
        half = float(stdtrit(len(a) - 1, 1 - 0.025 / parts)) * float(apart.std(ddof=1)) / math.sqrt(len(a))
        return math.exp(middle), (math.exp(middle - half), math.exp(middle + half))
    va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    middle = float(a.mean() - b.mean())
    error = math.sqrt(va + vb)
    if error == 0:
        return math.exp(middle), (math.exp(middle), math.exp(middle))
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    half = float(stdtrit(freedom, 1 - 0.025 / parts)) * error
    return math.exp(middle), (math.exp(middle - half), math.exp(middle + half))


def less(one: Point, other: Point, figure: str, names: tuple[str, str], parts: int = 1) -> Part:
    """Whether the first is lower."""
    middle, found = ratio(one, other, figure, parts)
    outcome = within(found, (0.0, 1.0))
    return Part(
        outcome, f"{_mean(one, figure, names[0])}, {_mean(other, figure, names[1])}: ratio {_words(middle, found)}"
    )


def alike(one: Point, other: Point, figure: str, names: tuple[str, str], share: float, parts: int = 1) -> Part:
    """Whether they agree within a share."""
    middle, found = ratio(one, other, figure, parts)
    words = f"{_mean(one, figure, names[0])}, {_mean(other, figure, names[1])}: ratio {_words(middle, found)}"
    return Part(within(found, (1 - share, 1 + share)), f"{words}, within {share:.0%}")


def value(point: Point, figure: str, published: float, us: float, name: str) -> Part:
    """Whether a point's mean in us is the published value within so many microseconds."""
    found = point.estimate(figure)
    half = math.inf if found.half is None else found.half
    outcome = within((found.mean - half, found.mean + half), (published - us, published + us))
    difference = f"{100 * (found.mean / published - 1):+.1f}%"
    return Part(outcome, f"{name}: {found.mean:.3g} ± {half:.2g} us, published {published:g} ± {us:g} ({difference})")


def trend(points: Sequence[Point], figure: str, key: str, rising: bool, slack: float = 1.0) -> list[Part]:
    """Whether the latency rises (or falls) from each point to the next by the order of `key`.

    slack: a step may go the other way by this factor without being against the trend.
    """
    ordered = sorted(points, key=lambda point: point.value(key))
    steps = list(pairwise(ordered))
    found = []
    for low, high in steps:
        first, second = (low, high) if rising else (high, low)
        middle, interval = ratio(second, first, figure, len(steps))
        outcome = within(interval, (1 / slack, math.inf))
        if not math.isfinite(interval[0]):
            outcome = "cannot be told"
        elif interval[0] >= 1 / slack:
            outcome = "holds"
        elif interval[1] < 1 / slack:
            outcome = "differs"
        names = f"{key} {low.value(key):g} to {high.value(key):g}"
        change, bounds = (middle, interval) if rising else (1 / middle, (1 / interval[1], 1 / interval[0]))
        found.append(Part(outcome, f"{names}: × {_words(change, bounds)}"))
    return found


def _mean(point: Point, figure: str, name: str) -> str:
    found = point.estimate(figure)
    spread = "" if found.half is None else f" ± {found.half:.2g}"
    return f"{name} {found.mean:.4g}{spread} us"


def _words(middle: float, interval: Range) -> str:
    return f"{middle:.3g} ({interval[0]:.3g} to {interval[1]:.3g})"
