"""Do two things differ? Ratio of launch medians, a margin, and an A/A run first (method.md, rule 9).

The launches of A and B are interleaved, so they come as pairs; the i-th of A with the i-th of B cancels what drifts
slowly. The ratio is Hodges and Lehmann's: exp of the median of all Walsh averages of ln(b_i / a_i); its interval
joins the order statistics of the Walsh averages that Wilcoxon's signed-rank test leaves. `differs` needs that
interval to exclude 1 *and* the ratio to pass the margin; `equal` needs two one-sided signed-rank tests at the margin
to pass (the 90% interval inside it), and the same of the A/A pairs. Where neither holds, it is inconclusive. Without
pairs (two runs of different days) Wilcoxon's rank-sum takes the place.

Source: Hollander and Wolfe, Nonparametric Statistical Methods, sections 3.3 and 4.3; Schuirmann 1987 (two one-sided
tests).
"""

import enum
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analysis.intervals import CLAIM_LAUNCHES, LEAST_LAUNCHES
from assay.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
Side = Literal["two-sided", "greater", "less"]
MARGIN = 0.03  # "agrees within 3%"
MOST_MARGIN = 0.9  # relative; beyond it "equal" means nothing


ITSELF = "A/A itself"  # begins the reason where the machine, not B, is why nothing is known


class ComparisonVerdict(enum.Enum):
    """The result of comparing B with A."""

    DIFFERS = "differs"
    EQUAL = "equal"
    UNKNOWN = "inconclusive"


@dataclass(frozen=True)
class Comparison(AnalysisResult):
    """B over A: `ratio` (1) with its 95% interval.

    `p_differs` is two-sided against 1; `p_equal` the greater of the two one-sided tests at the margin. `spread` is
    the least and greatest ratio of single A/A pairs (None: no A/A run). `claim` is true with thirty launches.
    """

    verdict: ComparisonVerdict
    ratio: float
    ci95: tuple[float, float] | None
    margin: float
    p_differs: float
    p_equal: float
    pairs: int
    paired: bool
    statistic: str
    spread: tuple[float, float] | None
    claim: bool
    reason: str

    @property
    def blind(self) -> bool:
        """Whether nothing is known because A compared with itself was not equal at the margin."""
        return self.verdict is ComparisonVerdict.UNKNOWN and ITSELF in self.reason


def compare(
    a: ArrayLike,
    b: ArrayLike,
    *,
    margin: float = MARGIN,
    a_against_a: tuple[ArrayLike, ArrayLike] | None = None,
    paired: bool = True,
    paired_halves: bool | None = None,
    statistic: tuple[str, str] = ("median", "median"),
) -> Comparison:
    """Compare launch values `a` and `b` (launches,), positive, in one unit; `a_against_a`: both halves of the A/A run.

    `paired_halves`: whether those are paired, too (None: as the launches are); a run and a constant have no pairs.
    `statistic` names what each side's launches were reduced to. Raises ValueError where they differ, where a
    value is not positive, or where pairs do not match.
    """
    if statistic[0] != statistic[1]:
        raise ValueError(f"like with like: {statistic[0]} cannot be compared with {statistic[1]}")
    if not 0 < margin < 1:
        raise ValueError(f"a margin lies between 0 and 1, not at {margin}")
    centre, interval, p_differs, p_equal = _judge(_logs(a), _logs(b), margin, paired)
    pairs = min(np.size(a), np.size(b))
    verdict, reason = verdict_of(centre, interval, p_equal, margin, pairs)
    spread = None
    if a_against_a is not None:
        verdict, reason, spread = _after_a_against_a(
            a_against_a, margin, paired if paired_halves is None else paired_halves, verdict, reason, interval
        )
    elif verdict is ComparisonVerdict.EQUAL:
        reason += "; no A/A run shows what this machine can distinguish"
    return Comparison(
        verdict=verdict,
        ratio=math.exp(centre),
        ci95=None if interval is None else (math.exp(interval[0]), math.exp(interval[1])),
        margin=margin,
        p_differs=p_differs,
        p_equal=p_equal,
        pairs=pairs,
        paired=paired,
        statistic=statistic[0],
        spread=spread,
        claim=pairs >= CLAIM_LAUNCHES,
        reason=reason,
    )


