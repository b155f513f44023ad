"""Which figures decide between two variants in turn, by which statistic of a launch, and what so many pairs show.

Both are fixed by the pilot, before the first pair that is judged: the figures and so the share of the error rate that
each has, and for each figure its median or its best reading (analysis/launch_statistics.py). What is missing or invalid
later stays in the family, inconclusive: it is never passed over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay.analysis.comparison import ComparisonVerdict, walsh_averages
from assay.analysis.launch_statistics import BEST, MEDIAN, PILOT, TAIL, steadier
from assay.analysis.paired_decision import PairedDecision, PairedPlan
from assay.document.params import Parameters
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.report.judge.comparison import Key, compared
from assay.report.judge.gate import headlines, is_worse, means

SHOWN = (MEDIAN, TAIL)  # of both sides, whatever decides


@dataclass(frozen=True)
class SeenStatistic:
    """A statistic of the judged launches of both sides: the middle one of A and B (SI units), and B / A by pairs."""

    a: float
    b: float
    ratio: float


@dataclass(frozen=True)
class LiveFigure:
    """What was decided of one figure in one case, after `decision.pairs` pairs; None where no pair has a ratio.

    `statistic`: what of each launch decides, fixed by the pilot. `reason`: why it is inconclusive, where more pairs do
    not decide it. `seen`: median and tail, by name.
    """

    benchmark: str
    figure: str
    params: Parameters
    better: str
    decision: PairedDecision | None
    statistic: str = MEDIAN
    unit: str = "1"
    reason: str | None = None
    seen: Mapping[str, SeenStatistic] = field(default_factory=dict)

    @property
    def decided(self) -> bool:
        """Whether it is equal or differs."""
        return self.decision is not None and self.decision.decided

    @property
    def verdict(self) -> str:
        """The verdict: equal, differs or inconclusive."""
        return self.decision.verdict.value if self.decision is not None and self.decided else "inconclusive"

    @property
    def worse(self) -> bool:
        """Whether it differs, and B is worse."""
        return self.decision is not None and self.verdict == "differs" and is_worse(self.decision.ratio, self.better)


@dataclass(frozen=True)
class FixedFigure:
    """A figure that is judged, with what was fixed before."""

    key: Key
    statistic: str


def fix_figures(a: Document, b: Document, words: Sequence[str] | None) -> list[FixedFigure]:
    """Fix by the pilot's launches what is judged; nothing where the variants have no such figure in common.

    `words`: the figures as `--figures` has them, also those that one variant lacks; None: the headlines of A, and those
    of B of which A has none (where there are none, every figure of A).
    """
    first, second = compared(a), compared(b)
    if words is None:
        own = headlines(a)
        chosen = own | {key for key in headlines(b) if key[:2] not in {each[:2] for each in own}}
        wanted = [key for key in [*first, *second] if key in chosen] or list(first)
    else:
        wanted = [key for key in [*first, *second] if any(means(word, key[:2]) for word in words)]
    wanted = list(dict.fromkeys(wanted))
    if not any(key in first and key in second for key in wanted):
        return []
    return [FixedFigure(key, _steadier(first.get(key), second.get(key))) for key in wanted]


def _steadier(a: ReportedFigure | None, b: ReportedFigure | None) -> str:
    return steadier({name: _log_ratios(a, b, name, range(PILOT)) for name in (MEDIAN, BEST)})


def look(
    a: Document, b: Document, fixed: Sequence[FixedFigure], plan: PairedPlan, pairs: int, *, only_worse: bool
) -> tuple[LiveFigure, ...]:
    """Judge each figure that was fixed after so many pairs behind the pilot; `only_worse`: a better B is no matter."""
    first, second = compared(a), compared(b)
    judged = replace(plan, figures=len(fixed))
    return tuple(_judged(each, first, second, judged, range(PILOT, PILOT + pairs), only_worse) for each in fixed)


def _judged(
    of: FixedFigure,
    first: Mapping[Key, ReportedFigure],
    second: Mapping[Key, ReportedFigure],
    plan: PairedPlan,
    launches: range,
    only_worse: bool,
) -> LiveFigure:
    a, b = first.get(of.key), second.get(of.key)
    known = a or b
    benchmark, name, case = of.key
    unit, better = ("1", "lower") if known is None else (known.unit, known.better)
    found = LiveFigure(benchmark, name, known.params if known else case, better, None, of.statistic, unit)
    ratios = {each: _log_ratios(a, b, each, launches) for each in (of.statistic, *SHOWN)}
    lacking = [side for side, figure in (("A", a), ("B", b)) if figure is None]
    invalid = [side for side, figure in (("A", a), ("B", b)) if figure is not None and figure.statistics is None]
    if lacking or invalid:
        why = f"not measured in {' and '.join(lacking)}" if lacking else f"invalid in {' and '.join(invalid)}"
        return replace(found, reason=why)
    if not ratios[of.statistic]:
        return replace(
            found, reason="no pair has a ratio" if launches else "the budget ended before the first judged pair"
        )
    decision = plan.look(ratios[of.statistic])
    missing, reason = len(launches) - len(ratios[of.statistic]), None
    if missing and not decision.decided:
        reason = f"{missing} of {len(launches)} pairs have no ratio"
    if decision.verdict is ComparisonVerdict.EQUAL:
        reason = _apart(of, ratios, plan, better if only_worse else None)
        if reason is not None:
            decision = replace(decision, verdict=ComparisonVerdict.UNKNOWN)
    seen = {each: _seen(a, b, each, launches, ratios[each]) for each in SHOWN}
    shown = {each: value for each, value in seen.items() if value is not None}
    return replace(found, decision=decision, reason=reason, seen=shown)


def _apart(of: FixedFigure, ratios: Mapping[str, Sequence[float]], plan: PairedPlan, better: str | None) -> str | None:
    """Why it is not called equal: no other statistic may differ, as the same pairs show; `better`: for the worse."""
    for name in SHOWN:
        if name == of.statistic or not ratios[name]:
            continue
        found = plan.look(ratios[name])
        if found.verdict is ComparisonVerdict.DIFFERS and (better is None or is_worse(found.ratio, better)):
            return f"equal by {of.statistic}s, but {name}s differ by {found.ratio - 1:+.1%}"
    return None


def _seen(
    a: ReportedFigure | None, b: ReportedFigure | None, name: str, launches: range, ratios: Sequence[float]
) -> SeenStatistic | None:
    values = [_values(of, name, launches) for of in (a, b)]
    if not ratios or not all(values):
        return None
    middles = [float(np.median(list(of.values()))) for of in values]
    centre = float(np.median(walsh_averages(np.asarray(ratios, float))))
    return SeenStatistic(middles[0], middles[1], math.exp(centre))


def _log_ratios(a: ReportedFigure | None, b: ReportedFigure | None, name: str, launches: range) -> list[float]:
    """Give ln(B / A) of the pairs that have one; equal values, such as two counts of zero, have the ratio 1."""
    first, second = (_values(of, name, launches) for of in (a, b))
    pairs = [(value, second[launch]) for launch, value in first.items() if launch in second]
    return [
        0.0 if one == other else math.log(other / one) for one, other in pairs if one == other or min(one, other) > 0
    ]


def _values(of: ReportedFigure | None, name: str, launches: range) -> dict[int, float]:
    found = {} if of is None or of.statistics is None else of.statistics.by_launch[name]
    return {launch: value for launch, value in found.items() if launch in launches}
