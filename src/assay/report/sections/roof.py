"""The roof under which kernels compute: bandwidth of every level of memory, peak of arithmetic, and the kernels below.

Williams, Waterman and Patterson, Roofline (2009), drawn from what this run measured and nothing else. Records say what
they have for it by `[roof]`: `bandwidth`, a figure in B/s for every level that the parameter `by` names, or of the one
`level` that the record names; `ceiling`, a figure in flop/s of one hardware thread; or `flops` and `bytes` of an
operation (formulas of a case's parameters) and the `figure` in flop/s that is a kernel's point; `clock`, in Hz,
from which the bound of arithmetic follows. `width`, the parameter of that name in bits, gives a ceiling for each width
of vector. `where = "key=value …"` picks cases.

The ceilings are the best seen; a level's on as many threads or fewer, by any benchmark: what was measured of a level
lies under its roof. One that others may have held down (state "bound") is dashed and says so. Figures without a number
of threads are of one.

Under the roof of one thread lie, too, the vector kernels as fitted level by level (`analysis.level_rates`).
"""

from __future__ import annotations

from assay.benchmark.formula import evaluate
from assay.document.fits import LevelRatesFit
from assay.document.params import Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import RoofPart, Section
from assay.report.judge.bounds import best_peak, peak_float64
from assay.report.registry import PartView, ReportSection
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, layout
from assay.report.units import human

Roofed = list[tuple[Section, RoofPart]]


def plots(document: Document) -> list[Plot]:
    """Draw the roof of one hardware thread, and that of as many as were measured at once."""
    sections = [(section, section.roof) for section in document.benchmarks if section.roof]
    counts = sorted(
        {
            int(figure.params.get("threads", 1))
            for section, wanted in sections
            if wanted.bandwidth
            for figure in section.figures
            if figure.value is not None
        }
    )
    bound = peak_float64(document)
    fits = [fit for section in document.benchmarks for fit in section.fits if isinstance(fit, LevelRatesFit)]
    drawn = [
        _roof(sections, count, bound, fits if count == 1 else []) for count in dict.fromkeys(counts[:1] + counts[-1:])
    ]
    return [made for made in drawn if made is not None]


def _roof(sections: Roofed, threads: int, bound: tuple[float, str] | None, fits: list[LevelRatesFit]) -> Plot | None:
    slopes, peak, kernels = (
        _slopes(sections, threads),
        best_peak([of for of, _ in sections]),
        _kernels(sections, threads),
    )
    fits = [fit for fit in fits if fit.params.get("access") == "contiguous"]
    if not slopes or not (peak or kernels or fits):
        return None
    flat = None if peak is None else peak * threads
    intensities = [*(point[1] for point in kernels), *(fit.intensity for fit in fits)]
    least = min([0.05, *intensities]) / 2
    steepest, shallowest = (pick(rate for _, rate in slopes.values()) for pick in (max, min))
    most = max([2.0, *intensities, *([] if flat is None else [2 * flat / shallowest])]) * 2
    traces = []
    for i, (level, (figure, slope)) in enumerate(sorted(slopes.items(), key=lambda item: -item[1][1])):
        ridge = most if flat is None else min(most, flat / slope)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": f"{level}: {human(slope, 'B/s', 3)}{_about(figure, threads)}",
                "x": [least, ridge],
                "y": [least * slope, ridge * slope],
                "line": {
                    "color": COLOURS[i % len(COLOURS)],
                    "width": 2,
                    "dash": "dash" if figure.state == "bound" else "solid",
                },
                "hoverinfo": "name",
            }
        )
    if flat is not None:
        label = f"peak: {human(flat, 'flop/s', 3)}" + (f" ({threads} times one thread's)" if threads > 1 else "")
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": label,
                "x": [flat / steepest, most],
                "y": [flat, flat],
                "line": {"color": "#111827", "width": 2},
                "hoverinfo": "name",
            }
        )
    for width, rate in _widths(sections, threads):
        traces.append(_flat(f"{width}: {human(rate, 'flop/s', 3)}", rate / steepest, most, rate, "dash"))
    if bound is not None and "measured" in bound[1] and bound[0] > (flat or 0.0) / threads:  # else the peak is drawn
        traces.append(_flat(f"bound: {bound[1]}", bound[0] * threads / steepest, most, bound[0] * threads, "dot"))
    for i, (name, intensity, value, low, high) in enumerate(kernels):
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [intensity],
                "y": [value],
                "error_y": {"type": "data", "symmetric": False, "array": [high - value], "arrayminus": [value - low]},
                "marker": {"size": 10, "symbol": SYMBOLS[i % len(SYMBOLS)], "color": COLOURS[i % len(COLOURS)]},
            }
        )
    traces += _fitted(fits)
    title = f"roof of {threads} thread{'s' if threads > 1 else ''}"
    drawn = layout(title, "arithmetic intensity (flop/B)", "rate", True)
    drawn["height"] = 460
    drawn["switch"] = False
    return finish({"data": traces, "layout": drawn}, "", "flop/s")


SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")


def _flat(name: str, least: float, most: float, rate: float, dash: str) -> Plot:
    """A ceiling beside the peak."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [least, most],
        "y": [rate, rate],
        "line": {"color": "#6b7280", "width": 1.5, "dash": dash},
        "hoverinfo": "name",
    }


def _fitted(fits: list[LevelRatesFit]) -> list[Plot]:
    """Vector kernels at their r_max, a mark for each level that holds their vectors."""
    levels = dict.fromkeys(fit.level for fit in fits)
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": f"vector kernels in {level}",
            "x": [fit.intensity for fit in fits if fit.level == level],
            "y": [fit.r_max for fit in fits if fit.level == level],
            "text": [fit.marked(str(fit.params["kernel"])) for fit in fits if fit.level == level],
            "marker": {"size": 6, "symbol": f"{SYMBOLS[i % len(SYMBOLS)]}-open", "color": COLOURS[i % len(COLOURS)]},
        }
        for i, level in enumerate(levels)
    ]


def _fitting(
    section: Section, wanted: RoofPart, name: str, statistic: str = "median"
) -> list[tuple[ReportedFigure, float]]:
    return [
        (figure, figure.shown)
        for figure in section.figures
        if figure.name == name
        and figure.statistic == statistic
        and figure.shown is not None
        and all(str(figure.params.get(key)) == value for key, value in wanted.cases.items())
    ]


def _slopes(sections: Roofed, threads: int) -> dict[str, tuple[ReportedFigure, float]]:
    """Rate (B/s) of every level, all threads together: the best kernel's best reading on `threads` or fewer."""
    found: dict[str, tuple[ReportedFigure, float]] = {}
    for section, wanted in sections:
        if wanted.bandwidth and (wanted.by or wanted.level):
            for figure, value in _fitting(section, wanted, wanted.bandwidth, "best"):
                level = wanted.level or str(figure.params[str(wanted.by)])
                if figure.params.get("threads", 1) <= threads and value > found.get(level, (figure, 0.0))[1]:
                    found[level] = figure, value
    return found


def _about(figure: ReportedFigure, threads: int) -> str:
    """What is said of a slope beside its rate: fewer threads that reached it, and that more may be possible."""
    fewer = int(figure.params.get("threads", 1))
    notes = [f"by {fewer} thread{'s' * (fewer > 1)}"] if fewer < threads else []
    notes += ["bound only"] if figure.state == "bound" else []
    return f" ({', '.join(notes)})" if notes else ""


def _widths(sections: Roofed, threads: int) -> list[tuple[str, float]]:
    """The best rate (flop/s) of each width of vector, all `threads` together; the widest one's is the peak itself."""
    found: dict[int, float] = {}
    for section, wanted in sections:
        if wanted.width and wanted.ceiling:
            for figure, value in _fitting(section, wanted, wanted.ceiling, "best"):
                bits = int(figure.params[wanted.width])
                found[bits] = max(found.get(bits, 0.0), threads * value)
    names = {bits: "scalar" if bits == 64 else f"vectors of {bits} bits" for bits in found}
    return [(names[bits], found[bits]) for bits in sorted(found)[:-1]]


def _kernels(sections: Roofed, threads: int) -> list[tuple[str, float, float, float, float]]:
    """Points: name, intensity (flop/B), rate (flop/s), and the rate's interval or range over launches."""
    made = []
    for section, wanted in sections:
        if wanted.flops is None or wanted.figure is None:
            continue
        for figure, value in _fitting(section, wanted, wanted.figure):
            params = figure.params
            if params.get("threads") != threads:
                continue
            flops, moved = evaluate(str(wanted.flops), params), evaluate(str(wanted.bytes), params)
            if flops and moved:
                low, high = figure.ci95 or figure.range or (value, value)
                case = ", ".join(str(v) for k, v in params.items() if k not in ("threads", "size") and v is not None)
                name = f"{section.title}{f' ({case})' if case else ''}"
                made.append((name, flops / moved, value, low, high))
    return sorted(made)  # by name: a kernel's mark is the same under every roof


SECTION = ReportSection(
    order=600,
    of_part=PartView(
        belongs=lambda section: bool(section.roof and section.roof.bandwidth), title="Memory", plots=plots
    ),
)
