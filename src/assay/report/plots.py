"""Plots as Plotly figures in plain data: curves over a swept parameter, points for cases, residuals of fits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

Document = dict[str, Any]
COLOURS = ("#0b5fa5", "#c2410c", "#15803d", "#7e22ce", "#b45309", "#0f766e", "#be123c", "#4b5563")
LEAST_POINTS = 4  # fewer values of a parameter make no curve


def layout(title: str, x: str, y: str, logarithmic: bool) -> Document:
    """Give the layout that all plots share, with buttons for the axes' kinds."""
    kind = "log" if logarithmic else "linear"
    buttons = [
        {"label": label, "method": "relayout", "args": [{"xaxis.type": across, "yaxis.type": up}]}
        for label, across, up in (
            ("log-log", "log", "log"),
            ("log-lin", "log", "linear"),
            ("linear", "linear", "linear"),
        )
    ]
    return {
        "title": {"text": title, "x": 0, "font": {"size": 15}},
        "xaxis": {"title": {"text": x}, "type": kind, "exponentformat": "SI", "gridcolor": "#e5e7eb"},
        "yaxis": {"title": {"text": y}, "type": kind, "exponentformat": "SI", "gridcolor": "#e5e7eb"},
        "margin": {"l": 62, "r": 12, "t": 60, "b": 48},
        "height": 420,
        "legend": {"orientation": "h", "y": -0.22},
        "plot_bgcolor": "#fff",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "hovermode": "closest",
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#9ca3af"},
        "updatemenus": [
            {"type": "buttons", "direction": "right", "x": 1, "xanchor": "right", "y": 1.12, "buttons": buttons}
        ],
    }


def swept(section: Document) -> str | None:
    """Name the parameter that makes curves: numeric, with the most values; None where there is none."""
    values: dict[str, set[float]] = defaultdict(set)
    for figure in section["figures"]:
        for key, value in figure["params"].items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                values[key].add(value)
    best = max(values, key=lambda key: len(values[key]), default=None)
    return best if best is not None and len(values[best]) >= LEAST_POINTS else None


def curves(section: Document, published: Sequence[Document] = ()) -> list[Document]:
    """One plot a figure: medians with the range over launches, the fits, and published machines to be switched on."""
    key = swept(section)
    if key is None:
        return []
    plots = []
    names = dict.fromkeys(figure["name"] for figure in section["figures"])
    for name in names:
        families: dict[str, list[Document]] = defaultdict(list)
        for figure in section["figures"]:
            if figure["name"] == name and figure["statistic"] in ("median", "p99") and figure["value"] is not None:
                rest = {k: v for k, v in figure["params"].items() if k != key and v is not None}
                label = ", ".join(f"{k} {v}" for k, v in rest.items()) or "this machine"
                families[label if figure["statistic"] == "median" else f"{label}, p99"].append(figure)
        if not families:
            continue
        unit = next(iter(families.values()))[0]["unit"]
        traces = [_curve(label, points, key, i) for i, (label, points) in enumerate(families.items())]
        traces += _fitted(section, name, key)
        traces += [_overlay(other, i) for i, other in enumerate(p for p in published if p["figure"] == name)]
        axis = {"bytes": "message length (B)"}.get(key, key)
        plots.append(
            {
                "data": traces,
                "layout": layout(f"{name.replace('_', ' ')}", axis, f"{name.replace('_', ' ')} ({unit})", True),
            }
        )
    return plots


def _curve(label: str, points: Sequence[Document], key: str, i: int) -> Document:
    points = sorted((p for p in points if p["params"].get(key)), key=lambda p: float(p["params"][key]))
    low = [p["value"] - (p["range"] or [p["value"]] * 2)[0] for p in points]
    high = [(p["range"] or [p["value"]] * 2)[1] - p["value"] for p in points]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": label,
        "x": [p["params"][key] for p in points],
        "y": [p["value"] for p in points],
        "error_y": {"type": "data", "symmetric": False, "array": high, "arrayminus": low, "thickness": 1, "width": 2},
        "line": {"color": COLOURS[i % len(COLOURS)], "width": 2},
        "marker": {"size": 6},
    }


