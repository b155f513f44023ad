"""Bandwidth of a pair over random pairings: from case to case the mean, where most pairings lie, and both extremes.

Drawn for a benchmark whose figures say `effective`, `low`, `high`, `slowest_pair` and `alone`
(programs/ranks/bisection.hpp).
"""

from __future__ import annotations

from assay.document.params import Plot
from assay.document.section import Section
from assay.report.registry import BenchmarkView, ReportSection
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, MOST_CASES, label, layout
from assay.report.units import params

WHOSE = ("effective", "low", "high", "slowest_pair", "alone")
MARKS = (
    ("effective", "mean of all", {"symbol": "circle", "size": 9, "color": COLOURS[0]}),
    ("slowest_pair", "slowest pair", {"symbol": "x", "size": 8, "color": COLOURS[1]}),
    ("alone", "a pair alone", {"symbol": "circle-open", "size": 9, "color": COLOURS[2]}),
)


def plots(section: Section) -> list[Plot]:
    """The one plot, a line for each case; none for a section of another benchmark."""
    cases = [figure for figure in section.figures if figure.main and figure.name == WHOSE[0]]
    names = [label(figure.params, [each.params for each in cases]) or params(figure.params) for figure in cases]
    by_case: dict[str, dict[str, float]] = {name: {} for name in names}
    of = {str(figure.params): name for figure, name in zip(cases, names, strict=True)}
    for figure in section.figures:
        name, value = of.get(str(figure.params)), figure.shown
        if name is not None and figure.name in WHOSE and figure.main and value is not None:
            by_case[name][figure.name] = value
    drawn = {name: values for name, values in by_case.items() if set(values) == set(WHOSE)}
    if not drawn or len(drawn) > MOST_CASES:
        return []
    lines: dict[str, list[float | str | None]] = {"x": [], "y": []}
    for name, values in drawn.items():
        lines["x"] += [values["low"], values["high"], None]
        lines["y"] += [name, name, None]
    traces: list[Plot] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "10th to 90th percentile of pairings",
            **lines,
            "line": {"color": COLOURS[0], "width": 7},
            "opacity": 0.35,
        }
    ]
    for key, words, marker in MARKS:
        xs = [values[key] for values in drawn.values()]
        traces.append({"type": "scatter", "mode": "markers", "name": words, "x": xs, "y": [*drawn], "marker": marker})
    made = layout("a pair's bandwidth over random pairings", "one way of a pair", "", False)
    made["xaxis"]["rangemode"] = "tozero"
    made["yaxis"] = {"type": "category", "automargin": True, "autorange": "reversed"}
    made["height"] = 190 + 30 * len(drawn)
    made["switch"] = False
    return [finish({"data": traces, "layout": made}, "B/s", most_x=5)]


SECTION = ReportSection(
    order=30,
    of_benchmark=BenchmarkView(plots=lambda section: plots(section) or None, sole_plots=True),
)
