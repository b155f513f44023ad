"""Devices beside what their vendors state: the best rate of each kernel or type, its statement, and the share reached.

What vendors state is data (catalogue/devices.toml); a device is found there by the name that its driver gives. One that
is not there has its rates alone. Of a CPU through OpenCL no table is made: its rates are no device's.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib.resources import files

from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.machine.device_list import CPU_KIND
from assay.report.judge.bounds import TOLERANCE, percent
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.units import human

BY = {"device-stream": "kernel", "device-peak": "type", "device-gemm": "type"}  # of what the best case is taken


@dataclass(frozen=True)
class StatedDevice:
    """What a vendor states of one device: bytes per second, flop/s by type in vector units and in matrix engines."""

    name: str
    match: tuple[str, ...]
    source: str
    memory: float
    vector: dict[str, float]
    matrix: dict[str, float]
    parts: int = 1

    def rate(self, benchmark: str, of: str) -> float | None:
        """What the best case of a benchmark could reach at most, of one of the parts that programs see."""
        best = max(self.vector.get(of, 0.0), self.matrix.get(of, 0.0))
        known = (
            self.memory if benchmark == "device-stream" else self.vector.get(of) if benchmark == "device-peak" else best
        )
        return known / self.parts if known else None


@functools.cache
def stated() -> tuple[StatedDevice, ...]:
    """All devices of the catalogue."""
    table = tomllib.loads((files("assay.catalogue") / "devices.toml").read_text(encoding="utf-8"))
    return tuple(StatedDevice(**{**each, "match": tuple(each["match"])}) for each in table["device"])


def stated_of(name: str) -> StatedDevice | None:
    """The device that a driver's name means, where the catalogue has it."""
    return next((each for each in stated() if all(word in name for word in each.match)), None)


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
