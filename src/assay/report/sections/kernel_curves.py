"""Vector kernels against length: a picture for each access, a curve for each kernel, a mark for each point's level.

A kernel of five vectors leaves a cache at a shorter length than one of two, so that the levels are no ranges of the
axis: each point's mark says where its vectors lay, as the fits by level took it (`analysis.level_rates`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from assay.benchmark.record import benchmark
from assay.document.fits import LevelRatesFit
from assay.document.params import Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.registry import BenchmarkView, ReportSection
from assay.report.render.axes import finish
from assay.report.render.best_readings import legend, parted
from assay.report.render.plots import COLOURS, LEAST_CASES, layout
from assay.report.render.tables import listed
from assay.report.units import human, unit_of

MARKS = {"L1": "circle", "L2": "square", "L3": "diamond", "L4": "pentagon", "memory": "triangle-down"}
UNKNOWN = "cross-thin-open"  # between two levels, or in one that no fit could be made of
# fourteen that differ; not the last of the usual ones, which is the grey of the marks alone
MORE = ("#24318f", "#7a4419", "#7d9a00", "#e88cc0", "#57d16b", "#59c3f0", "#7f1034")
OF_KERNELS = (*COLOURS[:-1], *MORE)
Levels = dict[tuple[str, str, float], str]  # by kernel, access and length


def plots(section: Section) -> list[Plot]:
    """A picture for each main figure and access; [] for a section without fits by level."""
    levels: Levels = {
        (str(fit.params["kernel"]), str(fit.params["access"]), length): fit.level
        for fit in section.fits
        if isinstance(fit, LevelRatesFit)
        for length in fit.lengths
    }
    if not levels:
        return []
    record = benchmark(section.benchmark)
    drawn: dict[tuple[str, str], dict[str, list[ReportedFigure]]] = defaultdict(lambda: defaultdict(list))
    for figure in listed(section):
        if figure.headline and figure.main and figure.shown is not None and figure.params.get("length"):
            kernels = drawn[figure.name, str(figure.params["access"])]
            kernels[str(figure.params["kernel"])].append(figure)
    kernels_of, accesses = ([str(each) for each in record.parameters[key].choices] for key in ("kernel", "access"))
    order = [(name, access) for name in record.figures for access in accesses if (name, access) in drawn]
    made = [_picture(*at, {k: drawn[at][k] for k in kernels_of if k in drawn[at]}, levels) for at in order]
    return [picture for picture in made if picture is not None]


def _picture(name: str, access: str, kernels: dict[str, list[ReportedFigure]], levels: Levels) -> Plot | None:
    curves = {k: sorted(points, key=_length) for k, points in kernels.items() if len(points) >= LEAST_CASES}
    if not curves:
        return None
    traces = [_curve(kernel, points, levels, i) for i, (kernel, points) in enumerate(curves.items())]
    seen = {symbol for trace in traces for symbol in trace["marker"]["symbol"]}
    drawn = [part for trace, points in zip(traces, curves.values(), strict=True) for part in parted(trace, points)]
    words = name.replace("_", " ")
    about = layout(f"{words} by length, {access}", "elements of a vector", words, True)
    about["height"] = 520
    unit = unit_of(next(iter(curves.values()))[0])
    return finish(
        {"data": [*drawn, *_key(seen), *legend(chain.from_iterable(curves.values()))], "layout": about}, "", unit
    )


def _curve(kernel: str, points: Sequence[ReportedFigure], levels: Levels, i: int) -> Plot:
    """One kernel's points, in order of length."""
    within = [levels.get((kernel, str(point.params["access"]), _length(point))) for point in points]
    colour = OF_KERNELS[i % len(OF_KERNELS)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": kernel,
        "x": [_length(point) for point in points],
        "y": [point.shown for point in points],
        "text": [_words(kernel, point, level) for point, level in zip(points, within, strict=True)],
        "hoverinfo": "text",
        "line": {"color": colour, "width": 1.5, "dash": "solid" if i < len(COLOURS) - 1 else "dash"},
        "marker": {"size": 7, "color": colour, "symbol": [_mark(level) for level in within], "line": {"width": 1}},
    }


def _length(point: ReportedFigure) -> float:
    return float(point.params["length"])


def _mark(level: str | None) -> str:
    return MARKS.get(level or "", UNKNOWN)


def _words(kernel: str, point: ReportedFigure, level: str | None) -> str:
    value = human(point.shown, unit_of(point), 3)
    return f"{kernel}, {_length(point):.0f} elements, {level or 'level unknown'}: {value}"


def _key(seen: set[str]) -> list[Plot]:
    """Marks alone, in the legend: what each says."""
    named = [*((f"in {level}", symbol) for level, symbol in MARKS.items()), ("level unknown", UNKNOWN)]
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [None],
            "y": [None],
            "marker": {"size": 8, "color": "#7b8794", "symbol": symbol, "line": {"width": 1, "color": "#7b8794"}},
        }
        for name, symbol in named
        if symbol in seen
    ]


SECTION = ReportSection(
    order=370,
    of_benchmark=BenchmarkView(plots=lambda section: plots(section) or None, sole_plots=True),
)
