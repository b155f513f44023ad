"""Runs beside runs, figure by figure: what differs, what is equal, what is undecided (method.md, rules 9 and 13).

Both sides come from their runs' documents, so that a column holds exactly what the report prints: the same reduction
over nodes and launches, the same estimator, the same state. Runs are compared launch against launch (Hodges-Lehmann,
two one-sided tests, Holm over the family). They were not interleaved, so the even launches of a run against its odd
ones serve as the A/A run, of each run, and the one further apart counts. Build variants of one run were interleaved:
their launches are paired. A simulated machine answers the same every time: it needs one launch and has no error of its
own. Nor have counts, sizes and errors of results (`exact` in a record).
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from assay.analysis.comparison import MARGIN, Comparison, ComparisonVerdict, compare, correct_family, exact
from assay.analysis.run_spread import RunSpread, compare_runs
from assay.benchmark.record import among
from assay.case import Case
from assay.document.comparison import FigureRow, FigureSide, JudgedRow
from assay.document.params import Parameters, placement_from_host
from assay.document.reported_figure import FigureKey, ReportedFigure
from assay.document.run_document import Document

Key = FigureKey  # of a case without what came out in it
Laid = tuple[Key, FigureRow, Comparison | None]  # a row before the correction of its family
ZERO = "zero on both sides"  # alike, but nothing that launches could have told: the rate of an empty message
EXACT = "exact: no launch gives another value"
LEAST_BETWEEN = 3  # launches of each of two runs that are compared by the spread between runs
LEAST_HALVES = {False: 8, True: 10}  # launches, unpaired and paired: halves of fewer cannot be shown equal at 95%


def compared(document: Document) -> dict[Key, ReportedFigure]:
    """Give the figures of a run that a comparison can be about: one per figure and case, as the report prints it.

    That is the median, or what the judge put in its place; tails and first calls are left to the report.
    """
    found: dict[Key, ReportedFigure] = {}
    for section in document.benchmarks:
        outcomes = outcomes_of(section.benchmark)
        for figure in section.figures:
            key = (section.benchmark, figure.name, identity(figure.params, outcomes))
            if figure.statistic == "median" or (figure.state in ("bound", "invalid") and key not in found):
                found[key] = figure
    return found


def outcomes_of(benchmark: str) -> frozenset[str]:
    """What a benchmark's cases are labelled with and only their results say, such as where the worst error is.

    Two runs that find different ones measured the same case nonetheless.
    """
    record = among([benchmark]).get(benchmark)
    return record.outcomes if record else frozenset()


def identity(case: Case, outcomes: Set[str]) -> Case:
    """What a case is compared by."""
    return case.without(outcomes)


def against(
    a: Document,
    b: Document,
    margin: float = MARGIN,
    gated: Callable[[Key], bool] | None = None,
    spreads: Mapping[Key, RunSpread] | None = None,
) -> list[JudgedRow | FigureRow]:
    """Compare every figure that both documents have; ratios are B to A (of a time: above 1 is slower).

    `spreads`: estimator and spread between runs of figures that earlier runs have: these decide by them (rule 16).

    `gated` selects the figures that a threshold rests on: they are a family of their own. Rows come in the order of the
    report, each figure's cases in order of size.
    """
    first, second = compared(a), compared(b)
    alike = a.described == b.described
    rows: list[Laid] = []
    for key, figure in first.items():
        other = second.get(key) if alike else nearest(key, figure, second)
        if other is not None:
            rows.append((key, *_row(a, b, (figure, other), margin, (spreads or {}).get(key))))
    judged = _corrected(rows, gated or (lambda key: False))
    made = [row if found is None else _judged_row(found, row) for (_, row, _), found in judged]
    order = {key: place for place, key in enumerate(dict.fromkeys(key[:2] for key in first))}
    return sorted(made, key=lambda row: (order[row.benchmark, row.figure], size(row.params)))


def _row(
    a: Document,
    b: Document,
    pair: tuple[ReportedFigure, ReportedFigure],
    margin: float,
    spread: RunSpread | None = None,
) -> tuple[FigureRow, Comparison | None]:
    """Lay two figures side by side, and judge them where both have launches to judge by."""
    one, other = pair
    record = among([one.benchmark]).get(one.benchmark)
    row = FigureRow(
        benchmark=one.benchmark,
        metric=record.figures[one.name].metric if record and one.name in record.figures else one.name,
        figure=one.name,
        params=identity(one.params, record.outcomes if record else frozenset()),
        a=side(a, one),
        b=side(b, other),
        unit=one.unit,
        better=one.better,
        ratio=None if not one.value or other.value is None else other.value / one.value,
        margin=margin,
        verdict=ComparisonVerdict.UNKNOWN.value,
        reason=_refused((a.run, one), (b.run, other)),
    )
    if record is not None and row.metric in record.exact and all(map(_is_settled, pair)):
        return _without_error(row, one.by_launch[0][1], other.by_launch[0][1]), None
    if all(of.by_launch and not any(value for _, value in of.by_launch) and _stands(of) for of in pair):
        return replace(row, verdict=ComparisonVerdict.EQUAL.value, reason=ZERO), None
    return row, None if row.reason else _judged(a, b, pair, margin, spread)


def _is_settled(figure: ReportedFigure) -> bool:
    """Whether all launches gave one value, which stands."""
    return _stands(figure) and len({value for _, value in figure.by_launch}) == 1


def _without_error(row: FigureRow, one: float, other: float) -> FigureRow:
    """Judge what has no error, such as a count: no launches are needed, and none of a family of tests is spent on it.

    Where there is no ratio of the two, as with one that is zero, they are equal or differ as they are.
    """
    if one * other > 0:
        return _judged_row(exact(one, other, row.margin, EXACT), row)
    verdict = ComparisonVerdict.EQUAL if one == other else ComparisonVerdict.DIFFERS
    return replace(row, verdict=verdict.value, reason=f"{one:.4g} and {other:.4g}; {EXACT}")


def side(document: Document, figure: ReportedFigure) -> FigureSide:
    """Give a figure as one side of a comparison."""
    return FigureSide(
        run=document.run,
        median=figure.value,
        value=figure.value,
        params=figure.params,
        kind=figure.kind,
        state=figure.state,
        estimator=figure.estimator,
        disturbance=figure.disturbance,
        launches=len(figure.by_launch),
        tail=None if figure.statistics is None or document.described else figure.statistics.tail,
        guest=placement_from_host([figure.params], (facts.virtualised for facts in document.provenance.values())),
    )


def _refused(*sides: tuple[str, ReportedFigure]) -> str | None:
    """Why two figures cannot be compared at all; None where they can."""
    for run, figure in sides:
        if figure.state == "bound":
            return f"only a bound in {run}: a bound is no estimate"
        if figure.state == "invalid" or figure.value is None:
            return f"invalid in {run}"
        if figure.value <= 0 or any(value <= 0 for _, value in figure.by_launch):
            return f"zero or below in {run}, which has no ratio"
        if not figure.by_launch:
            return f"no launches in {run}"
    return None


def _stands(figure: ReportedFigure) -> bool:
    return figure.state in ("clean", "disturbed")


def _judged(
    a: Document,
    b: Document,
    pair: tuple[ReportedFigure, ReportedFigure],
    margin: float,
    spread: RunSpread | None = None,
) -> Comparison:
    if a.folder and a.folder == b.folder and a.run != b.run:
        return interleaved(pair, margin)
    one, other = ([value for _, value in figure.by_launch] for figure in pair)
    fixed = [d.described and len(set(values)) == 1 for d, values in ((a, one), (b, other))]
    if a.run == b.run and one == other:
        return exact(one[0], one[0], margin, "the same readings")
    if spread is not None and a.run != b.run and not any(fixed) and min(len(one), len(other)) >= LEAST_BETWEEN:
        return _medians_apart(compare_runs(one, other, pair[0].better, margin, spread), one, other)
    if all(fixed):
        return exact(one[0], other[0], margin, "both are simulated and vary in no launch")
    paired = any(fixed)  # what does not vary is repeated for each launch of the other: a one-sample test
    halves = [_halves(each, False) for each, constant in ((one, fixed[0]), (other, fixed[1])) if not constant]
    itself = max((each for each in halves if each is not None), key=_apart, default=None)
    if paired:
        one, other = (one[:1] * len(other), other) if fixed[0] else (one, other[:1] * len(one))
    found = compare(one, other, margin=margin, a_against_a=itself, paired=paired, paired_halves=False)
    return _displaced(found, *pair)


def _medians_apart(found: Comparison, one: Sequence[float], other: Sequence[float]) -> Comparison:
    """Take back "equal" where medians differ by more than the margin: equal best cases must not hide that."""
    medians = float(np.median(other)) / float(np.median(one))
    if found.verdict is not ComparisonVerdict.EQUAL or abs(math.log(medians)) <= math.log1p(found.margin):
        return found
    reason = f"{found.reason}; but medians differ by {medians - 1:+.1%}"
    return replace(found, verdict=ComparisonVerdict.UNKNOWN, reason=reason)


def interleaved(pair: tuple[ReportedFigure, ReportedFigure], margin: float) -> Comparison:
    """Compare two sides of one run, such as build variants, whose launches hold both: launch by launch."""
    by_launch = [{int(launch): value for launch, value in figure.by_launch} for figure in pair]
    common = sorted(by_launch[0].keys() & by_launch[1].keys())
    if not common:  # no launch has both: nothing is paired
        one, other = (list(values.values()) for values in by_launch)
        return _displaced(compare(one, other, margin=margin, paired=False), *pair)
    one, other = ([values[launch] for launch in common] for values in by_launch)
    halves = [_halves(each, True) for each in (one, other)]
    itself = max((each for each in halves if each is not None), key=_apart, default=None)
    return _displaced(compare(one, other, margin=margin, a_against_a=itself, paired=True), *pair)


def _displaced(found: Comparison, one: ReportedFigure, other: ReportedFigure) -> Comparison:
    """Take back a verdict that does not survive what the disturbance of either side can have moved.

    A figure observed is the true one times 1 + d, d in [low, high]: the interval of the ratio widens by both.
    """
    (low_a, high_a), (low_b, high_b) = _moved(one), _moved(other)
    if found.ci95 is None or found.verdict is ComparisonVerdict.UNKNOWN or not any((low_a, high_a, low_b, high_b)):
        return found
    low, high = found.ci95[0] * (1 + low_a) / (1 + high_b), found.ci95[1] * (1 + high_a) / (1 + low_b)
    inside = 1 / (1 + found.margin) <= low and high <= 1 + found.margin
    if (found.verdict is ComparisonVerdict.DIFFERS and not low <= 1 <= high) or (
        found.verdict is ComparisonVerdict.EQUAL and inside
    ):
        return found
    reason = f"{found.reason}; but the disturbance can have moved the ratio to anything from {low:.3f} to {high:.3f}"
    reason += "; earlier runs of both figures, or `compare --live`, would decide it"
    return replace(found, verdict=ComparisonVerdict.UNKNOWN, reason=reason)


def _moved(figure: ReportedFigure) -> tuple[float, float]:
    """How far disturbance can have moved a figure; nothing where it is clean by its own small effect."""
    stated = figure.disturbance
    if figure.state != "disturbed" or stated is None:
        return 0.0, 0.0
    low = -0.99 if stated.low is None else max(stated.low, -0.99)  # None: without a bound
    high = 1e6 if stated.high is None else min(stated.high, 1e6)
    return min(low, 0.0), max(high, 0.0)


def _corrected(rows: Sequence[Laid], gated: Callable[[Key], bool]) -> list[tuple[Laid, Comparison | None]]:
    """Correct each family: the gate's figures and the others; of a metric's several figures each is in its own.

    A second formula of the same readings (a rate beside its time) is no second test.
    """
    families: dict[tuple[bool, int], list[int]] = defaultdict(list)
    formulas: dict[tuple[str, str, Case], int] = defaultdict(int)
    for i, (key, row, found) in enumerate(rows):
        if found is not None:
            cell = (row.benchmark, row.metric, key[2])
            families[gated(key), formulas[cell]].append(i)
            formulas[cell] += 1
    corrected: dict[int, Comparison] = {}
    for members in families.values():
        family = [found for i in members if (found := rows[i][2]) is not None]
        corrected |= dict(zip(members, correct_family(family), strict=True))
    return [(row, corrected.get(i)) for i, row in enumerate(rows)]


def _judged_row(found: Comparison, row: FigureRow) -> JudgedRow:
    """Join a comparison to its row; `ratio` stays that of the two columns, `shift` is Hodges and Lehmann's."""
    columns = found.to_dict()  # what is not finite is None
    columns |= {"ratio": row.ratio, "shift": columns["ratio"], "ci95": found.ci95, "spread": found.spread}
    return JudgedRow(**vars(row) | columns)


