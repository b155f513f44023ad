"""A study's pictures as SVG: latency with intervals, saturation marked, the queues' prediction drawn over."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import compact_svg
from assay.network.study.file import Plot
from assay.network.study.results import SHARES, Bracket, Point, Results, values

COLOURS = ("#374151", "#c2410c", "#0b5fa5", "#15803d", "#7e22ce", "#b45309", "#0f766e", "#be123c")
LABELS = {
    "rate": "messages per PE and millisecond",
    "pe_pe": "PE-PE header latency",
    "read": "overall header latency of a read",
    "write": "overall header latency of a write",
    "transaction": "overall header latency of I/O transactions",
    "io_io": "I/O-I/O header latency",
    "io_pe": "I/O-PE header latency",
    "header": "header latency",
    "locality": "locality P_l",
    "io_rate": "I/O rate P_io",
    "read_ratio": "read ratio P_r",
    "hit_rate": "hit rate P_c",
    "load": "load, flits per node per cycle",
    "n": "channels n",
    "m": "channels m",
    "cache": "blocks in the cache of an I/O node",
    "blocks": "blocks of a file",
    "declustering": "I/O nodes that a file lies on",
    "response": "response to a read, of all its blocks",
}


def draw(results: Results, plot: Plot) -> str:
    """One picture as SVG text; saturated points are left out, as in the paper, and marked with a cross above."""
    figure, axes = empty_plot()
    key = "load" if plot.x == "rate" and not results.with_io else plot.x
    drawn = results.of(**plot.where)
    series = values(drawn, plot.series)
    top = max((p.estimate(plot.y).mean for p in drawn if not p.saturated and p.means.get(plot.y)), default=1.0)
    for at, name in enumerate(series):
        colour = COLOURS[at % len(COLOURS)]
        chosen = sorted((p for p in drawn if p.has(**{plot.series: name})), key=lambda point: point.value(plot.x))
        chosen = [point for point in chosen if point.means.get(plot.y)]
        calm = [point for point in chosen if not point.saturated]
        label = f"{plot.series} = {name:g}" if isinstance(name, (int, float)) else str(name)
        x = [point.value(plot.x) for point in calm]
        found = [point.estimate(plot.y) for point in calm]
        y = np.array([one.mean for one in found])
        half = np.minimum([one.half or 0.0 for one in found], y * 0.999)
        axes.errorbar(x, y, half, color=colour, marker="o", markersize=3, linewidth=1.2, capsize=2, label=label)
        full = [point.value(plot.x) for point in chosen if point.saturated]
        axes.plot(full, [top * 1.15] * len(full), "x", color=colour, markersize=6)
        _predicted(axes, calm, plot, colour)
        _marks(axes, results.brackets, plot, name, colour)
    _widths(axes, [point.value(plot.x) for point in drawn] if plot.x in ("m", "n") else [])
    if plot.log and top > 0:
        axes.set_yscale("log")
    if plot.y == "header":  # predictions and saturated networks go up without end
        least = min((p.estimate(plot.y).mean for p in drawn if p.means.get(plot.y)), default=top / 2)
        axes.set_ylim(0.8 * least if plot.log else 0, top * 2)
    axes.set_xlabel(LABELS.get(key, key))
    axes.set_ylabel(LABELS.get(plot.y, plot.y) + ("" if plot.y in SHARES else " (us)"))
    axes.set_title(plot.title, fontsize=9, loc="left")
    axes.legend(fontsize=7, frameon=False)
    return compact_svg.of_figure(figure)


def _predicted(axes: Any, points: list[Point], plot: Plot, colour: str) -> None:
    for name, style in ((plot.y, "--"), (f"{plot.y} section 6", ":")):
        known = [(point.value(plot.x), point.predicted[name]) for point in points if name in point.predicted]
        if known:
            axes.plot(*zip(*known, strict=True), style, color=colour, linewidth=0.9)


def _widths(axes: Any, widths: list[int]) -> None:
    """Numbers of channels by their logarithm, each with its tick: 64 means any number."""
    if not widths:
        return
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted(set(widths)), [str(width) for width in sorted(set(widths))])


def _marks(axes: Any, brackets: list[Bracket], plot: Plot, name: Any, colour: str) -> None:
    if plot.x != "rate":
        return
    for one in (each for each in brackets if not each.deadlocked):
        if one.has(**{key: value for key, value in plot.where.items() if key != "t_a"} | {plot.series: name}):
            axes.axvspan(one.low, one.high, color=colour, alpha=0.25, linewidth=0)


def empty_plot() -> tuple[Any, Any]:
    """A figure and its axes, as all pictures of studies begin."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({"font.size": 8, "font.family": "sans-serif"})
    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(color="#e5e7eb", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes
