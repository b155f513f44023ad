"""Figures as a picture: values against a parameter, a line for each of the others' values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.api.table import rows
from assay.document.verb_figure import VerbFigure
from assay.errors import InputError

if TYPE_CHECKING:
    import plotly.graph_objects

WIDE = 100  # times: an axis that spans more is logarithmic


def plotted(figures: Sequence[VerbFigure], x: str | None, name: str | None) -> plotly.graph_objects.Figure:
    """Draw them. InputError where nothing can be drawn, or no figure has the name or the parameter."""
    import plotly.graph_objects as go

    shown = [each for each in figures if each.get("value") is not None and name in (None, each["name"])]
    if not shown:
        raise InputError("no figure to draw", key="name", value=name, accepted=_names(figures, "name"))
    numeric: dict[str, set[float]] = defaultdict(set)
    for each in shown:
        for key, value in each.get("params", {}).items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                numeric[key].add(value)
    along = x or max(numeric, key=lambda key: len(numeric[key]), default=None)
    if along not in numeric:
        raise InputError("is no parameter with numbers", key="x", value=along, accepted=", ".join(sorted(numeric)))
    lines: dict[str, list[VerbFigure]] = defaultdict(list)
    for each in shown:
        if along in each["params"]:
            lines[_label(each, along, shown)].append(each)
    units = sorted({each["unit"] for each in shown})
    drawn = go.Figure()
    for label, points in lines.items():
        points.sort(key=lambda each: each["params"][along])
        values = [_value(each) for each in points]
        reach = [_reach(each) for each in points]
        drawn.add_scatter(
            x=[each["params"][along] for each in points],
            y=values,
            name=label,
            mode="lines+markers",
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [high - value for (_, high), value in zip(reach, values, strict=True)],
                "arrayminus": [value - low for (low, _), value in zip(reach, values, strict=True)],
            },
        )
    drawn.update_layout(xaxis_title=along, yaxis_title=", ".join(units))
    spread = sorted(numeric[along])
    if spread[0] > 0 and spread[-1] > WIDE * spread[0]:
        drawn.update_xaxes(type="log")
    heights = [abs(_value(each)) for each in shown if each["value"]]
    if len(units) > 1 or (heights and max(heights) > WIDE * min(heights) and all(_value(e) > 0 for e in shown)):
        drawn.update_yaxes(type="log")
    return drawn


def _value(each: VerbFigure) -> float:
    value = each["value"]
    assert value is not None  # else it is not drawn
    return value


def _reach(each: VerbFigure) -> tuple[float, float]:
    """The ends of its interval; its value where an end is not known."""
    low, high = each.get("ci95") or (None, None)
    return _value(each) if low is None else low, _value(each) if high is None else high


def _label(each: VerbFigure, along: str, shown: Sequence[VerbFigure]) -> str:
    """What sets a line off from the others: figure, statistic, and the parameters that differ."""
    varied = [
        f"{key}={value}"
        for key, value in each["params"].items()
        if key != along and len({str(other["params"].get(key)) for other in shown}) > 1
    ]
    return " ".join([each["name"], *([each["statistic"]] if each.get("statistic") else []), *varied])


def _names(figures: Sequence[VerbFigure], key: str) -> str:
    return ", ".join(sorted({str(row[key]) for row in rows(figures)})) or "a result with figures"
