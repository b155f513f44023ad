"""Devices and what their vendors state: the best rate of each kernel or type, its statement, and the share reached.

A device below half of what its vendor states, or unlike others of its name, is a finding. What vendors state is data
(catalogue/devices.toml); a device is found there by the name that its driver gives. One that is not there has its rates
alone. Of a CPU through OpenCL no table is made: its rates are no device's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.machine.device_list import CPU_KIND
from assay.report.derive.variants import reference
from assay.report.judge.bounds import TOLERANCE, percent
from assay.report.judge.device_statements import BY, stated_of
from assay.report.judge.finding_lines import finding
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.units import human

LEAST = 0.5  # of what the vendor states
UNLIKE = 0.8  # of the median of devices of the same name
FULL = 4096  # rows of a matrix
OURS = "ours"
ADVICE = "look at its clock, its power and what slowed it down (the table of devices), and for other processes on it"


@dataclass(frozen=True)
class BestRate:
    """The best rate of a device in one kernel or type, and what the vendor states of it; None: nothing is known."""

    device: str
    name: str
    of: str
    figure: ReportedFigure
    value: float
    stated: float | None


def best_rates(section: Section) -> list[BestRate]:
    """The best rate by device and kernel or type, of no CPU; [] of benchmarks without statements.

    Of loops of STREAM those of the memory count: `bytes=0`, or without these the largest arrays. Others are in a cache.
    """
    key = BY.get(section.benchmark)
    figures = [
        each
        for each in section.figures
        if key and each.name == "rate" and each.value and each.params.get("on") != CPU_KIND
    ]
    best: dict[tuple[str, str, str], ReportedFigure] = {}
    for figure in figures:
        device = str(figure.params["device"])
        sizes = {int(each.params.get("bytes") or 0) for each in figures if each.params["device"] == device}
        if int(figure.params.get("bytes") or 0) != (0 if 0 in sizes else max(sizes)):
            continue
        place = (device, str(figure.params["name"]), str(figure.params[str(key)]))
        if place not in best or (best[place].value or 0) < (figure.value or 0):
            best[place] = figure
    return [
        BestRate(device, name, of, figure, figure.value or 0.0, stated)
        for (device, name, of), figure in sorted(best.items())
        for known in (stated_of(name),)
        for stated in (known.rate(section.benchmark, of, device) if known else None,)
    ]


def tables(section: Section) -> list[Grid]:
    """The one table of a section of devices' rates; [] of any other, and where only a CPU was measured."""
    rows, sources = [], dict[str, str]()
    for each in best_rates(section):
        rate, value, unit = each.stated, each.value, each.figure.unit
        share = "" if rate is None else "above it" if value > rate * TOLERANCE else percent(min(value / rate, 1.0))
        stated = "" if rate is None else human(rate, unit, 3)
        rows.append((each.device, each.name, each.of, human(value, unit, 3), stated, share))
        if rate is not None and (known := stated_of(each.name)) is not None:
            sources[known.name] = known.source
    if not rows:
        return []
    note = "; ".join(f"{name}: {source}" for name, source in sources.items())
    note = f"Stated by the vendor ({note})." if note else "No statement of the vendor's is known of these devices."
    headings = ("device", "name", str(BY[section.benchmark]), "best rate", "stated", "share")
    return [grid(f"{section.title}: compared with what the vendor states", headings, rows, note, left=3)]


def _findings(document: Document) -> Iterator[Finding]:
    for section in reference(document).benchmarks:
        found = best_rates(section)
        yield from _below_statement(section, found)
        yield from _unlike_siblings(found)


def _below_statement(section: Section, found: Sequence[BestRate]) -> Iterator[Finding]:
    """The device that is farthest below what its vendor states, where it is below half of it.

    Small matrices fill no device, and our own product is a plain kernel.
    """
    shares = [
        (each.value / each.stated, each)
        for each in found
        if each.stated and each.figure.params.get("code") != OURS and int(each.figure.params.get("n") or FULL) >= FULL
    ]
    if section.benchmark == "device-stream":  # of its loops the fastest
        devices = {each.device for _, each in shares}
        shares = [max((of for of in shares if of[1].device == device), key=lambda of: of[0]) for device in devices]
    share, worst = min(shares, key=lambda of: (of[0], of[1].device), default=(1.0, None))
    if worst is not None and share < LEAST:
        rate = f"{human(worst.value, worst.figure.unit, 3)} ({worst.of}, {section.title})"
        text = f"{worst.device} ({worst.name}): {rate} are {percent(share)} of what its vendor states"
        yield finding(45, "odd", text, ADVICE)


def _unlike_siblings(found: Sequence[BestRate]) -> Iterator[Finding]:
    """The device that is slowest compared with others of its name, reached in the same way."""
    slow = []
    for each in found:
        way = each.device.partition(":")[0]
        others = [
            other.value
            for other in found
            if (other.name, other.of) == (each.name, each.of)
            and other.device != each.device
            and other.device.startswith(f"{way}:")
        ]
        if others and each.value < UNLIKE * median(others):
            slow.append((each.value / median(others), each, others))
    if slow:
        _, each, others = min(slow, key=lambda of: (of[0], of[1].device))
        rate, theirs = (human(value, each.figure.unit, 3) for value in (each.value, median(others)))
        which = f"the other {each.name} reaches" if len(others) == 1 else f"the other {len(others)} {each.name} reach"
        text = f"{each.device} ({each.name}): {rate} ({each.of}), where {which} {theirs}"
        yield finding(50, "odd", text, ADVICE)


SECTION = ReportSection(
    order=150,
    findings=_findings,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=lambda document, section: tables(section),
    ),
)