def exact(a: float, b: float, margin: float, why: str) -> Comparison:
    """Compare two positive values that have no error: within the margin they are equal, beyond it they differ."""
    ratio = b / a
    equal = abs(math.log(ratio)) <= math.log1p(margin)
    return Comparison(
        verdict=ComparisonVerdict.EQUAL if equal else ComparisonVerdict.DIFFERS,
        ratio=ratio,
        ci95=(ratio, ratio),
        margin=margin,
        p_differs=1.0 if equal else 0.0,
        p_equal=0.0 if equal else 1.0,
        pairs=1,
        paired=True,
        statistic="median",
        spread=None,
        claim=True,
        reason=f"{_away(math.log(ratio))}; {why}",
    )


def _logs(values: ArrayLike) -> Floats:
    array = np.asarray(values, float).ravel()
    if len(array) == 0 or not np.isfinite(array).all() or (array <= 0).any():
        raise ValueError("a ratio needs launch values that are positive and finite")
    return np.asarray(np.log(array))


def _judge(a: Floats, b: Floats, margin: float, paired: bool) -> tuple[float, tuple[float, float] | None, float, float]:
    from scipy import stats  # late: it takes half a second, and most runs compare nothing

    edge = math.log1p(margin)
    sides: list[tuple[float, Side]] = [(0.0, "two-sided"), (-edge, "greater"), (edge, "less")]
    if paired:
        if len(a) != len(b):
            raise ValueError(f"{len(a)} launches cannot be paired with {len(b)}")
        shift = b - a
        walsh = walsh_averages(shift)
        outside = signed_rank_cut(len(shift), 0.025)
        tests = [_signed_rank(shift, bound, side) for bound, side in sides]
    else:
        walsh = np.sort(np.subtract.outer(b, a).ravel())
        outside = rank_sum_cut(len(a), len(b), 0.025)
        tests = [float(stats.mannwhitneyu(b - bound, a, alternative=side).pvalue) for bound, side in sides]
    interval = None
    if min(len(a), len(b)) >= LEAST_LAUNCHES and outside is not None:
        interval = (float(walsh[outside]), float(walsh[-1 - outside]))
    return float(np.median(walsh)), interval, tests[0], max(tests[1:])


def walsh_averages(values: Floats) -> Floats:
    """Give the sorted averages of all pairs of `values` (n,), each with itself too: n (n + 1) / 2 of them."""
    first, second = np.triu_indices(len(values))
    return np.sort((values[first] + values[second]) / 2)


@functools.cache
def signed_rank_distribution(n: int) -> Floats:
    """Give P(W+ = w), w = 0 .. n(n+1)/2, of Wilcoxon's signed-rank sum of `n` differences without ties."""
    counts = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1.0
    for rank in range(1, n + 1):
        counts[rank:] = counts[rank:] + counts[: len(counts) - rank]
        counts /= 2
    return counts


@functools.cache
def signed_rank_cut(n: int, tail: float) -> int | None:
    """Give how many Walsh averages each end of the interval leaves outside, the most with at most `tail`.

    None if even 0 is too many.
    """
    below = np.cumsum(signed_rank_distribution(n)) <= tail + 1e-12
    return int(below.sum()) - 1 if below[0] else None


@functools.cache
def rank_sum_cut(n: int, m: int, tail: float) -> int | None:
    """Give how many of the n m differences lie outside each end of the interval (normal beyond 8 on a side)."""
    from scipy import stats  # late: it takes half a second, and most runs compare nothing

    if max(n, m) <= 8:
        counts = np.zeros((n + 1, n * m + 1))  # of ways to take j of the first group with u inversions
        counts[0, 0] = 1
        for i in range(1, n + m + 1):
            for j in range(min(i, n), 0, -1):
                shift = i - j
                if shift <= m:
                    counts[j, shift:] += counts[j - 1, : n * m + 1 - shift]
        below = np.cumsum(counts[n]) / math.comb(n + m, n) <= tail + 1e-12
        return int(below.sum()) - 1 if below[0] else None
    cut = n * m / 2 + stats.norm.ppf(tail) * math.sqrt(n * m * (n + m + 1) / 12) - 0.5
    return int(cut) if cut >= 0 else None


def _signed_rank(shift: Floats, centre: float, side: Side) -> float:
    """p of Wilcoxon's signed-rank test that `shift` lies at `centre`.

    Differences of zero are dropped; tied ones have their mean rank and never make p smaller than it is.
    """
    from scipy import stats  # late: it takes half a second, and most runs compare nothing

    return float(stats.wilcoxon(shift - centre, alternative=side, method="exact").pvalue)


