"""Latency of memory under load: a curve of latency against bandwidth for each share of writes, and its ends as a table.

Drawn for a benchmark whose figures say `latency`, `moved`, `counted` and `written` by the parameter `pause`
(programs/memory/loaded_latency.cpp). Bandwidth is what memory moved: a store that reads its line first moves two.

Best readings of a latency and of a rate are of different moments, and neither is that of a steady load: a point that
has one says so, in the table and in the plot, where its mark is open, as that of a disturbed one is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.document.grid import Grid, grid
from assay.document.params import Parameters, Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.derive.states import worst
from assay.report.judge.bounds import percent
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, LEAST_CASES, layout
from assay.report.units import human

WHOSE = ("moved", "latency", "counted", "written")
SAID = {"bound": "best readings", "disturbed": "disturbed"}
STORES = {"allocate": "write-allocate", "nontemporal": "non-temporal"}
Family = tuple[int, str]  # lines stored of a hundred, how


@dataclass(frozen=True)
class PointUnderLoad:
    """What was measured at one load: B/s, s, B/s and 1, and the worst state of the four figures."""

    moved: float
    latency: float
    counted: float
    written: float
    state: str


def families(section: Section) -> dict[Family, list[PointUnderLoad]]:
    """Points of each family, by rising bandwidth; none for a section of another benchmark.

    Where several numbers of streams were measured, all of a share of writes make one curve.
    """
    found: dict[tuple[Family, int, int], dict[str, ReportedFigure]] = {}
    for figure in section.figures:
        params = figure.params
        known = figure.name in WHOSE and figure.main and figure.shown is not None
        if known and {"pause", "writes"} <= set(params):
            family = (int(params["writes"]), str(params["stores"]))
            case = (family, int(params.get("streams") or 0), int(params["pause"]))
            found.setdefault(case, {})[figure.name] = figure
    made: dict[Family, list[PointUnderLoad]] = {}
    for (family, _, _), figures in found.items():
        if set(figures) == set(WHOSE):
            made.setdefault(family, []).append(_point(figures))
    return {family: sorted(made[family], key=lambda point: (point.moved, point.latency)) for family in sorted(made)}


def _point(figures: Mapping[str, ReportedFigure]) -> PointUnderLoad:
    moved, latency, counted, written = (float(figures[name].value or 0) for name in WHOSE)
    return PointUnderLoad(moved, latency, counted, written, worst(figure.state for figure in figures.values()))


def _name(family: Family) -> str:
    writes, stores = family
    return "loads only" if writes == 0 else f"{writes}% stores, {STORES.get(stores, stores)}"


def case_name(case: Parameters) -> str | None:
    """What a case's share of writes is called in the tables; None of another benchmark's case."""
    if not {"pause", "writes", "stores"} <= case.keys():
        return None
    return _name((int(case["writes"]), str(case["stores"])))


def source(section: Section) -> str:
    """Where the bytes moved are from, as the program noted it."""
    notes = [note.removeprefix("bytes moved: ") for note in section.notes if note.startswith("bytes moved: ")]
    return notes[0] if notes else "source not stated"


def plots(section: Section) -> list[Plot]:
    """The one plot: bandwidth that memory moved along, latency up, a curve for each share of writes."""
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": _name(family),
            "x": [point.moved for point in points],
            "y": [point.latency for point in points],
            "text": [_about(point) for point in points],
            "line": {"color": COLOURS[i % len(COLOURS)], "width": 2, "dash": _dash(family)},
            "marker": {
                "size": 6,
                "symbol": ["circle" if point.state == "clean" else "circle-open" for point in points],
            },
        }
        for i, (family, points) in enumerate(families(section).items())
        if len(points) >= LEAST_CASES
    ]
    if not traces:
        return []
    drawn = layout("latency under load, by share of writes", "bandwidth that memory moved", "latency", False)
    return [finish({"data": traces, "layout": drawn}, "B/s", "s")]


def _dash(family: Family) -> str:
    return "dot" if family[1] == "nontemporal" else "solid"


def _about(point: PointUnderLoad) -> str:
    counted, state = human(point.counted, "B/s", 3), "" if point.state == "clean" else f"; {SAID[point.state]}"
    return f"STREAM counts {counted}; {percent(point.written)} of the bytes moved are written{state}"


def tables(section: Section) -> list[Grid]:
    """The ends of every curve: latency at the least and at the most load, and bandwidths at the most."""
    found = families(section)
    if not found:
        return []
    stated = any(point.state != "clean" for points in found.values() for point in (points[0], points[-1]))
    rows = [_row(family, points)[: None if stated else -1] for family, points in found.items()]
    headings = ("streams", "latency, least load", "at most load", "moved", "STREAM counts", "written", "state")
    note = f"Bytes moved and the share that was written: {source(section)}."
    if stated:
        note += " State: of the least load's figures, then of the most's; best readings are of different moments."
    return [grid(f"{section.title}, the ends of its curves", headings[: None if stated else -1], rows, note)]


def _row(family: Family, points: Sequence[PointUnderLoad]) -> tuple[str, ...]:
    least, most = points[0], points[-1]
    rates = (
        human(most.moved, "B/s", 3),
        human(most.counted, "B/s", 3),
        percent(most.written) if most.written else "0%",
    )
    state = ", ".join(dict.fromkeys(SAID.get(end.state, end.state) for end in (least, most)))
    return (_name(family), human(least.latency, "s", 3), human(most.latency, "s", 3), *rates, state)


SECTION = ReportSection(
    order=190,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=lambda document, section: tables(section),
        replaces=lambda section: any(figure.name == "written" for figure in section.figures),
        plots=lambda section: plots(section) or None,
        sole_plots=True,
    ),
)