def _fitted(section: Document, name: str, key: str) -> list[Document]:
    traces = []
    for fit in section["fits"]:
        if fit.get("law") != "alpha_beta" or fit["figure"] != name or key != "bytes":
            continue
        low, high = (max(float(end), 1.0) for end in fit["over"])
        steps = [low * (high / low) ** (i / 40) for i in range(41)]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": f"fit, {fit['estimator']}",
                "x": steps,
                "y": [fit["alpha"] + fit["beta"] * n for n in steps],
                "line": {"dash": "dot", "width": 1.5, "color": "#6b7280"},
                "visible": "legendonly" if fit["estimator"] == "ordinary" else True,
                "hoverinfo": "name",
            }
        )
    return traces


def _overlay(other: Document, i: int) -> Document:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": other["label"],
        "x": other["x"],
        "y": other["y"],
        "visible": "legendonly",
        "line": {"width": 1, "color": COLOURS[(i + 1) % len(COLOURS)], "dash": "dash"},
        "marker": {"symbol": "square-open", "size": 5},
    }


def residuals(section: Document) -> Document | None:
    """Relative residuals of the fits against length; None where nothing was fitted."""
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": ", ".join([fit["estimator"], *(f"{k} {v}" for k, v in fit["params"].items() if v is not None)]),
            "x": fit["sizes"],
            "y": [100 * r for r in fit["residuals"]],
            "line": {"width": 1, "color": COLOURS[i % len(COLOURS)]},
        }
        for i, fit in enumerate(f for f in section["fits"] if f.get("residuals"))
    ]
    if not traces:
        return None
    drawn = layout("residuals of the fits", "message length (B)", "(measured - fit) / measured (%)", True)
    drawn["yaxis"]["type"] = "linear"
    drawn["height"] = 300
    drawn["legend"]["y"] = -0.4  # below the axis' title, which a low plot brings nearer
    drawn["yaxis"]["title"]["text"] = "left over (%)"
    drawn["title"]["text"] = "residuals of the fits: (measured - fit) / measured"
    drawn.pop("updatemenus")
    return {"data": traces, "layout": drawn}


def _label(case: Document, among: Sequence[Document]) -> str:
    """Name a case by what tells it from the others; a number with what it counts."""
    told = {k: v for k, v in case.items() if v is not None and any(other.get(k) != v for other in among)}
    return ", ".join(str(v) if isinstance(v, str) else f"{k} {v}" for k, v in told.items())


def points(section: Document) -> Document | None:
    """Cases without a swept parameter: one point each with its range over launches; None where there are under two."""
    shown = [f for f in section["figures"] if f["statistic"] == "median" and f["value"] is not None]
    name = shown[0]["name"] if shown else ""
    shown = sorted((f for f in shown if f["name"] == name), key=lambda f: [str(v) for v in f["params"].values()])
    if len(shown) < 2:
        return None
    labels = [_label(f["params"], [g["params"] for g in shown]) for f in shown]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [f["value"] for f in shown],
        "y": labels,
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [(f["range"] or [f["value"]] * 2)[1] - f["value"] for f in shown],
            "arrayminus": [f["value"] - (f["range"] or [f["value"]] * 2)[0] for f in shown],
        },
        "marker": {"color": COLOURS[0], "size": 8},
    }
    drawn = layout(name.replace("_", " "), f"{name.replace('_', ' ')} ({shown[0]['unit']})", "", True)
    drawn["yaxis"] = {"type": "category", "automargin": True, "autorange": "reversed"}
    drawn["height"] = 140 + 22 * len(shown)
    drawn.pop("updatemenus")
    return {"data": [trace], "layout": drawn}
