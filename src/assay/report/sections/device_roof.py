"""The roof of each device: its peaks by type, the bandwidth of its memory and cache, and the matrix products below.

Williams, Waterman and Patterson, Roofline (2009), from what this run measured: slopes by device-stream, ceilings by
device-peak, points by device-gemm. A product's intensity counts each matrix once. Its roof is the lower of the peak of
its type and what the bandwidth of arrays of its matrices' size gives. A library may use matrix engines, whose peak no
benchmark of ours measures: where it passes the measured peak, its roof is what the vendor states, drawn dotted.

A product above its roof shows that the roof is wrong: what was measured, or what is stated. A finding says which.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.document.grid import Grid, grid
from assay.document.params import Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.machine.device_list import CPU_KIND
from assay.report.derive.variants import reference
from assay.report.judge.bounds import TOLERANCE, percent
from assay.report.judge.device_statements import stated_of
from assay.report.judge.finding_lines import finding
from assay.report.registry import PartView, ReportSection
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, layout
from assay.report.units import human

STREAM, PEAK, PRODUCT = "device-stream", "device-peak", "device-gemm"
WIDTH = {"float64": 8, "float32": 4, "tf32": 4, "bfloat16": 2, "float16": 2}  # bytes of an element of each matrix
BYTES = {name: 3 * width for name, width in WIDTH.items()} | {"int8": 1 + 1 + 4, "float8": 1 + 1 + 2}  # of three
CACHE = 1.2  # times the memory's bandwidth: smaller arrays that reach it come from a cache
OURS = "ours"


@dataclass(frozen=True)
class ProductPoint:
    """A matrix product: its code, type and rows, flop/B, flop/s with the range of launches, and its roof in flop/s.

    `by`: what the roof is: "memory", "peak", or "stated"; "" where none is known.
    """

    code: str
    type: str
    rows: int
    intensity: float
    rate: float
    low: float
    high: float
    roof: float
    by: str

    @property
    def name(self) -> str:
        """As a legend has it."""
        return f"product, {self.code}, {self.type}, n = {self.rows}"

    @property
    def above(self) -> bool:
        """Whether it passed its roof by more than clocks can."""
        return bool(self.by) and self.rate > TOLERANCE * self.roof


@dataclass(frozen=True)
class DeviceRoof:
    """One device: B/s by bytes of an array, flop/s by type, and products."""

    label: str
    name: str
    kind: str
    bandwidths: dict[float, float]
    peaks: dict[str, float]
    points: list[ProductPoint]

    @property
    def slopes(self) -> dict[str, float]:
        """B/s of the memory (the largest arrays), and of the cache where smaller ones are clearly faster."""
        largest = max(self.bandwidths)
        found = {"memory": self.bandwidths[largest]}
        size, rate = max(self.bandwidths.items(), key=lambda each: each[1])
        if rate > CACHE * found["memory"]:
            found[f"arrays of {human(size, 'B', 3)}"] = rate
        return found


def roofs(document: Document) -> list[DeviceRoof]:
    """The roof of each device whose bandwidth and one peak or product were measured."""
    figures = [each for section in document.benchmarks if section.part == "devices" for each in section.figures]
    devices = {str(each.params["device"]): each.params for each in figures if "name" in each.params}
    made = []
    for label, params in sorted(devices.items()):
        own = [each for each in figures if each.params.get("device") == label]
        bandwidths, peaks = _bandwidths(own), _best(own, PEAK, "type")
        name = str(params["name"])
        points = [_point(each, name, bandwidths, peaks) for each in own if _is_product(each)] if bandwidths else []
        if bandwidths and (peaks or points):
            points.sort(key=lambda each: (each.code, each.type, each.rows))
            made.append(DeviceRoof(label, name, str(params.get("on", "")), bandwidths, peaks, points))
    return made


def _rates(figures: list[ReportedFigure], benchmark: str) -> Iterator[tuple[ReportedFigure, float]]:
    """The best readings of a benchmark's rates."""
    for each in figures:
        if each.benchmark == benchmark and each.name == "rate" and each.statistic == "best" and each.shown:
            yield each, each.shown


