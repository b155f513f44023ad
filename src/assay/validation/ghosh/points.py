"""Comparisons of a study's points: intervals of replications, which the judge of claims then holds against a claim.

Ratios of two points are compared by the logarithms of their replications' means, in pairs where both have as many,
since replication i has the same random numbers in all points, else by Welch's interval (Law, Simulation Modeling
and Analysis, 10.2). `parts`: a claim of several comparisons shares the error probability among them (Bonferroni), so
that all of them together have 95%.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import stdtrit

from assay.network.study.results import Bracket, Point
from assay.published.judge import Accepted, ClaimPart, Range, accepted, judged, within


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


def less(one: Point, other: Point, figure: str, names: tuple[str, str], parts: int = 1) -> ClaimPart:
    """Whether the first is lower."""
    middle, found = ratio(one, other, figure, parts)
    words = f"{_mean(one, figure, names[0])}, {_mean(other, figure, names[1])}: ratio {_words(middle, found)}"
    return judged(found, accepted("<", 1.0), words)


def alike(one: Point, other: Point, figure: str, names: tuple[str, str], share: float, parts: int = 1) -> ClaimPart:
    """Whether they agree within a share."""
    middle, found = ratio(one, other, figure, parts)
    words = f"{_mean(one, figure, names[0])}, {_mean(other, figure, names[1])}: ratio {_words(middle, found)}"
    return judged(found, Accepted(1 - share, 1 + share), f"{words}, within {share:.1%}".replace(".0%", "%"))


def span(points: Sequence[Point], figure: str, logarithmic: bool = True) -> float:
    """The range of a plot of these points: the greatest mean less the least (us), or of both the logarithms."""
    means = [point.estimate(figure).mean for point in points if point.means.get(figure)]
    if len(means) < 2 or min(means) <= 0:
        raise LookupError(f"too few points to draw {figure}")
    return math.log(max(means) / min(means)) if logarithmic else max(means) - min(means)


def close_on_plot(
    one: Point,
    other: Point,
    figure: str,
    names: tuple[str, str],
    share: float,
    whole: float,
    parts: int = 1,
    logarithmic: bool = True,
) -> ClaimPart:
    """Whether two points of a plot differ by no more than a share of its whole range (`span`)."""
    middle, found = ratio(one, other, figure, parts)
    level = other.estimate(figure).mean

    def apart(quotient: float) -> float:
        return math.log(quotient) / whole if logarithmic else (quotient - 1) * level / whole

    words = f"{_mean(one, figure, names[0])}, {_mean(other, figure, names[1])}: "
    words += f"{abs(apart(middle)):.1%} of the plot's range, within {share:.0%}"
    ends = (apart(found[0]), apart(found[1])) if math.isfinite(found[0]) else found
    return judged(ends, Accepted(-share, share), words)


def value(point: Point, figure: str, published: float, us: float, name: str) -> ClaimPart:
    """Whether a point's mean in us is the published value within so many microseconds."""
    found = point.estimate(figure)
    half = math.inf if found.half is None else found.half
    difference = f"{100 * (found.mean / published - 1):+.1f}%"
    words = f"{name}: {found.mean:.3g} ± {half:.2g} us, published {published:g} ± {us:g} ({difference})"
    return judged((found.mean - half, found.mean + half), accepted("~=", published, us), words)


def trend(points: Sequence[Point], figure: str, key: str, rising: bool, slack: float = 1.0) -> list[ClaimPart]:
    """Whether the latency rises (or falls) from each point to the next by the order of `key`.

    slack: a step may go the other way by this factor without being against the trend.
    """
    ordered = sorted(points, key=lambda point: point.value(key))
    steps = list(pairwise(ordered))
    found = []
    for low, high in steps:
        first, second = (low, high) if rising else (high, low)
        middle, interval = ratio(second, first, figure, len(steps))
        names = f"{key} {low.value(key):g} to {high.value(key):g}"
        change, bounds = (middle, interval) if rising else (1 / middle, (1 / interval[1], 1 / interval[0]))
        found.append(judged(interval, accepted(">=", 1 / slack), f"{names}: × {_words(change, bounds)}"))
    return found


def rises(points: Sequence[Point], figure: str, key: str, share: float) -> list[ClaimPart]:
    """Whether the latency rises over the points by the order of `key`, as a drawn curve does.

    No step falls by more than `share`, since a plot shows no less; from the first to the last it rises, by any amount.
    """
    ordered = sorted(points, key=lambda point: point.value(key))
    steps = trend(ordered, figure, key, rising=True, slack=1 + share)
    first, last = ordered[0], ordered[-1]
    whole = less(first, last, figure, (f"{key} {first.value(key):g}", f"{last.value(key):g}"), len(ordered))
    return [*steps, ClaimPart(whole.outcome, f"as a whole, {whole.numbers}")]


def _mean(point: Point, figure: str, name: str) -> str:
    found = point.estimate(figure)
    spread = "" if found.half is None else f" ± {found.half:.2g}"
    return f"{name} {found.mean:.4g}{spread} us"


def _words(middle: float, interval: Range) -> str:
    return f"{middle:.3g} ({interval[0]:.3g} to {interval[1]:.3g})"


def bracket_words(name: str, one: Bracket) -> str:
    """A saturation point's numbers."""
    return f"{name} saturates between {one.low:.3g} and {one.high:.3g} messages/ms"


def before(one: Bracket, other: Bracket, names: tuple[str, str]) -> ClaimPart:
    """Whether the first saturates at a lower rate: a bracket's lower end does not saturate yet, its upper end does."""
    words = f"{bracket_words(names[0], one)}; {bracket_words(names[1], other)}"
    apart = (one.low - other.high, one.high - other.low)
    return ClaimPart(within(apart, accepted("<", 0.0), strictly_between=True), words)


def bracket_in(one: Bracket, low: float, high: float, name: str) -> ClaimPart:
    """Whether a saturation point lies in a published range."""
    words = f"{bracket_words(name, one)}, published {low:g} to {high:g}"
    return judged((one.low, one.high), Accepted(low, high), words)
