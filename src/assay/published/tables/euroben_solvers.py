"""Table 6.14 of van der Steen 2000 with this machine's column: the times of EuroBen's module 3.

The paper prints neither the equations nor, but for one program, their sizes: each row says which of our problems its
time is of, and no ratio is formed.
"""

from __future__ import annotations

from assay.benchmark.record import among
from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.machine.catalogue import PublishedCell, cells, load
from assay.published.tables.hypercubes import kind
from assay.published.tables.registry import PublishedTables
from assay.report.units import human

PAPER, TABLE = "vandersteen2000_beowulf", "table6.14"
WHOLE = "euroben.mod3c"  # a row that lacks no machine
TITLE = "Table 6.14: programs of EuroBen's module 3"
NOTE = (
    "Our problems: the paper prints no sizes but 257 points of a side for mod3h, so that only the order among one "
    "machine's programs can be compared. mod3h: one sweep here, a whole program there. The other machines: quoted."
)


def tables(document: Document) -> list[Grid]:
    """The table, each program at each of its sizes; [] where this run measured none of them."""
    quoted = {(cell.benchmark, cell.machine): cell for cell in cells(paper=PAPER, table=TABLE)}
    machines = [machine for benchmark, machine in quoted if benchmark == WHOLE]
    records = among({section.benchmark for section in document.benchmarks})
    by_published = {section.published[0]: section for section in document.benchmarks if section.published}
    rows: list[tuple[str, ...]] = []
    for published in dict.fromkeys(benchmark for benchmark, _ in quoted):
        if (solved := by_published.get(published)) is None:
            continue
        there = tuple(_quoted(quoted.get((published, machine))) for machine in machines)
        for figure in sorted((each for each in solved.figures if _is_time(each)), key=_size):
            ours = f"{records[solved.benchmark].title}, {_size(figure)}"
            rows.append((published.removeprefix("euroben."), ours, human(figure.value, "s", 3), *there))
            there = ("–",) * len(machines)
    if not rows:
        return []
    names = [load().machines[machine or ""].name for machine in machines]
    return [grid(TITLE, ("", "ours, its size", f"{document.machine} ({kind(document)})", *names), rows, NOTE, left=2)]


def _quoted(cell: PublishedCell | None) -> str:
    return "–" if cell is None else human(cell.value, cell.unit, 3)


def _is_time(figure: ReportedFigure) -> bool:
    return figure.name == "time" and figure.statistic == "median"


def _size(figure: ReportedFigure) -> int:
    return int(figure.params["size"])


ENTRY = PublishedTables(order=80, tables=tables)
