"""Tables 6.2, 6.5, 6.8 and 6.9 of van der Steen 2000 with this machine's column: the patterns of EuroBen's mod1h.

The paper prints the greatest bandwidth over lengths that it does not print, on 4, 6 and 8 processors, and does not say
what a bandwidth counts. Ours is the greatest of the median rates over the lengths that a run measured, counted as the
record of `patterns` infers from these tables; where a length has no median, as others disturbed it, its best reading
takes part, marked as such. Numbers of ranks per node stand side by side.
"""

from __future__ import annotations

from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.machine.catalogue import cells
from assay.published.tables.hypercubes import kind
from assay.published.tables.placement import on_nodes, per_node
from assay.published.tables.registry import PublishedTables
from assay.report.units import human

PAPER = "vandersteen2000_beowulf"
TABLES = {
    "table6.2": "Compaq, Ethernet",
    "table6.8": "SGI, Ethernet",
    "table6.5": "IBM, Myrinet",
    "table6.9": "SGI, Myrinet",
}


def tables(document: Document) -> list[Grid]:
    """A table for each number of ranks that this run measured patterns on; [] where it measured none."""
    rates = [
        each
        for section in document.benchmarks
        if section.benchmark == "patterns"
        for each in section.figures
        if each.name == "rate" and each.main and each.shown is not None
    ]
    counts = sorted({ranks for each in rates if isinstance(ranks := each.params.get("ranks"), int)})
    return [_table(document, ranks, [each for each in rates if each.params["ranks"] == ranks]) for ranks in counts]


def _table(document: Document, ranks: int, rates: list[ReportedFigure]) -> Grid:
    quoted = [cell for table in TABLES for cell in cells(paper=PAPER, table=table)]
    printed = sorted({cell.params["cpus"] for cell in quoted})
    near = min(printed, key=lambda cpus: (abs(cpus - ranks), cpus))
    of = {(cell.benchmark, cell.table): cell for cell in quoted if cell.params["cpus"] == near}
    by_node = sorted({per_node(each) for each in rates})
    rows = []
    for benchmark in dict.fromkeys(cell.benchmark or "" for cell in quoted):
        pattern = benchmark.removeprefix("mod1h.")
        own = [each for each in rates if each.params["pattern"] == pattern]
        if own:
            here = _greatest([[each for each in own if per_node(each) == count] for count in by_node])
            there = (of[benchmark, table] for table in TABLES)
            rows.append((pattern, *here, *(f"{cell.printed:g}" for cell in there)))
    named = f"{document.machine} ({kind(document)}, {ranks} ranks{on_nodes(by_node[0])})"
    others = (f"the same{on_nodes(count)}" for count in by_node[1:])
    headings = ("", named, *others, "of length", *TABLES.values())
    note = (
        "Here: the greatest median rate over lengths (best reading where a length has no median), from a common start "
        "to the last exit (ping-pong: half a round trip). The paper prints neither its lengths nor what a rate counts: "
        f"inferred from its tables. Others: quoted in MB/s, on {near} processors; IBM with 2 in a node."
    )
    return grid("Tables 6.2, 6.5, 6.8 and 6.9: communication patterns of EuroBen's mod1h", headings, rows, note)


def _greatest(columns: list[list[ReportedFigure]]) -> tuple[str, ...]:
    """The greatest rate of each column, a dash where there is none, and of which lengths they are."""
    best = [max(rates, key=lambda each: each.value or 0.0, default=None) for rates in columns]
    lengths = dict.fromkeys(human(each.params["bytes"], "B") for each in best if each)
    return *(each.with_marks(human(each.value, "B/s", 3)) if each else "–" for each in best), ", ".join(lengths)


ENTRY = PublishedTables(order=50, tables=tables)