def verdict_of(
    centre: float, interval: tuple[float, float] | None, p_equal: float, margin: float, pairs: int
) -> tuple[ComparisonVerdict, str]:
    """The verdict by a log ratio, its 95% interval and the greater p of both one-sided tests, and why."""
    if interval is None:
        return ComparisonVerdict.UNKNOWN, f"{pairs} launch{'es' if pairs != 1 else ''}, {LEAST_LAUNCHES} needed"
    edge = math.log1p(margin)
    away = _away(centre)
    if (interval[0] > 0 or interval[1] < 0) and abs(centre) > edge:
        return ComparisonVerdict.DIFFERS, f"{away}, beyond the margin of {margin:.1%}, and the interval excludes 1"
    if p_equal < 0.05:
        return ComparisonVerdict.EQUAL, f"{away}, and both one-sided tests at {margin:.1%} pass"
    if interval[0] > 0 or interval[1] < 0:
        return (
            ComparisonVerdict.UNKNOWN,
            f"{away} is more than chance, but neither beyond the margin of {margin:.1%} nor surely inside",
        )
    return ComparisonVerdict.UNKNOWN, f"{away}, with an interval too wide for the margin of {margin:.1%}"


def _away(log_ratio: float) -> str:
    """The distance of two values as text: +3.2%, or 12 times where percentages are no longer readable."""
    ratio = math.exp(log_ratio)
    return f"{ratio - 1:+.1%}" if 0.1 < ratio < 10 else f"{ratio:.3g} times"


def _after_a_against_a(
    halves: tuple[ArrayLike, ArrayLike],
    margin: float,
    paired: bool,
    verdict: ComparisonVerdict,
    reason: str,
    interval: tuple[float, float] | None,
) -> tuple[ComparisonVerdict, str, tuple[float, float]]:
    """Hold the verdict against the same thing compared with itself, and give the spread of that.

    Where A/A is not equal at the margin, B is not either; a difference is then reported if its whole interval lies
    beyond every single A/A pair and the margin.
    """
    first, second = (_logs(half) for half in halves)
    _, _, _, p_equal = _judge(first, second, margin, paired)
    ratios = second - first if len(first) == len(second) else np.subtract.outer(second, first).ravel()
    spread = (math.exp(float(ratios.min())), math.exp(float(ratios.max())))
    if p_equal < 0.05:
        return verdict, reason, spread
    seen = f"{ITSELF}, {spread[0] - 1:+.1%} to {spread[1] - 1:+.1%}, is not equal within {margin:.1%} here today"
    reach = max(math.log1p(margin), float(np.abs(ratios).max()))
    if verdict is ComparisonVerdict.DIFFERS and interval is not None and (interval[0] > reach or interval[1] < -reach):
        return verdict, f"{reason}; {seen}, yet the whole interval lies beyond it", spread
    return ComparisonVerdict.UNKNOWN, f"inconclusive here: {seen}", spread


# --- families of comparisons ------------------------------------------------------------------------------------------


def holm(p: Sequence[float]) -> Floats:
    """Adjust p-values (n,) so that any false rejection in the family has the level (Holm 1979)."""
    values = np.asarray(p, float)
    order = np.argsort(values, kind="stable")
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def correct_family(family: Sequence[Comparison], how: str = "holm", level: float = 0.05) -> tuple[Comparison, ...]:
    """Take back the `differs` and the `equal` of a family that do not survive correction.

    `how` is holm, or benjamini-hochberg: the expected share of false rejections has the level (1995).
    """
    from scipy import stats  # late: it takes half a second, and most runs compare nothing

    adjust: dict[str, Callable[[Sequence[float]], Floats]] = {
        "holm": holm,
        "benjamini-hochberg": stats.false_discovery_control,
    }
    differs, equal = adjust[how]([c.p_differs for c in family]), adjust[how]([c.p_equal for c in family])
    out = []
    for comparison, p_differs, p_equal in zip(family, differs.tolist(), equal.tolist(), strict=True):
        lost = {ComparisonVerdict.DIFFERS: p_differs > level, ComparisonVerdict.EQUAL: p_equal > level}.get(
            comparison.verdict, False
        )
        fresh = replace(comparison, p_differs=p_differs, p_equal=p_equal)
        if lost:
            reason = f"{comparison.reason}; not among {len(family)} comparisons ({how})"
            fresh = replace(fresh, verdict=ComparisonVerdict.UNKNOWN, reason=reason)
        out.append(fresh)
    return tuple(out)
