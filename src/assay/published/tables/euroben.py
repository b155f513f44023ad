"""Tables 6.1, 6.4, 6.7 and 6.12 of van der Steen 2000 with this machine's column: the 14 kernels of EuroBen's module 1.

Rates are by the paper's own count of flops, as Table 6.1 implies it, on contiguous vectors, so that the columns can be
compared; by our count a recursion has twice as many.
"""

from __future__ import annotations

from assay.benchmark.record import benchmark
from assay.document.fits import LevelRatesFit
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.machine.catalogue import PublishedCell, cells, load
from assay.published.tables.hypercubes import kind
from assay.published.tables.registry import PublishedTables
from assay.report.units import human

COUNT = (
    "Flops as the paper counts them: half of ours for both recursions (1 and 2 an element), one for a copy as by ours "
    "(the .76 that Table 6.1 implies comes of its misprinted cycles)"
)
Own = dict[tuple[str, str], LevelRatesFit]  # by kernel and level
PAPER = "vandersteen2000_beowulf"
BY_MACHINE = ("table6.1", "table6.4", "table6.7")
# what the three tables print -> ours: the level and the key of the fit
PRINTED = {
    "r_max_L1": ("r_max, L1", "L1", "r_max_paper"),
    "cycles_per_op_per_element": ("cycles per element", "L1", "cycles_per_element"),
    "latency_L1": ("start-up (cycles)", "L1", "start_up_cycles"),
    "r_max_L2": ("r_max, L2", "L2", "r_max_paper"),
}


def tables(document: Document) -> list[Grid]:
    """Table 6.12, then the three by machine; [] where this run fitted no kernel on contiguous vectors."""
    own = _own(document)
    return [] if not own else [_four(document, own), *(_one(document, own, table) for table in BY_MACHINE)]


def _own(document: Document) -> Own:
    """Our fits on contiguous vectors, by kernel and level."""
    return {
        (str(fit.params["kernel"]), fit.level): fit
        for section in document.benchmarks
        for fit in section.fits
        if isinstance(fit, LevelRatesFit) and fit.params.get("access") == "contiguous"
    }


def _rows() -> dict[str, str]:
    """The published benchmark of each of our kernels; both are in the order of the paper's tables."""
    record = benchmark("vectors")
    return dict(zip(map(str, record.parameters["kernel"].choices), record.published, strict=True))


def _four(document: Document, own: Own) -> Grid:
    quoted = {(cell.benchmark, cell.machine): cell for cell in cells(paper=PAPER, table="table6.12")}
    machines = list(dict.fromkeys(machine for _, machine in quoted))
    rows = []
    for kernel, published in _rows().items():
        if (fit := own.get((kernel, "L1"))) is not None:
            there = (_quoted(quoted.get((published, machine))) for machine in machines)
            rows.append((kernel, fit.marked(human(fit.r_max_paper, "flop/s", 3)), *there))
    names = [load().machines[machine or ""].name for machine in machines]
    headings = ("", f"{document.machine} ({kind(document)})", *names)
    note = f"{COUNT}. The other machines: quoted."
    return grid("Table 6.12: vector kernels from the first cache", headings, rows, note)


def _one(document: Document, own: Own, table: str) -> Grid:
    quoted = {(cell.benchmark, cell.metric): cell for cell in cells(paper=PAPER, table=table)}
    machine = next(cell.machine for cell in quoted.values())
    rows = []
    for kernel, published in _rows().items():
        pairs = []
        for metric, (_, level, key) in PRINTED.items():
            fit = own.get((kernel, level))
            value = None if fit is None else getattr(fit, key)
            unit = "flop/s" if key == "r_max_paper" else "1"
            here = _number(value, unit)
            here = here if fit is None or value is None else fit.marked(here)
            pairs += [here, _quoted(quoted.get((published, metric)))]
        if any(pair != "–" for pair in pairs[::2]):
            rows.append((kernel, *pairs))
    headings = ["", *(each for title, _, _ in PRINTED.values() for each in (f"{title}: here", "quoted"))]
    name = load().machines[machine or ""].name
    title = f"Table {table.removeprefix('table')}: vector kernels, this machine beside {name}"
    return grid(title, headings, rows, f"{COUNT}; a ? marks a number that is printed wrong.")


def _quoted(cell: PublishedCell | None) -> str:
    if cell is None:
        return "–"
    return _number(cell.value, "flop/s" if cell.unit == "flop/s" else "1") + (" ?" if cell.doubtful else "")


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return human(value, unit, 3) if unit != "1" else f"{value:.3g}"


ENTRY = PublishedTables(order=40, tables=tables, most_on_terminal=1)
