"""Rates of files by block size and by how much is in flight: curves, a heat map with each cell's source, a table.

Of benchmarks whose figures say where their bytes came from (`source`), and of the described machines' files, whose I/O
nodes are a parameter: these are said to be simulated. What is in flight is processes times depth, or
the ranks that work. What a cache served has curves and colours of its own: it is no rate of the storage.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from assay.document.grid import Grid, grid
from assay.document.params import Parameters, Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.derive.states import words
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.render.axes import finish
from assay.report.render.best_readings import HOLLOW, legend_entry, parted
from assay.report.render.case_words import words_of
from assay.report.render.plots import COLOURS, LEAST_CASES, MOST_SIDE_BY_SIDE, layout
from assay.report.render.tables import alike, spread
from assay.report.sections.matrices import COOL_TO_WARM
from assay.report.units import human

RATES = ("rate", "rate_aggregate")  # of all processes together
FLIGHT = ("processes", "depth")
SAID = {"cache": "page cache"}
SIMULATED = "simulated"
STORED = (SIMULATED, "device", "remote", "unknown", "cache")  # in this order where a cell has several sources
MOST_COLUMNS = 5  # of a table on a terminal
GREY = "#9aa5b1"
MOST_PLOTS = 12
Key = TypeVar("Key")


@dataclass(frozen=True)
class FileRate:
    """A rate or a latency of one cell; `by` is the engine, or the interface, `family` all other parameters in words."""

    family: str
    by: str
    source: str
    bytes: int
    flight: int
    figure: ReportedFigure

    @property
    def value(self) -> float:
        """What may be shown; B/s or s."""
        return self.figure.shown or 0.0

    @property
    def label(self) -> str:
        """The source as a person reads it."""
        return SAID.get(self.source, self.source)


def covers(section: Section) -> bool:
    """Whether its rates are laid out here."""
    return bool(_cells(section, RATES))


def _cells(section: Section, names: Iterable[str], tail: bool = False) -> list[FileRate]:
    """The figures of these names that are known by block size and source."""
    wanted = set(names)
    of = [each for each in section.figures if each.name in wanted and each.shown]
    of = [each for each in of if isinstance(each.params.get("bytes"), int) and _source(each.params)]
    of = [each for each in of if (each.tail if tail else each.main)]
    if not of or "rate_aggregate" in wanted & {each.name for each in of}:  # a rank's own rate says no more
        of = [each for each in of if each.name != "rate"]
    common = alike([each.params for each in of])
    made = []
    for each in of:
        of_case = each.params
        by = str(of_case.get("engine") or of_case.get("interface") or "")
        named = {"bytes", "source", "engine"} | (set() if of_case.get("engine") else {"interface"})
        named |= {"active"} if "active" in of_case else set(FLIGHT)
        rest = {key: value for key, value in of_case.items()
                if key not in named and (key not in common or key == "direction")}  # fmt: skip
        source, size = _source(of_case), int(of_case["bytes"])
        made.append(FileRate(words_of(section.benchmark, rest), by, source, size, _flight(of_case), each))
    return sorted(made, key=lambda cell: (cell.family, cell.by, STORED.index(cell.source), cell.flight, cell.bytes))


def _source(about: Parameters) -> str:
    """Where a case's bytes came from; "" where it is none of files."""
    return str(about.get("source") or (SIMULATED if "io_nodes" in about else ""))


def _flight(about: Parameters) -> int:
    """How many operations of a case are in flight."""
    if "active" in about:
        return int(about["active"]) or int(about.get("ranks") or 0)
    return math.prod(int(about.get(key) or 1) for key in FLIGHT)


def _unit(section: Section) -> str:
    return "ranks" if any("active" in figure.params for figure in section.figures) else "in flight"


def _grouped(cells: Iterable[FileRate], key: Callable[[FileRate], Key]) -> dict[Key, list[FileRate]]:
    found: dict[Key, list[FileRate]] = defaultdict(list)
    for cell in cells:
        found[key(cell)].append(cell)
    return found


# --- plots


def plots(section: Section) -> list[Plot]:
    """Of each direction: rate by block size, latencies by block size, and of each engine rate by what is in flight as
    curves and as a heat map, where there are enough cells.
    """
    made = []
    unit = _unit(section)
    rates = _grouped(_cells(section, RATES), lambda cell: cell.family)
    usual, tails = _cells(section, ("latency",)), _cells(section, ("latency",), tail=True)
    for family, cells in rates.items():
        made += _by_block(f"rate, {family}", cells, unit)
        of = [[cell for cell in each if cell.family == family] for each in (usual, tails)]
        made += _latencies(family, *of)
    for family, cells in rates.items():
        for by, of_engine in _grouped(cells, lambda cell: cell.by).items():
            made += _by_flight(f"rate, {family}, {by}", of_engine, unit)
            made += _heat_map(f"rate, {family}, {by}", of_engine, unit)
    return made[:MOST_PLOTS]