def _halves(values: Sequence[float], paired: bool) -> tuple[Sequence[float], Sequence[float]] | None:
    """Even launches and odd ones, as many of each; None where they are too few."""
    return (values[0::2][: len(values) // 2], values[1::2]) if len(values) >= LEAST_HALVES[paired] else None


def _apart(halves: tuple[Sequence[float], Sequence[float]]) -> float:
    """Give the distance of two halves: that of their medians, as a ratio's logarithm."""
    return abs(float(np.log(np.median(halves[1]) / np.median(halves[0]))))


def nearest(key: Key, figure: ReportedFigure, others: dict[Key, ReportedFigure]) -> ReportedFigure | None:
    """Find a simulated machine's figure for a measured one, or the other way: what both state is alike.

    Hops are known on one side only: the fewest stand for two neighbours.
    """
    fitting = [
        other
        for (benchmark, name, _), other in others.items()
        if (benchmark, name) == key[:2]
        and all(
            str(figure.params[k]) == str(v)
            for k, v in other.params.items()
            if v is not None and figure.params.get(k) is not None
        )
    ]
    return min(fitting, key=lambda other: size(other.params), default=None)


def size(case: Parameters) -> tuple[Any, ...]:
    """Order cases by their parameters: numbers by size, also those within text."""
    return tuple(_place(case[name]) for name in case)


def _place(value: object) -> tuple[Any, ...]:
    if value is None or isinstance(value, bool):
        return (0, (), str(value))
    if isinstance(value, int | float):
        return (1, ((value, ""),), "") if math.isfinite(value) else (3, (), str(value))
    parts = re.findall(r"(\d+)|(\D+)", str(value))
    return (2, tuple((int(number) if number else -1, text) for number, text in parts), "")
