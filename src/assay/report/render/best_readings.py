"""How plots mark best readings, the bounds of what has no valid estimate, so that no eye takes one for a median.

Their marks are hollow or hatched, the legend says so once, and no line joins them with medians.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from assay.document.params import Plot
from assay.document.reported_figure import ReportedFigure

BEST = "best reading (bound only)"
HOLLOW = "-open"  # ending of a symbol's name
HATCHED = "/"  # pattern of a bar


def symbols(figures: Sequence[ReportedFigure], symbol: str = "circle") -> list[str]:
    """Give the mark of each figure: hollow where it is a best reading."""
    return [symbol + (HOLLOW if figure.state == "bound" else "") for figure in figures]


def parted(trace: Plot, figures: Sequence[ReportedFigure]) -> list[Plot]:
    """Cut a curve where best readings follow others or the other way round; all parts have one entry in the legend.

    `figures`: those of the curve's points. Best readings are joined by a thin dotted line, and their marks are hollow.
    """
    bound = [figure.state == "bound" for figure in figures]
    if not any(bound):
        return [trace]
    marks = trace["marker"].get("symbol") or "circle"
    marks = [marks] * len(figures) if isinstance(marks, str) else marks
    made: list[Plot] = []
    for best, of in groupby(range(len(figures)), key=bound.__getitem__):
        at = list(of)
        part = trace | {key: [trace[key][i] for i in at] for key in ("x", "y", "text") if key in trace}
        if "error_y" in trace:
            ends = {key: [trace["error_y"][key][i] for i in at] for key in ("array", "arrayminus")}
            known = any(end is not None for end in ends["array"])
            part["error_y"] = trace["error_y"] | ends if known else {"visible": False}
        hollow = [marks[i].removesuffix(HOLLOW) + HOLLOW if best else marks[i] for i in at]
        part["marker"] = trace["marker"] | {"symbol": hollow}
        part["line"] = trace["line"] | ({"width": 1, "dash": "dot"} if best else {})
        made.append(part | {"legendgroup": trace["name"], "showlegend": False})
    named = made[0] if all(bound) else made[1 if bound[0] else 0]  # by what is not a best reading, where there is such
    named["showlegend"] = True
    return made


def legend(figures: Iterable[ReportedFigure], y: Any = None) -> list[Plot]:
    """Give the legend's entry of hollow marks where one of these figures is a best reading; [] where none is.

    `y`: a place on an axis of words.
    """
    return [legend_entry(y=y)] if any(figure.state == "bound" for figure in figures) else []


def legend_entry(y: Any = None, name: str = f"hollow: {BEST}", symbol: str = "circle") -> Plot:
    """Give the legend's entry of what is hollow: it draws nothing, at a place that the axes have."""
    marker = {"symbol": symbol + HOLLOW, "size": 9, "color": "#6b7280", "line": {"width": 2}}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [None],
        "y": [y],
        "marker": marker,
        "showlegend": True,
    }
