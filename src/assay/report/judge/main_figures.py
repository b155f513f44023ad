"""What a run reached: the main figures of its parts, each beside its bound and beside earlier runs.

A bar is the share of the bound that was reached, so that longer is better whatever the unit; interval and earlier runs
are drawn on the same scale.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.document.reported_figure import Headline, ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Bar, BarTick, Bound, EarlierValue, ReachedLine
from assay.document.section import Section
from assay.report.derive.software import made_with
from assay.report.derive.states import displaced, words
from assay.report.derive.variants import reference
from assay.report.judge.bounds import Share, percent, reached, share
from assay.report.judge.first_figures import MOST_LINES, has_main_figures, shown_first
from assay.report.judge.history import EarlierRun, ticks
from assay.report.render.tables import spread
from assay.report.units import human, unit_of


def lines(document: Document, before: Sequence[EarlierRun], most: int = MOST_LINES) -> list[ReachedLine]:
    """Lay out the figures that are shown first, each beside its bound and beside what earlier runs reached."""
    whole = document if has_main_figures(document) else reference(document)
    return [_line(figure, section, whole, before) for figure, section in shown_first(document, most)]


def _line(main: Headline, section: Section, document: Document, before: Sequence[EarlierRun]) -> ReachedLine:
    figure = main.figure
    value = figure.shown
    own = None if value is None else share(main, document)
    pair = None if value is None else figure.ci95 or figure.range
    software = made_with(section, document)
    earlier = ticks(section.benchmark, main, before, software)
    bound = None if value is None or own is None or own.passed_by else _passed(figure, value, own, earlier)
    bar = None if value is None else _bar(figure, value, pair, bound, earlier)
    unbounded = "the description implies no bound" if document.described else "no physical bound is known"
    return ReachedLine(
        part=section.part,
        benchmark=section.benchmark,
        title=main.title,
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
        advice=main.advice or "",
        figure=figure.name,
        made_with=software or None,
        chosen=main.chosen,
    )


def _passed(figure: ReportedFigure, value: float, own: Share, earlier: Sequence[EarlierValue]) -> Bound:
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


def _bound_text(figure: ReportedFigure, own: Share | None, bound: Bound | None) -> str:
    """Say what the bound is, or that it was passed; the caller that draws the bar writes the share."""
    if bound is None:
        return own.text if own and own.passed_by else ""
    return own.text if own and bound.share > 1 else f"of {human(bound.value, unit_of(figure), 3)}: {bound.basis}"


def _bar(
    figure: ReportedFigure, value: float, pair: list[float] | None, bound: Bound | None, earlier: Sequence[EarlierValue]
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
