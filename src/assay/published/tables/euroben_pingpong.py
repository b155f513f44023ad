"""Table 6.15 of van der Steen 2000 with this machine's rows: greatest rate and latency of a ping-pong (mod1j).

The latency is the intercept of a least-squares line over the lengths up to 1,000 bytes; the paper names an error of its
latency, so that it was fitted as well, but not over which lengths. It is fitted to medians alone; the greatest rate may
be a best reading, marked, of a length without a median. Where the two ranks were measured in one node and in two, each
has a row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from assay.analysis.ping_pong import SHORT, STEPS, greatest_rate, latency
from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.machine import catalogue
from assay.published.tables.hypercubes import kind
from assay.published.tables.placement import on_nodes, per_node
from assay.published.tables.registry import PublishedTables
from assay.report.units import human

PAPER, TABLE, BENCHMARK = "vandersteen2000_beowulf", "table6.15", "fine-echo"
LEAST = 2  # short lengths that make a line


def tables(document: Document) -> list[Grid]:
    """The table; [] where this run measured no ping-pong in fine steps."""
    best: dict[int, dict[int, ReportedFigure]] = defaultdict(dict)  # least one-way times by ranks per node and length
    for section in document.benchmarks:
        for each in section.figures if section.benchmark == BENCHMARK else ():
            if each.name == "half_round_trip" and each.main and each.shown is not None:
                size, of = int(each.params["bytes"]), best[per_node(each)]
                of[size] = min(of.get(size, each), each, key=_estimate_first)
    by_node = {nodes: _times(of, medians=True) for nodes, of in best.items()}
    known = {nodes: by_node[nodes] for nodes in sorted(by_node) if len(_short(by_node[nodes])) >= LEAST}
    if not known:
        return []
    rows: list[tuple[str, ...]] = []
    for nodes, times in known.items():
        rate, size = greatest_rate(_times(best[nodes]))
        own = (best[nodes][size].with_marks(human(rate, "B/s", 3)), human(latency(times), "s", 3))
        rows.append((f"{document.machine} ({kind(document)}{on_nodes(nodes)})", *own))
    quoted = catalogue.cells(paper=PAPER, table=TABLE)
    for machine in dict.fromkeys(cell.machine for cell in quoted):
        cells = {cell.metric: cell for cell in quoted if cell.machine == machine}
        printed = (f"{cells[metric].printed:g} {cells[metric].printed_unit}" for metric in ("bandwidth", "latency"))
        doubtful = " ?" if any(cell.doubtful for cell in cells.values()) else ""
        rows.append((f"{catalogue.machine(machine or '').name}{doubtful}", *printed))
    lengths = max(known.values(), key=len)
    at = (greatest_rate(_times(best[nodes]))[1] for nodes in known)
    sizes = " and ".join(dict.fromkeys(human(size, "B") for size in at))
    twins = f" (the one beside a published cell: over {len(_short(STEPS))})" if document.described else ""
    note = (
        f"Here: r_max at {sizes}, of {len(lengths)} lengths; the latency is a line's intercept over "
        f"{len(_short(lengths))} lengths up to {SHORT:,} B{twins}. "
        "Others: quoted; ? the paper doubts that the two ranks were in two nodes."
    )
    return [grid("Table 6.15: ping-pong of EuroBen's mod1j", ("", "r_max", "latency"), rows, note)]


def _short(lengths: Iterable[int]) -> list[int]:
    return [size for size in lengths if size <= SHORT]


def _estimate_first(figure: ReportedFigure) -> tuple[bool, float]:
    """Order by which of a length's figures stands: a median before a best reading, then the least."""
    return figure.statistic != "median", figure.shown or 0.0


def _times(of: dict[int, ReportedFigure], *, medians: bool = False) -> dict[int, float]:
    """One-way times by length, of all or of those that are medians."""
    return {size: each.shown or 0.0 for size, each in of.items() if each.statistic == "median" or not medians}


ENTRY = PublishedTables(order=60, tables=tables)