def _best(figures: list[ReportedFigure], benchmark: str, by: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for each, rate in _rates(figures, benchmark):
        key = str(each.params[by])
        found[key] = max(found.get(key, 0.0), rate)
    return found


def _bandwidths(figures: list[ReportedFigure]) -> dict[float, float]:
    """B/s by bytes of an array, of the fastest loop of STREAM."""
    sizes = {each.params: each.value for each in figures if each.benchmark == STREAM and each.name == "size"}
    found: dict[float, float] = {}
    for each, rate in _rates(figures, STREAM):
        size = float(sizes.get(each.params) or each.params["bytes"])
        if size:
            found[size] = max(found.get(size, 0.0), rate)
    return found


def _is_product(figure: ReportedFigure) -> bool:
    wanted = figure.benchmark == PRODUCT and figure.name == "rate" and figure.main and figure.shown
    return bool(wanted) and figure.params.get("type") in BYTES


def _point(figure: ReportedFigure, name: str, bandwidths: dict[float, float], peaks: dict[str, float]) -> ProductPoint:
    kind, rows, code = str(figure.params["type"]), int(figure.params["n"]), str(figure.params["code"])
    intensity = 2 * rows / BYTES[kind]
    below = max([size for size in bandwidths if size <= rows * rows * BYTES[kind] / 3], default=min(bandwidths))
    by_memory = intensity * max(rate for size, rate in bandwidths.items() if size >= below)
    rate = figure.shown or 0.0
    flat, by = peaks.get(kind, 0.0), "peak"
    if code != OURS and rate > TOLERANCE * flat:
        known = stated_of(name)
        flat, by = (known and known.rate(PRODUCT, kind, str(figure.params["device"]))) or 0.0, "stated"
    if not flat or by_memory < flat:
        flat, by = (by_memory, "memory") if flat else (0.0, "")
    low, high = figure.ci95 or figure.range or (rate, rate)
    return ProductPoint(code, kind, rows, intensity, rate, low, high, flat, by)


def tables(document: Document) -> list[Grid]:
    """Each product with its roof and its share of it; [] without any."""
    rows = []
    for roof in roofs(document):
        for each in roof.points:
            share = "above its roof" if each.above else percent(min(1.0, each.rate / each.roof)) if each.by else ""
            cells = (human(each.rate, "flop/s", 3), human(each.roof, "flop/s", 3) if each.by else "", each.by, share)
            label = f"{roof.label}, {CPU_KIND}" if roof.kind == CPU_KIND else roof.label
            rows.append((label, each.code, each.type, str(each.rows), f"{each.intensity:.3g}", *cells))
    if not rows:
        return []
    headings = ("device", "code", "type", "n", "flop/B", "rate", "roof", "by", "share")
    note = (
        "Roof: the lower of the type's peak (stated: by the vendor, of matrix engines) and intensity times bandwidth."
    )
    return [grid("Matrix products below the roof of the device", headings, rows, note, left=3)]


def plots(document: Document) -> list[Plot]:
    """One roof for each device."""
    return [_plot(roof) for roof in roofs(document)]


def _plot(roof: DeviceRoof) -> Plot:
    slopes = roof.slopes
    known = stated_of(roof.name)
    ceilings = [(f"{kind} peak", rate, "solid") for kind, rate in sorted(roof.peaks.items(), key=lambda each: -each[1])]
    for kind in dict.fromkeys(each.type for each in roof.points if each.by == "stated"):
        ceilings.append((f"{kind} as stated", (known and known.rate(PRODUCT, kind, roof.label)) or 0.0, "dot"))
    flats = [rate for _, rate, _ in ceilings]
    least = min([0.05, *(each.intensity for each in roof.points)]) / 2
    most = 2 * max([2.0, *(each.intensity for each in roof.points), *(2 * f / min(slopes.values()) for f in flats)])
    highest = max(flats, default=0.0)
    traces: list[Plot] = []
    for i, (level, slope) in enumerate(slopes.items()):
        end = min(most, highest / slope) if highest else most
        name = f"{level}: {human(slope, 'B/s', 3)}"
        traces.append(_line(name, (least, end), (least * slope, end * slope), COLOURS[i], "solid"))
    for i, (words, rate, dash) in enumerate(ceilings):
        colour = COLOURS[(i + len(slopes)) % len(COLOURS)]
        name = f"{words}: {human(rate, 'flop/s', 3)}"
        traces.append(_line(name, (rate / max(slopes.values()), most), (rate, rate), colour, dash))
    for i, (code, kind) in enumerate(dict.fromkeys((each.code, each.type) for each in roof.points)):
        own = [each for each in roof.points if (each.code, each.type) == (code, kind)]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": f"product, {code}, {kind}",
                "x": [each.intensity for each in own],
                "y": [each.rate for each in own],
                "text": [each.name for each in own],
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": [each.high - each.rate for each in own],
                    "arrayminus": [each.rate - each.low for each in own],
                },
                "marker": {"size": 8, "color": COLOURS[i % len(COLOURS)]},
            }
        )
    about = layout(f"roof of {roof.label} ({roof.name}, {roof.kind})", "arithmetic intensity (flop/B)", "rate", True)
    about["height"] = 460
    about["switch"] = False
    return finish({"data": traces, "layout": about}, "", "flop/s")


def _line(name: str, x: tuple[float, float], y: tuple[float, float], colour: str, dash: str) -> Plot:
    line = {"color": colour, "width": 2, "dash": dash}
    return {"type": "scatter", "mode": "lines", "name": name, "x": [*x], "y": [*y], "line": line, "hoverinfo": "name"}


def _findings(document: Document) -> Iterator[Finding]:
    for roof in roofs(reference(document)):
        for each in [each for each in roof.points if each.above][:1]:
            text = f"{roof.label}: {each.name}: {human(each.rate, 'flop/s', 3)} is above its roof"
            of = f"{human(each.roof, 'flop/s', 3)} ({each.by})"
            advice = "the roof is too low: measure device-peak and device-stream again"
            if each.by == "stated":
                advice = "what the vendor states is of another device, or wrong here: docs/devices.md has its source"
            yield finding(40, "odd", f"{text} of {of}", advice)


SECTION = ReportSection(
    order=151,
    findings=_findings,
    of_part=PartView(belongs=lambda section: section.part == "devices", title="Devices", tables=tables, plots=plots),
)
