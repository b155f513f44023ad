"""Pictures of a study of a described machine: a figure over a key, with the intervals as bands."""

from __future__ import annotations

from assay import compact_svg
from assay.case import Case
from assay.document.scaling import ScaledFigure, ScalingAnswers, ScalingPoint
from assay.network.study.plots import COLOURS, empty_plot
from assay.scaling.shown import shown_setting
from assay.scaling.study_file import ScalingPlot, ScalingStudy


def draw(study: ScalingStudy, answers: ScalingAnswers, plot: ScalingPlot) -> str:
    """One picture as SVG text."""
    figure, axes = empty_plot()
    curves: dict[str, list[tuple[object, ScaledFigure]]] = {}
    unit = ""
    for point in answers.points:
        for each in point.figures:
            about = about_of(study, point, each)
            if f"{each.benchmark}.{each.name}" == plot.y and _fits(about, plot):
                curves.setdefault(str(about.get(plot.series, "")), []).append((about[plot.x], each))
                unit = each.unit
    for at, (name, drawn) in enumerate(curves.items()):
        colour = COLOURS[at % len(COLOURS)]
        drawn.sort(key=lambda one: one[0] if isinstance(one[0], int | float) else str(one[0]))
        x = [place for place, _ in drawn]
        axes.plot(x, [each.value for _, each in drawn], "o-", color=colour, markersize=3, linewidth=1.2, label=name)
        low = [each.low for _, each in drawn if each.low is not None]
        high = [each.high for _, each in drawn if each.high is not None]
        if len(low) == len(high) == len(drawn):
            axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        if plot.log and all(isinstance(place, int | float) for place in x):
            axes.set_xscale("log", base=2)
    if plot.log:
        axes.set_yscale("log")
    axes.set_xlabel(plot.x)
    axes.set_ylabel(f"{plot.y} ({unit})")
    axes.set_title(plot.title, fontsize=9, loc="left")
    if plot.series and curves:
        axes.legend(fontsize=7, frameon=False)
    return compact_svg.of_figure(figure)


def about_of(study: ScalingStudy, point: ScalingPoint, each: ScaledFigure) -> Case:
    """What a plot can name: the case, and the setting as it is shown; `ranks` of the point."""
    return Case({**each.params, "ranks": point.ranks, **shown_setting(study, point.setting)})


def _fits(about: Case, plot: ScalingPlot) -> bool:
    return plot.x in about and all(about.get(key) == value for key, value in plot.where.items())
