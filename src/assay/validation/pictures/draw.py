"""A picture as SVG text, the same bytes every time."""

from __future__ import annotations

from collections.abc import Sequence

from assay import compact_svg
from assay.validation.pictures.pictures import Picture, Series

COLOURS = ("#0b5fa5", "#c2410c", "#15803d", "#7e22ce", "#374151", "#b45309", "#0f766e", "#be123c", "#4d7c0f", "#1e3a8a")


def svg(picture: Picture, own: Sequence[Series] = ()) -> str:
    """Draw it; `own` are this machine's measured curves, dashed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"font.size": 8, "font.family": "sans-serif"}):
        figure = Figure(figsize=(5.6, 3.6), layout="constrained")
        axes = figure.add_subplot()
        axes.grid(color="#e5e7eb", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        colours: dict[str, str] = {}
        for series in (*picture.series, *own):
            colour = colours.setdefault(series.group, COLOURS[len(colours) % len(COLOURS)])
            x, y = zip(*series.points, strict=True)
            if series.style == "dots":
                axes.plot(x, y, linestyle="", marker="o", markersize=2.6, color=colour)
            else:
                axes.plot(x, y, series.style, color=colour, linewidth=1.1, label=series.label)
        if picture.log_x:
            axes.set_xscale("log", base=2)
        if picture.log_y:
            axes.set_yscale("log")
        elif picture.zero:
            axes.set_ylim(bottom=0)
        axes.set_xlabel(picture.x)
        axes.set_ylabel(picture.y)
        axes.set_title(picture.title, fontsize=8.5, loc="left")
        axes.legend(fontsize=6, frameon=False, ncols=2 if len(axes.get_legend_handles_labels()[1]) > 6 else 1)
        return compact_svg.of_figure(figure)