def _curve(
    name: str, cells: list[FileRate], i: int, along: Callable[[FileRate], int], tail: bool = False
) -> list[Plot]:
    cached = all(cell.source == "cache" for cell in cells)
    trace: Plot = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [along(cell) for cell in cells],
        "y": [cell.value for cell in cells],
        "text": [f"{spread(cell.figure)}; {words(cell.figure)}" for cell in cells],
        "line": {"color": GREY if cached else COLOURS[i % len(COLOURS)], "width": 1.5 if cached else 2,
                 "dash": "dot" if tail else "dash" if cached else "solid"},
        "marker": {"size": 6},
    }  # fmt: skip
    return parted(trace, [cell.figure for cell in cells])


def _by_block(title: str, cells: list[FileRate], unit: str) -> list[Plot]:
    several = len({cell.flight for cell in cells}) > 1
    curves = []
    for i, ((by, source, flight), of) in enumerate(
        _grouped(cells, lambda cell: (cell.by, cell.source, cell.flight)).items()
    ):
        name = f"{by}{f', {flight} {unit}' if several else ''}: {SAID.get(source, source)}"
        if len(of) >= LEAST_CASES:
            curves += _curve(name, of, i, lambda cell: cell.bytes)
    return _drawn(curves, title, "block size", "B", "rate", "B/s")


def _latencies(family: str, usual: list[FileRate], tails: list[FileRate]) -> list[Plot]:
    """Median and p99 with the least in flight."""
    least = min((cell.flight for cell in usual), default=0)
    curves = []
    kinds = [cell for cell in usual if cell.flight == least]
    for i, ((by, source), of) in enumerate(_grouped(kinds, lambda cell: (cell.by, cell.source)).items()):
        late = [cell for cell in tails if (cell.by, cell.source, cell.flight) == (by, source, least)]
        for name, points, tail in (("median", of, False), ("p99", late, True)):
            if len(points) >= LEAST_CASES:
                called = f"{by}: {SAID.get(source, source)}, {name}"
                curves += _curve(called, points, i, lambda cell: cell.bytes, tail)
    return _drawn(curves, f"latency, {family}", "block size", "B", "latency", "s")


def _by_flight(title: str, cells: list[FileRate], unit: str) -> list[Plot]:
    """The storage's rates alone; where all came from a cache, its."""
    best = min(STORED.index(cell.source) for cell in cells)
    kept = [cell for cell in cells if STORED.index(cell.source) == best]
    of_size = _grouped(sorted(kept, key=lambda cell: (cell.bytes, cell.flight)), lambda cell: cell.bytes)
    curves = [
        trace
        for i, (size, of) in enumerate(of_size.items())
        if len(of) >= LEAST_CASES
        for trace in _curve(human(float(size), "B"), of, i, lambda cell: cell.flight)
    ]
    drawn = _drawn(curves, f"{title}: {SAID.get(STORED[best], STORED[best])}", unit, None, "rate", "B/s")
    for plot in drawn:
        flights = sorted({cell.flight for cell in kept})
        plot["layout"]["xaxis"] |= {"tickmode": "array", "tickvals": flights, "ticktext": [str(at) for at in flights]}
    return drawn


def _drawn(curves: list[Plot], title: str, x: str, x_unit: str | None, y: str, y_unit: str) -> list[Plot]:
    hollow = any(str(symbol).endswith(HOLLOW) for each in curves for symbol in each["marker"].get("symbol", ()))
    traces = [*curves, legend_entry()] if hollow else curves
    return [finish({"data": traces, "layout": layout(title, x, y, True)}, x_unit, y_unit)] if curves else []


