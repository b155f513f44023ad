"""What each of several reaches of what they have in common, as bars side by side, and what all reach together.

A record asks for them by `[shares]`: `parts`, the figures that are shares; `each`, a parameter that names whose it is,
as each hardware thread's own speed; `over`, the parameter along the axis; `sum`, the figure of all together (where its
cases do not know `over`, it is of the last). With `each` a part is what one moved over its own time at work, which ends
before the slowest one's: such parts are not added up. Best readings are hatched and said to be such.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.document.grid import Grid, grid
from assay.document.params import Parameters, Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section, SharesDrawn
from assay.report.registry import BenchmarkView, Place, ReportSection, no_tables, only
from assay.report.render.axes import linear
from assay.report.render.best_readings import BEST, HATCHED, legend_entry, symbols
from assay.report.render.plots import COLOURS, layout
from assay.report.units import human

MOST_NAMED = 16  # more parts than a legend can hold
MOST_LETTERS = 90  # of all cases' names below upright bars


@dataclass
class CaseShares:
    """What was measured of one case: each part's figure by its name, and that of all together."""

    parts: dict[str, ReportedFigure] = field(default_factory=dict)
    sum: ReportedFigure | None = None


def plots(section: Section) -> list[Plot]:
    """Draw the shares of one benchmark: one picture, a group of bars for every case."""
    wanted = section.shares
    if not wanted:
        return []
    cases = _cases(section, wanted)
    lying = sum(len(case) for case, _ in cases) > MOST_LETTERS  # too many words to stand below upright bars
    places: dict[tuple[str, str], Any] = {at: at for at in cases}
    if lying:
        places = {(case, over): f"{case}, {wanted.over} {over}".removeprefix(", ") for case, over in cases}
    names = dict.fromkeys(name for found in cases.values() for name in found.parts)
    made = [
        _bar(name, i, {places[at]: found.parts[name] for at, found in cases.items() if name in found.parts})
        for i, name in enumerate(names)
    ]
    if not made:
        return []
    for trace in made:
        trace["showlegend"] = len(made) <= MOST_NAMED
    sums = {places[at]: found.sum for at, found in cases.items() if found.sum is not None}
    if sums:
        made.append(_together("all together" if wanted.each else "sum", sums))
    known = [figure for found in cases.values() for figure in (*found.parts.values(), found.sum) if figure]
    if any(figure.state == "bound" for figure in known):
        legend = legend_entry(name=f"hatched or hollow: {BEST}", symbol="diamond")
        made.append({**legend, "places": [next(iter(places.values()))], "values": [None]})
    drawn = layout(_title(wanted), "", "rate", False)
    drawn["barmode"] = "group"
    drawn["margin"]["b"] = 76  # two rows of words, and the buttons below them
    drawn["switch"] = False
    drawn["xaxis"] = {"type": "multicategory", "tickangle": 0, "automargin": True}
    if lying:
        drawn["xaxis"] = drawn["yaxis"]
        drawn["yaxis"] = {"type": "category", "autorange": "reversed", "automargin": True}
        drawn["height"] = 160 + 24 * len(cases) * (1 if len(names) < 2 else 2)
    plot = {"data": [_laid(trace, lying) for trace in made], "layout": drawn}
    return [_ticked(plot, [figure.value or 0.0 for figure in known], lying, _unit(section, wanted))]


def _title(wanted: SharesDrawn) -> str:
    if wanted.each:
        return f"each {wanted.each}'s own speed, and all together, by {wanted.over}"
    return f"shares and their sum, by {wanted.over}"


def _ticked(plot: Plot, values: Sequence[float], lying: bool, unit: str) -> Plot:
    """Write the ticks along the bars, which reach from nothing to the greatest value."""
    ticks = linear([0.0, *values], unit)
    plot["layout"][f"{'x' if lying else 'y'}axis"] |= {
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": ["0" if tick == 0 else human(tick, unit, 3) for tick in ticks],
    }
    return plot


def _laid(trace: Plot, lying: bool) -> Plot:
    """Turn a trace's places and values into axes: upright over two rows of words, or lying beside one."""
    places, values = trace.pop("places"), trace.pop("values")
    if not lying:
        return trace | {"x": [list(row) for row in zip(*places, strict=True)], "y": values}
    return trace | {"x": values, "y": places} | ({"orientation": "h"} if trace["type"] == "bar" else {})


