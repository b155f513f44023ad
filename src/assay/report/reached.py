"""What a run reached: the main figures of its parts, each beside its bound and beside earlier runs.

A bar is the share of the bound that was reached, so that longer is better whatever the unit; interval and earlier runs
are drawn on the same scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.benchmark.record import PARTS
from assay.document.reported_figure import Headline, ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Bar, BarTick, Bound, EarlierValue, ReachedLine
from assay.document.section import Section
from assay.report import choices_first, fastest_ways, first_titles
from assay.report.bounds import Share, percent, reached, share
from assay.report.earlier import EarlierRun, ticks
from assay.report.first_cases import first_cases
from assay.report.made_with import made_with
from assay.report.plots import wanted
from assay.report.ranks_per_node import without_number
from assay.report.states import displaced, words
from assay.report.tables import listed, spread
from assay.report.units import human, unit_of
from assay.report.variants import reference

MOST_LINES = 10
MOST_FIRST = 6  # cases of a run without main figures
MOST_PER_NODE = 2  # main figures that differ by the ranks per node alone
LAST = 9  # order of a headline whose record gives none


def lines(document: Document, before: Sequence[EarlierRun], most: int = MOST_LINES) -> list[ReachedLine]:
    """Pick the main figures, each part's first ones first, and lay them out in the order of the parts.

    `most` counts a main figure once, whatever ranks per node it has: of these the best and the worst are shown.

    Where there are none and a library's choice is judged, it and the best other way of the worst cases stand for them,
    with the fastest ways of operations that have no such choice.
    """
    by_part: dict[str, list[tuple[list[Headline], Section]]] = {}
    for section in document.benchmarks:
        if not section.historical:
            for alternatives in _by_ranks_per_node(section.headlines):
                by_part.setdefault(section.part or "", []).append((alternatives, section))
    if not by_part:
        whole, document = document, reference(document)  # as main figures are: of variants the first one's
        by_part = {section.part or "": [] for section in document.benchmarks}
        for section, all_variants in zip(document.benchmarks, whole.benchmarks, strict=True):
            figures = _of_choices(section, all_variants) or _first_figures(section)
            by_part[section.part or ""] += [([figure], section) for figure in figures]
        most = min(most, MOST_FIRST)
    for found in by_part.values():
        found.sort(key=lambda each: each[0][0].order or LAST)
    turns = max((len(found) for found in by_part.values()), default=0)
    order = [*PARTS, *sorted(set(by_part) - set(PARTS))]
    picked = [(part, turn) for turn in range(turns) for part in order if turn < len(by_part.get(part, ()))][:most]
    picked.sort(key=lambda at: (order.index(at[0]), at[1]))
    shown = [by_part[part][turn] for part, turn in picked]
    return [_line(figure, section, document, before) for figures, section in shown for figure in figures]


def _by_ranks_per_node(headlines: Sequence[Headline]) -> list[list[Headline]]:
    """Each main figure, of several numbers of ranks per node the best and the worst, which stand together.

    Where all are written alike one stands for them, whose title names all numbers.
    """
    groups: list[list[Headline]] = []
    for figure in headlines:
        before = groups[-1][-1] if groups else None
        if before and before.name == figure.name and 0 < _per_node(before) < _per_node(figure):
            groups[-1].append(figure)
        else:
            groups.append([figure])
    return [_as_one(group) or _best_and_worst(group) for group in groups]


def _as_one(group: list[Headline]) -> list[Headline]:
    """The last of those that are written alike, of one state, with all numbers in its title; [] where they are not."""
    last = group[-1]
    written = {(human(each.shown, unit_of(each), 3), each.state, without_number(each)) for each in group}
    if len(group) == 1 or len(written) > 1:
        return []
    numbers = [str(_per_node(each)) for each in group]
    return [replace(last, title=f"{without_number(last)}, {', '.join(numbers[:-1])} and {numbers[-1]} per node")]


def _best_and_worst(group: list[Headline]) -> list[Headline]:
    """The ends of those with a value by it, in order of the ranks per node; all where they are two or fewer."""
    ranked = sorted((each for each in group if each.shown is not None), key=lambda each: each.shown or 0.0)
    ends = [ranked[0], ranked[-1]] if len(group) > MOST_PER_NODE and len(ranked) > 1 else group
    return [each for each in group if any(each is end for end in ends)]


def _per_node(figure: Headline) -> int:
    return int(figure.params.get("ppn") or 0)


def _of_choices(section: Section, all_variants: Section) -> list[Headline]:
    """What stands for the main figures where choices were judged; the operations that are more come first."""
    judged = list(choices_first.pairs(all_variants))
    if not judged:
        return []
    others = list(fastest_ways.first(section))
    return [*others, *judged] if fastest_ways.stands_first(section) else [*judged, *others]


def _first_figures(section: Section) -> list[Headline]:
    """What stands for the main figures of a benchmark whose record names none: its first figure, case by case."""
    main = [figure for figure in listed(section) if figure.main]
    name = next((name for name in wanted(section) if any(figure.name == name for figure in main)), "")
    every = [figure for figure in main if figure.name == name]
    chosen = first_cases(section, every)
    bound = _first_bound(section, chosen[0]) if chosen else None
    pairs = list(zip(chosen, first_titles.titles(section, every, chosen), strict=True))
    return [Headline(**vars(figure), title=title, bound=bound) for figure, title in pairs[:MOST_FIRST]]


def _first_bound(section: Section, figure: ReportedFigure) -> str | None:
    """The bound of a figure of which no record says it: the arithmetic peak, or of a part the whole."""
    if section.peak_shares and figure.unit == "flop/s":
        return "peak_measured"
    return "whole" if unit_of(figure) == "%" and figure.better == "higher" else None


def _line(figure: Headline, section: Section, document: Document, before: Sequence[EarlierRun]) -> ReachedLine:
    value = figure.shown
    own = None if value is None else share(figure, document)
    pair = None if value is None else figure.ci95 or figure.range
    software = made_with(section, document)
    earlier = ticks(section.benchmark, figure, before, software)
    bound = None if value is None or own is None or own.passed_by else _passed(figure, value, own, earlier)
    bar = None if value is None else _bar(figure, value, pair, bound, earlier)
    unbounded = "the description implies no bound" if document.described else "no physical bound is known"
    return ReachedLine(
        part=section.part,
        benchmark=section.benchmark,
        title=figure.title,
        value=value,
        unit=figure.unit,
        text=human(value, unit_of(figure), 3),
        interval=spread(figure),
        pair=pair,
        spread=(pair[1] - pair[0]) / abs(value) if pair and value and figure.launches != 1 else None,
        params=figure.params,
        better=figure.better,
        state=figure.state,
        state_text=words(figure),
        displaced=displaced(figure.disturbance),
        bound=bound,
        earlier=earlier,
        bound_text=_bound_text(figure, own, bound) or ("" if bar or value is None else unbounded),
        bar=bar,
        advice=figure.advice or "",
        figure=figure.name,
        made_with=software or None,
        chosen=figure.chosen,
    )


def _passed(figure: Headline, value: float, own: Share, earlier: Sequence[EarlierValue]) -> Bound:
    """The bound, or what an earlier run reached where that is more: a bound from a disturbed run can be too low."""
    bound = Bound(value=own.value, share=own.share, basis=own.basis)
    values = [tick for tick in earlier if tick.value]
    if not values or not value:
        return bound
    of = (max if figure.better == "higher" else min)(values, key=lambda tick: tick.value)
    best = of.value
    if (best <= bound.value) if figure.better == "higher" else (best >= bound.value):
        return bound
    how = f", with {', '.join(of.made_with)}" if of.made_with else ""
    return Bound(value=best, share=reached(value, best, figure.better), basis=f"reached by an earlier run{how}")


def _bound_text(figure: Headline, own: Share | None, bound: Bound | None) -> str:
    """Say what the bound is, or that it was passed; the caller that draws the bar writes the share."""
    if bound is None:
        return own.text if own and own.passed_by else ""
    return own.text if own and bound.share > 1 else f"of {human(bound.value, unit_of(figure), 3)}: {bound.basis}"


def _bar(
    figure: Headline, value: float, pair: list[float] | None, bound: Bound | None, earlier: Sequence[EarlierValue]
) -> Bar | None:
    """The scale is the bound, else the best of this figure and the earlier ones; None where there is neither."""
    values = [tick.value for tick in earlier if tick.value]
    if bound is not None and bound.share <= 1:
        scale, known = bound.value, True
    elif values and value:
        every, known = [value, *values], False
        scale = max(every) if figure.better == "higher" else min(every)
    else:
        return None

    def at(value: float) -> float:
        none = value == 0 and figure.better == "lower"  # a time of nothing, or a difference of two
        return 1.0 if none else min(1.0, max(0.0, reached(value, scale, figure.better)))

    ends = sorted(at(end) for end in pair) if pair else [at(value)] * 2
    return Bar(
        bounded=known,
        at=at(value),
        low=ends[0],
        high=ends[1],
        ticks=[BarTick(run=tick.run, at=at(tick.value), made_with=tick.made_with) for tick in earlier if tick.value],
        text=percent(at(value)) if known else "",
    )
