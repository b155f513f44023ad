"""Devices beside what their vendors state: the best rate of each kernel or type, its statement, and the share reached.

What vendors state is data (catalogue/devices.toml); a device is found there by the name that its driver gives. One that
is not there has its rates alone. Of a CPU through OpenCL no table is made: its rates are no device's.
"""

from __future__ import annotations

from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.machine.device_list import CPU_KIND
from assay.report.judge.bounds import TOLERANCE, percent
from assay.report.judge.device_statements import BY, stated_of
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.units import human


def tables(section: Section) -> list[Grid]:
    """The one table of a section of devices' rates; [] of any other, and where only a CPU was measured."""
    key = BY.get(section.benchmark)
    best: dict[tuple[str, str, str], ReportedFigure] = {}
    for figure in section.figures if key else ():
        if figure.name != "rate" or not figure.value or figure.params.get("on") == CPU_KIND:
            continue
        place = (str(figure.params["device"]), str(figure.params["name"]), str(figure.params[str(key)]))
        if place not in best or (best[place].value or 0) < figure.value:
            best[place] = figure
    rows, sources = [], dict[str, str]()
    for (device, name, of), figure in sorted(best.items()):
        known, value = stated_of(name), figure.value or 0.0
        rate = None if known is None else known.rate(section.benchmark, of)
        share = "" if rate is None else "above it" if value > rate * TOLERANCE else percent(min(value / rate, 1.0))
        rows.append(
            (device, name, of, human(value, figure.unit, 3), "" if rate is None else human(rate, figure.unit, 3), share)
        )
        if known is not None and rate is not None:
            sources[known.name] = known.source
    if not rows:
        return []
    note = "; ".join(f"{name}: {source}" for name, source in sources.items())
    note = f"Stated by the vendor ({note})." if note else "No statement of the vendor's is known of these devices."
    headings = ("device", "name", str(key), "best rate", "stated", "share")
    return [grid(f"{section.title}: beside what the vendor states", headings, rows, note, left=3)]


SECTION = ReportSection(
    order=150,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=lambda document, section: tables(section),
    ),
)