def table(section: Section) -> Grid | None:
    """Lay out the same: a row a case, what all reach together, every part behind it."""
    wanted = section.shares
    if not wanted:
        return None
    unit = _unit(section, wanted)
    rows = []
    for (case, over), found in _cases(section, wanted).items():
        shown = [_written(figure, unit, 3) for figure in found.parts.values()]
        if len(shown) > 8:
            least = min(found.parts.values(), key=lambda figure: figure.value or 0.0)
            shown = [f"{shown[0]} … {shown[-1]}", f"least {_written(least, unit, 3)}"]
        together = "–" if found.sum is None else _written(found.sum, unit, 4)
        rows.append((f"{case} {over}".strip(), together, (", " if wanted.each else " + ").join(shown)))
    if not rows:
        return None
    if not wanted.each:
        return grid("Shares and their sum", (f"case, {wanted.over}", "sum", "shares"), rows)
    note = (
        f"A {wanted.each}'s own speed is over its own time at work: these are not shares of the rate of all together."
    )
    headings = (f"case, {wanted.over}", "all together", f"each {wanted.each}'s own speed")
    return grid(f"Each {wanted.each}'s own speed, and all together", headings, rows, note)


def _written(figure: ReportedFigure, unit: str, digits: int) -> str:
    return figure.with_marks(human(figure.shown, unit, digits))


def _cases(section: Section, wanted: SharesDrawn) -> dict[tuple[str, str], CaseShares]:
    """What was measured by (case, value of `over`): each part's figure, and that of all together."""
    figures = [f for f in section.figures if f.main and f.shown is not None]
    names = {*wanted.parts, wanted.sum}
    figures = [f for f in figures if f.name in names]
    apart = {wanted.over, wanted.each}
    varied = _varied([{k: v for k, v in f.params.items() if k not in apart} for f in figures])
    found: dict[tuple[str, Any], CaseShares] = defaultdict(CaseShares)
    for figure in figures:
        params = figure.params
        case = ", ".join(str(params[key]) for key in varied if params.get(key) is not None)
        at = found[case, params.get(wanted.over)]
        if figure.name == wanted.sum:
            at.sum = figure
        else:
            which = params.get(wanted.each or "")
            at.parts[figure.name if which is None else f"{wanted.each} {which}"] = figure
    order = sorted(found, key=lambda at: (at[0], isinstance(at[1], str), at[1] or 0))
    for place in order:
        of = found[place]
        if place[1] is None and not of.parts:
            last = [other for other in order if other[0] == place[0]][-1]
            found[last].sum = of.sum
        elif wanted.each:  # alone, one has it all
            alone = {f"{wanted.each} 0": of.sum} if of.sum and place[1] == 1 else {}
            of.parts = of.parts or alone
            of.parts = dict(sorted(of.parts.items(), key=lambda item: (len(item[0]), item[0])))
    known = [at for at in order if found[at].parts or (at[1] is not None and found[at].sum)]
    return {(case, str(over)): found[case, over] for case, over in known}


def _varied(cases: Sequence[Parameters]) -> list[str]:
    """The parameters that differ among the cases."""
    keys = dict.fromkeys(key for case in cases for key in case)
    return [key for key in keys if len({str(case.get(key)) for case in cases}) > 1]


def _bar(name: str, i: int, figures: Mapping[Any, ReportedFigure]) -> Plot:
    hatches = [HATCHED if figure.state == "bound" else "" for figure in figures.values()]
    marker = {"color": COLOURS[i % len(COLOURS)], "line": {"width": 0}, "pattern": {"shape": hatches}}
    return {"type": "bar", "name": name, "marker": marker} | _placed(figures)


def _together(name: str, figures: Mapping[Any, ReportedFigure]) -> Plot:
    marker = {
        "symbol": symbols(list(figures.values()), "diamond"),
        "size": 10,
        "color": "#111827",
        "line": {"width": 2},
    }
    return {"type": "scatter", "mode": "markers", "name": name, "marker": marker} | _placed(figures)


def _placed(figures: Mapping[Any, ReportedFigure]) -> Plot:
    return {"places": list(figures), "values": [figure.value for figure in figures.values()]}


def _unit(section: Section, wanted: SharesDrawn) -> str:
    return next((f.unit for f in section.figures if f.name in wanted.parts), "")


SECTION = ReportSection(
    order=300,
    of_benchmark=BenchmarkView(
        place=Place.JUDGEMENT,
        tables=lambda document, section: only(table(section)),
        terminal_tables=no_tables,
        on_page=False,
        plots=plots,
    ),
)
