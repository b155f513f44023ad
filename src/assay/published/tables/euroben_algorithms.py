"""Table 6.13 of van der Steen 2000 with this machine's columns: the basic algorithms of EuroBen's module 2.

The paper's r_max is the greatest rate over sizes that it does not print. Ours is the greatest of the median rates over
the sizes (and forms) that a run measured, with a best reading, marked, where a size has no median: of our own code,
which a compiler made as it made the paper's, and of the library.
"""

from __future__ import annotations

from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.catalogue import PublishedCell, cells, load
from assay.published.tables.hypercubes import kind
from assay.published.tables.registry import PublishedTables
from assay.report.units import human

PAPER, TABLE = "vandersteen2000_beowulf", "table6.13"
TITLE = "Table 6.13: programs of EuroBen's module 2, r_max"
NAMES = {
    "euroben.mod2a": "mod2a, matrix x vector",
    "euroben.mod2b": "mod2b, A x = b, full",
    "euroben.mod2d": "mod2d, A x = lambda x, full",
    "euroben.mod2f": "mod2f, 1-D FFT",
    "euroben.mod2g": "mod2g, 2-D wavelet",
}
NOTE = (
    "Here: the greatest median rate over sizes, in brackets of which (and form); flops by the records' counts, "
    "mod2g's by the paper's (4 additions and subtractions to 1 multiplication, f = 1/3). The paper prints no other "
    "counts and, but for the wavelet's 512 x 256, no sizes. Others: quoted; a ? marks a "
    "number that the paper's text contradicts."
)


def tables(document: Document) -> list[Grid]:
    """The table with a row for each program that this run measured; [] where it measured none of them."""
    quoted = {(cell.benchmark, cell.machine): cell for cell in cells(paper=PAPER, table=TABLE)}
    machines = list(dict.fromkeys(machine for _, machine in quoted))
    rows: list[tuple[str, ...]] = []
    for published, name in NAMES.items():
        rates = [
            each
            for section in document.benchmarks
            if published in section.published
            for each in section.figures
            if each.name == _counted(section) and each.main and each.shown is not None
        ]
        # a program without a library has no parameter that chooses it
        ours, library = (_most([r for r in rates if r.params.get("code", "ours") == c]) for c in ("ours", "library"))
        if rates:
            rows.append((name, ours, library, *(_quoted(quoted.get((published, machine))) for machine in machines)))
    if not rows:
        return []
    names = [load().machines[machine or ""].name for machine in machines]
    own = f"{document.machine} ({kind(document)})"
    return [grid(TITLE, ("", f"{own}: our code", "library", *names), rows, NOTE)]


def _counted(section: Section) -> str:
    """The rate by the paper's count of flops, where it says how it counts."""
    return "rate_paper" if any(each.name == "rate_paper" for each in section.figures) else "rate"


def _most(rates: list[ReportedFigure]) -> str:
    if not rates:
        return "–"
    best = max(rates, key=lambda each: each.value or 0.0)
    case = [str(best.params[key]) for key in ("form", "size") if key in best.params]
    threads = best.params.get("threads", 1)
    case += [f"{threads} threads"] if threads != 1 else []
    return f"{human(best.value, 'flop/s', 3)} ({', '.join([*case, *best.marks])})"


def _quoted(cell: PublishedCell | None) -> str:
    return "–" if cell is None else human(cell.value, cell.unit, 3) + (" ?" if cell.doubtful else "")


ENTRY = PublishedTables(order=70, tables=tables)
