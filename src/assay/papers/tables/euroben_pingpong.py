"""Table 6.15 of van der Steen 2000 with this machine's row: greatest rate and latency of a ping-pong (mod1j).

The latency is the intercept of a least-squares line over the lengths up to 1,000 bytes; the paper names an error of its
latency, so that it was fitted as well, but not over which lengths.
"""

from __future__ import annotations

from assay.analysis.ping_pong import SHORT, greatest_rate, latency
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.machine import catalogue
from assay.papers.tables.hypercubes import kind
from assay.report.units import human

PAPER, TABLE, BENCHMARK = "vandersteen2000_beowulf", "table6.15", "fine-echo"


def tables(document: Document) -> list[Grid]:
    """The table; [] where this run measured no ping-pong in fine steps."""
    times: dict[int, float] = {}
    for section in document.benchmarks:
        for each in section.figures if section.benchmark == BENCHMARK else ():
            if each.name == "half_round_trip" and each.statistic == "median" and each.value is not None:
                size = int(each.params["bytes"])
                times[size] = min(each.value, times.get(size, each.value))
    if len([size for size in times if size <= SHORT]) < 2:
        return []
    rate, size = greatest_rate(times)
    own = (human(rate, "B/s", 3), human(latency(times), "s", 3))
    rows: list[tuple[str, ...]] = [(f"{document.machine} ({kind(document)})", *own)]
    quoted = catalogue.cells(paper=PAPER, table=TABLE)
    for machine in dict.fromkeys(cell.machine for cell in quoted):
        cells = {cell.metric: cell for cell in quoted if cell.machine == machine}
        printed = (f"{cells[metric].printed:g} {cells[metric].printed_unit}" for metric in ("bandwidth", "latency"))
        doubtful = " ?" if any(cell.doubtful for cell in cells.values()) else ""
        rows.append((f"{catalogue.machine(machine or '').name}{doubtful}", *printed))
    note = (
        f"Here: r_max at {human(size, 'B')}, of {len(times)} lengths; the latency is a line's intercept over "
        f"lengths up to {SHORT:,} B. Others: quoted; ? the paper doubts that the two ranks were in two nodes."
    )
    return [grid("Table 6.15: ping-pong of EuroBen's mod1j", ("", "r_max", "latency"), rows, note)]
