"""Shares of what several have in common, as bars: each hardware thread's part of memory's bandwidth, and the sum.

A record asks for them by `[shares]`: `parts`, the figures that are shares; `each`, a parameter that names whose share
it is (bars are stacked then, and stand side by side without it); `over`, the parameter along the axis; `sum`, the
figure of all together (where its cases do not know `over`, it is of the last).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from assay.document.grid import Grid, grid
from assay.document.params import Params, Plot
from assay.document.section import Section, SharesDrawn
from assay.report.axes import linear
from assay.report.plots import COLOURS, layout
from assay.report.units import human

MOST_NAMED = 16  # more parts than a legend can hold
MOST_LETTERS = 90  # of all cases' names below upright bars


@dataclass
class CaseShares:
    """What was measured of one case: each part's share by its name, and the sum."""

    parts: dict[str, float] = field(default_factory=dict)
    sum: float | None = None


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
    traces: dict[str, Plot] = {}
    for at, found in cases.items():
        for name, value in found.parts.items():
            trace = traces.setdefault(name, _bar(name, len(traces)))
            trace["places"].append(places[at])
            trace["values"].append(value)
    if not traces:
        return []
    for trace in traces.values():
        trace["showlegend"] = len(traces) <= MOST_NAMED
    sums = {at: found.sum for at, found in cases.items() if found.sum is not None}
    made = list(traces.values())
    if sums:
        marker = {"symbol": "diamond-open", "size": 10, "color": "#111827", "line": {"width": 2}}
        about = {"type": "scatter", "mode": "markers", "name": "sum", "marker": marker}
        made.append(about | {"places": [places[at] for at in sums], "values": list(sums.values())})
    title = f"shares and their sum, by {wanted.over}"
    drawn = layout(title, "", "rate", False)
    drawn["barmode"] = "stack" if wanted.each else "group"
    drawn["switch"] = False
    drawn["xaxis"] = {"type": "multicategory", "tickangle": 0, "automargin": True}
    if lying:
        drawn["xaxis"] = drawn["yaxis"]
        drawn["yaxis"] = {"type": "category", "autorange": "reversed", "automargin": True}
        drawn["height"] = 160 + 24 * len(cases) * (1 if wanted.each else 2)
    plot = {"data": [_laid(trace, lying) for trace in made], "layout": drawn}
    return [_ticked(plot, drawn["barmode"] == "stack", lying, _unit(section, wanted))]


def _ticked(plot: Plot, stacked: bool, lying: bool, unit: str) -> Plot:
    """Write the ticks along the bars, which reach from nothing to the highest of them, stacked where they are."""
    letter = "x" if lying else "y"
    heights: dict[str, float] = defaultdict(float)
    for trace in plot["data"]:
        for at, value in zip(trace["y"] if lying else zip(*trace["x"], strict=True), trace[letter], strict=True):
            summed = heights[str(at)] + value if stacked and trace["type"] == "bar" else value
            heights[str(at)] = max(heights[str(at)], summed)
    ticks = linear([0.0, *heights.values()], unit)
    plot["layout"][f"{letter}axis"] |= {
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
    """Lay out the same: a row a case, the sum, every share behind it."""
    wanted = section.shares
    if not wanted:
        return None
    unit = _unit(section, wanted)
    rows = []
    for (case, over), found in _cases(section, wanted).items():
        shown = [human(value, unit, 3) for value in found.parts.values()]
        if len(shown) > 8:
            shown = [f"{shown[0]} … {shown[-1]}", f"least {human(min(found.parts.values()), unit, 3)}"]
        rows.append((f"{case} {over}".strip(), human(found.sum, unit), " + ".join(shown)))
    return grid("Shares and their sum", (f"case, {wanted.over}", "sum", "shares"), rows) if rows else None


def _cases(section: Section, wanted: SharesDrawn) -> dict[tuple[str, str], CaseShares]:
    """What was measured by (case, value of `over`): each part's median, and the sum."""
    figures = [f for f in section.figures if f.statistic == "median" and f.value is not None]
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
            at.sum = figure.value
        else:
            which = params.get(wanted.each or "")
            at.parts[figure.name if which is None else f"{wanted.each} {which}"] = figure.value or 0.0
    order = sorted(found, key=lambda at: (at[0], isinstance(at[1], str), at[1] or 0))
    for place in order:
        of = found[place]
        if place[1] is None and not of.parts:
            last = [other for other in order if other[0] == place[0]][-1]
            found[last].sum = of.sum
        elif wanted.each:  # alone, one has it all
            of.parts = of.parts or {f"{wanted.each} 0": of.sum or 0.0}
            of.parts = dict(sorted(of.parts.items(), key=lambda item: (len(item[0]), item[0])))
    return {(case, str(over)): found[case, over] for case, over in order if found[case, over].parts}


def _varied(cases: list[Params]) -> list[str]:
    """The parameters that differ among the cases."""
    keys = dict.fromkeys(key for case in cases for key in case)
    return [key for key in keys if len({str(case.get(key)) for case in cases}) > 1]


def _bar(name: str, i: int) -> Plot:
    colour = COLOURS[i % len(COLOURS)]
    return {"type": "bar", "name": name, "places": [], "values": [], "marker": {"color": colour, "line": {"width": 0}}}


def _unit(section: Section, wanted: SharesDrawn) -> str:
    return next((f.unit for f in section.figures if f.name in wanted.parts), "")