def _heat_map(title: str, cells: list[FileRate], unit: str) -> list[Plot]:
    """Rates written into the cells with their sources; coloured where they are the storage's."""
    sizes, flights = sorted({cell.bytes for cell in cells}), sorted({cell.flight for cell in cells})
    if len(sizes) < 2 or len(flights) < 2:
        return []
    at = _grouped(cells, lambda cell: (cell.flight, cell.bytes))  # the storage's first
    traces = []
    for stored in (True, False):
        of = [[_shown_in(at[flight, size], stored) for size in sizes] for flight in flights]
        trace = {
            "type": "heatmap",
            "x": [human(float(size), "B") for size in sizes],
            "y": [str(flight) for flight in flights],
            "z": [[(math.log10(cell.value) if stored else 0.0) if cell else None for cell in row] for row in of],
            "text": [[f"{human(cell.value, 'B/s', 3)}<br>{cell.label}" if cell else "" for cell in row] for row in of],
            "hovertext": [["; ".join(map(_about, at[flight, size])) for size in sizes] for flight in flights],
            "texttemplate": "%{text}",
            "hovertemplate": f"%{{x}}, %{{y}} {unit}: %{{hovertext}}<extra></extra>",
            "colorscale": COOL_TO_WARM if stored else [[0, "#e5e7eb"], [1, "#e5e7eb"]],
            "showscale": False,
            "xgap": 1,
            "ygap": 1,
        }
        if any(cell for row in of for cell in row):
            traces.append(trace)
    drawn = layout(title, "block size", unit, False)
    drawn["xaxis"] |= {"type": "category"}
    drawn["yaxis"] |= {"type": "category"}
    drawn["height"] = 160 + 52 * len(flights)
    drawn["switch"] = False
    return [{"data": traces, "layout": drawn}]


def _shown_in(of: list[FileRate], stored: bool) -> FileRate | None:
    """The cell's first, if it is of that kind; one that is not known where its bytes came from is no storage's."""
    return of[0] if of and (of[0].source in (SIMULATED, "device", "remote")) is stored else None


def _about(cell: FileRate) -> str:
    return f"{cell.label} {human(cell.value, 'B/s', 3)} ({spread(cell.figure)}, {words(cell.figure)})"


# --- tables


def tables(section: Section, most: int | None = None) -> list[Grid]:
    """Of each direction and engine: a line for each source and block size, a column for each number in flight. All in
    one table where each case has one number in flight.
    """
    made, unit = [], _unit(section)
    cells = _cells(section, RATES)
    families = _grouped(cells, lambda cell: (cell.family, cell.by))
    if cells and all(len({cell.flight for cell in of}) == 1 for of in families.values()):
        rows = [(cell.family, cell.by, cell.label, human(float(cell.bytes), "B"), _rate(cell),
                 spread(cell.figure)) for cell in cells]  # fmt: skip
        headings = ("case", "by", "bytes are of", "block", "rate", "across launches")
        return [grid(f"{section.title}: rate", headings, rows, _note(cells), left=3)]
    for (family, by), cells in families.items():
        flights = sorted({cell.flight for cell in cells})
        if most is not None and len(flights) > most:  # the ends, evenly
            flights = [flights[round(i * (len(flights) - 1) / (most - 1))] for i in range(most)]
        lines = []
        for (source, size), of in _grouped(cells, lambda cell: (cell.source, cell.bytes)).items():
            rate = {cell.flight: _rate(cell) for cell in of}
            found = (rate.get(each, "–") for each in flights)
            lines.append((SAID.get(source, source), human(float(size), "B"), *found))
        heads = [f"{each} {unit}" for each in flights]
        title = f"{section.title}: rate, {family}, {by}"
        made.append(grid(title, ("bytes are of", "block", *heads), lines, _note(cells), left=1))
    return made


def _rate(cell: FileRate) -> str:
    """A rate; a best reading, which bounds it from above, is marked."""
    return f"{'≤ ' if cell.figure.state == 'bound' else ''}{human(cell.value, 'B/s', 3)}"


def _note(cells: list[FileRate]) -> str:
    unclean = [cell.figure for cell in cells if cell.figure.state != "clean"]
    best = [figure for figure in unclean if figure.state == "bound"]
    cached = "The page cache is memory, not storage. " if any(cell.source == "cache" for cell in cells) else ""
    if not unclean:
        return cached.strip()
    moved = [
        each.disturbance.most
        for each in unclean
        if each.state != "bound" and each.disturbance and each.disturbance.most is not None
    ]
    by = f", disturbed by at most {100 * max(moved):.0f}%" if moved else ""
    bounded = f" ≤: {len(best)} best readings, which bound the rate." if best else ""
    return f"{cached}{len(unclean)} of {len(cells)} rates are not clean{by}.{bounded}"


SECTION = ReportSection(
    order=20,
    of_benchmark=BenchmarkView(
        place=Place.LEAD,
        tables=lambda document, section: tables(section),
        terminal_tables=lambda document, section: tables(section, MOST_COLUMNS),
        on_page=False,
        plots=lambda section: plots(section) or None,
        sole_plots=True,
        most_plots=lambda section: MOST_SIDE_BY_SIDE + MOST_PLOTS if covers(section) else 0,
        replaces=lambda section: bool(tables(section, MOST_COLUMNS)),
    ),
)
