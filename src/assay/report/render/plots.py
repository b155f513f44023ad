"""Plots as Plotly figures in plain data: curves over a swept parameter, points for cases, residuals of fits.

A plot's title stands above it on the page, its legend above its axes; `axes.finish` writes the ticks.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from assay.benchmark.record import Benchmark
from assay.document.fits import LineFit
from assay.document.params import Parameters, Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.derive.case_order import place, record_of
from assay.report.render.axes import finish
from assay.report.render.best_readings import legend, parted, symbols
from assay.report.render.case_words import case_words
from assay.report.units import human, unit_of

COLOURS = ("#2f7fc1", "#d9622b", "#2e9e5b", "#9a54c9", "#c78a1a", "#1f9a94", "#d6436a", "#7b8794")
DASHES = ("solid", "dash", "dot", "dashdot")  # of curves beyond as many as there are colours
LEAST_POINTS = 4  # fewer values of a parameter make no curve
ALWAYS_SAID = ("part", "source", "on")  # of a case: which part was worked on, where bytes came from, a device's kind
LEAST_CASES = 3  # fewer cases are read faster in the table
LONGEST_NAME = 28  # letters of a case's name on one line beside a picture a third of a page wide
BREAK = "<br>"
MOST_SIDE_BY_SIDE = 4  # plots of one benchmark
MOST_CASES = 40  # more points with names beside them than a picture can hold


def layout(title: str, x: str, y: str, logarithmic: bool) -> Plot:
    """Give the layout that all plots share; `switch`: the reader may change the kinds of the axes."""
    kind = "log" if logarithmic else "linear"
    return {
        "title": {"text": title},
        "switch": True,
        "xaxis": {"title": {"text": x}, "type": kind, "automargin": True, "tickangle": 0},
        "yaxis": {"title": {"text": y}, "type": kind, "automargin": True},
        "margin": {"l": 62, "r": 12, "t": 8, "b": 48},
        "height": 380,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        "hovermode": "closest",
    }


def swept(section: Section) -> str | None:
    """Name the parameter that makes curves: numeric, with the most values; None where there is none."""
    values: dict[str, set[float]] = defaultdict(set)
    for figure in section.figures:
        for key, value in figure.params.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                values[key].add(value)
    best = max(values, key=lambda key: len(values[key]), default=None)
    return best if best is not None and len(values[best]) >= LEAST_POINTS else None


def wanted(section: Section) -> list[str]:
    """Names of the figures that are drawn: those that the record calls headlines, all where it names none."""
    names = dict.fromkeys(figure.name for figure in section.figures)
    chosen = dict.fromkeys(figure.name for figure in section.figures if figure.headline)
    return list(chosen or names)


def curves(section: Section, published: Sequence[Parameters] = ()) -> list[Plot]:
    """One plot a figure: medians with the range over launches, the fits, and published machines to be switched on."""
    key = swept(section)
    if key is None:
        return []
    plots, record = [], record_of(section)
    for name in wanted(section):
        families: dict[str, list[ReportedFigure]] = defaultdict(list)
        drawn = [f for f in section.figures if f.name == name and f.value is not None]
        drawn = [f for f in drawn if f.statistic != "first" and f.state != "invalid" and f.params.get(key)]
        medians = [f for f in drawn if f.main]
        alike = _alike([f.params for f in medians], key)
        medians.sort(key=lambda f: place(record, f.params))
        for figure in (*medians, *(f for f in drawn if f.tail)):
            rest = {k: v for k, v in figure.params.items() if k != key and k not in alike and v is not None}
            label = case_words(rest, record, section.guest) or "this machine"
            families[f"{label}, {figure.statistic}" if figure.tail else label].append(figure)
        families = {label: points for label, points in families.items() if len(points) >= LEAST_CASES}
        if not families:
            continue
        unit = unit_of(next(iter(families.values()))[0])
        traces = [
            trace for i, (label, points) in enumerate(families.items()) for trace in _curve(label, points, key, i)
        ]
        traces += legend(chain.from_iterable(families.values()))
        traces += _fitted(section, name, key)
        traces += [_overlay(other, i) for i, other in enumerate(p for p in published if p["figure"] == name)]
        axis = {"bytes": "message length", "size": "working set"}.get(key, key)
        words = name.replace("_", " ")
        title = f"{words}{', ' + case_words(alike, record, section.guest) if alike else ''}"
        plot = {"data": traces, "layout": layout(title, axis, words, True)}
        plots.append(finish(plot, "B" if key in ("bytes", "size") else "", unit))
    return plots


def _alike(cases: Sequence[Parameters], key: str) -> Parameters:
    """The parameters but the swept one that all cases have alike: they stand in the title, not in each name."""
    first = cases[0] if cases else {}
    return {k: v for k, v in first.items() if k != key and v is not None and all(case.get(k) == v for case in cases)}


def _curve(label: str, points: Sequence[ReportedFigure], key: str, i: int) -> list[Plot]:
    points = sorted(points, key=lambda p: float(p.params[key]))
    less, more = _bars(points)
    trace: Plot = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": label,
        "x": [p.params[key] for p in points],
        "y": [p.value for p in points],
        "error_y": {"type": "data", "symmetric": False, "array": more, "arrayminus": less, "thickness": 1, "width": 2},
        "line": {"color": COLOURS[i % len(COLOURS)], "width": 2, "dash": DASHES[i // len(COLOURS) % len(DASHES)]},
        "marker": {"size": 6},
    }
    return parted(trace, points)


def _bars(points: Sequence[ReportedFigure]) -> tuple[list[float | None], list[float | None]]:
    """How far the range over launches reaches below and above each value; None where there is no range."""
    known = [(p.value or 0.0, p.range) for p in points]
    return (
        [value - ends[0] if ends else None for value, ends in known],
        [ends[1] - value if ends else None for value, ends in known],
    )


FITS = {"relative": "fit", "relative, piecewise": "fit between breaks", "ordinary": "least squares, as the papers"}


def _fitted(section: Section, name: str, key: str) -> list[Plot]:
    """Fitted lines; those that share a name share one entry of the legend."""
    traces: list[Plot] = []
    for fit in section.fits:
        if not isinstance(fit, LineFit) or fit.figure != name or key != "bytes":
            continue
        low, high = (max(float(end), 1.0) for end in fit.over)
        steps = [low * (high / low) ** (i / 40) for i in range(41)]
        case = ", ".join(f"{k} {v}" for k, v in fit.params.items() if k == "hops" and v is not None)
        called = FITS.get(fit.estimator, fit.estimator) + (f", {case}" if case else "")
        first = all(trace["name"] != called for trace in traces)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": called,
                "legendgroup": called,
                "showlegend": first,
                "x": steps,
                "y": [fit.alpha + fit.beta * n for n in steps],
                "line": {"dash": "dot", "width": 1.5, "color": "#7b8794"},
                "visible": True if fit.estimator.startswith("relative, p") else "legendonly",
                "hoverinfo": "name",
            }
        )
    if traces and all(trace["visible"] == "legendonly" for trace in traces):  # no breaks: the one line is drawn
        for trace in traces:
            if trace["name"].startswith("fit"):
                trace["visible"] = True
    return traces


def _overlay(other: Parameters, i: int) -> Plot:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": other["label"],
        "x": other["x"],
        "y": other["y"],
        "visible": False,
        "line": {"width": 1, "color": COLOURS[(i + 1) % len(COLOURS)], "dash": "dash"},
        "marker": {"symbol": "square-open", "size": 5},
    }


def residuals(section: Section) -> Plot | None:
    """Relative residuals of the fits against length; None where nothing was fitted."""
    traces: list[Plot] = []
    for i, fit in enumerate(f for f in section.fits if isinstance(f, LineFit) and f.residuals):
        case = ", ".join(f"{k} {v}" for k, v in fit.params.items() if k == "hops" and v is not None)
        low, high = (human(float(end), "B", 5) for end in fit.over)
        called = f"{FITS.get(fit.estimator, fit.estimator)}, {low} to {high}{', ' + case if case else ''}"
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": called,
                "x": fit.sizes,
                "y": fit.residuals,
                "line": {"width": 1, "color": COLOURS[i % len(COLOURS)]},
            }
        )
    if not traces:
        return None
    drawn = layout("residuals of the fits: (measured - fit) / measured", "message length", "residual", True)
    drawn["yaxis"]["type"] = "linear"
    drawn["height"] = 320
    drawn["switch"] = False
    return finish({"data": traces, "layout": drawn}, "B", "%")


def label(case: Parameters, among: Sequence[Parameters], record: Benchmark | None = None) -> str:
    """Name a case by what distinguishes it from the others; a number with what it counts.

    Where bytes came from is said although all cases have it alike: a cache's rate is no storage's.
    """
    apart = {k: v for k, v in case.items()
             if v is not None and (k in ALWAYS_SAID or any(other.get(k) != v for other in among))}  # fmt: skip
    named = {k: case_words({k: v}, record) for k, v in apart.items()}
    return ", ".join(text.removeprefix(f"{k} ") if isinstance(apart[k], str) else text for k, text in named.items())


def _broken(text: str) -> str:
    """A name that would leave the picture no room, on several lines."""
    return BREAK.join(textwrap.wrap(text, LONGEST_NAME, break_long_words=False))


def points(section: Section) -> Plot | None:
    """Cases without a swept parameter: one point each with its range over launches.

    None where there are so few that the table says it faster, or more than a picture holds.
    """
    known = [f for f in section.figures if f.main]
    known = [f for f in known if f.value is not None and f.state != "invalid"]
    name = next((name for name in wanted(section) if any(f.name == name for f in known)), "")
    shown = sorted((f for f in known if f.name == name), key=lambda f: [str(v) for v in f.params.values()])
    if not LEAST_CASES <= len(shown) <= MOST_CASES:
        return None
    record = record_of(section)
    labels = [_broken(label(f.params, [g.params for g in shown], record)) for f in shown]
    lines = sum(1 + text.count(BREAK) for text in labels)
    less, more = _bars(shown)
    trace = {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [f.value for f in shown],
        "y": labels,
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": more,
            "arrayminus": less,
            "width": 0,  # of what has no range not even the ends of a bar are drawn
        },
        "marker": {"color": COLOURS[0], "size": 8, "symbol": symbols(shown)},
        "showlegend": False,
    }
    entry = legend(shown, labels[0])
    words = name.replace("_", " ")
    drawn = layout(words, words, "", True)
    drawn["yaxis"] = {"type": "category", "automargin": True, "autorange": "reversed"}
    drawn["height"] = 90 + 22 * len(shown) + 14 * (lines - len(shown)) + 24 * len(entry)
    drawn["switch"] = False
    return finish({"data": [trace, *entry], "layout": drawn}, unit_of(shown[0]), most_x=3)
