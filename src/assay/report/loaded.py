"""Latency of memory under load: a curve of latency against bandwidth for each share of writes, and its ends as a table.

Drawn for a benchmark whose figures say `latency`, `moved`, `counted` and `written` by the parameter `pause`
(programs/memory/loaded_latency.cpp). Bandwidth is what memory moved: a store that reads its line first moves two.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.document.grid import Grid, grid
from assay.document.params import Plot
from assay.document.section import Section
from assay.report.axes import finish
from assay.report.bounds import percent
from assay.report.plots import COLOURS, LEAST_CASES, layout
from assay.report.states import is_main, shown
from assay.report.units import human

WHOSE = ("moved", "latency", "counted", "written")
STORES = {"allocate": "write-allocate", "nontemporal": "non-temporal"}
Family = tuple[int, str]  # lines stored of a hundred, how
Point = tuple[float, float, float, float]  # as WHOSE: B/s, s, B/s, 1


def families(section: Section) -> dict[Family, list[Point]]:
    """Points of each family, by rising bandwidth; none for a section of another benchmark.

    Where several numbers of streams were measured, all of a share of writes make one curve.
    """
    found: dict[tuple[Family, int, int], dict[str, float]] = {}
    for figure in section.figures:
        params, value = figure.params, shown(figure)
        if figure.name in WHOSE and is_main(figure) and value is not None and {"pause", "writes"} <= set(params):
            family = (int(params["writes"]), str(params["stores"]))
            case = (family, int(params.get("streams") or 0), int(params["pause"]))
            found.setdefault(case, {})[figure.name] = value
    made: dict[Family, list[Point]] = {}
    for (family, _, _), values in found.items():
        if set(values) == set(WHOSE):
            point = values["moved"], values["latency"], values["counted"], values["written"]
            made.setdefault(family, []).append(point)
    return {family: sorted(made[family]) for family in sorted(made)}


def _name(family: Family) -> str:
    writes, stores = family
    return "loads only" if writes == 0 else f"{writes}% stores, {STORES.get(stores, stores)}"


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
            "x": [point[0] for point in points],
            "y": [point[1] for point in points],
            "text": [_about(point) for point in points],
            "line": {"color": COLOURS[i % len(COLOURS)], "width": 2, "dash": _dash(family)},
            "marker": {"size": 6},
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


def _about(point: Point) -> str:
    return f"STREAM counts {human(point[2], 'B/s', 3)}; {percent(point[3])} of the bytes moved are written"


def tables(section: Section) -> list[Grid]:
    """The ends of every curve: latency at the least and at the most load, and bandwidths at the most."""
    rows = [_row(family, points) for family, points in families(section).items()]
    headings = ("streams", "latency, least load", "at most load", "moved", "STREAM counts", "written")
    note = f"Bytes moved and the share that was written: {source(section)}."
    return [grid(f"{section.title}, the ends of its curves", headings, rows, note)] if rows else []


def _row(family: Family, points: Sequence[Point]) -> tuple[str, ...]:
    least, most = points[0], points[-1]
    rates = (human(most[0], "B/s", 3), human(most[2], "B/s", 3), percent(most[3]) if most[3] else "0%")
    return (_name(family), human(least[1], "s", 3), human(most[1], "s", 3), *rates)
