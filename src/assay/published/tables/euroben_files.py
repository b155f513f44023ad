"""Figure 6.8 of van der Steen 2000 in words, with this machine's rates: a matrix in a file times a vector (mod3a).

The figure is an image without numbers; section 6.4.2 says the ranges over its machines for the smaller sizes, and two
machines' rates for the larger ones.
"""

from __future__ import annotations

from assay.document.grid import Grid, grid
from assay.document.params import Parameters
from assay.document.run_document import Document
from assay.machine.catalogue import cells, load
from assay.published.tables.hypercubes import kind
from assay.published.tables.registry import PublishedTables
from assay.report.units import human

PAPER = "vandersteen2000_beowulf"
TITLE = "Figure 6.8: matrix in a file times a vector, read and write rates"
NOTE = (
    "Here: median rates, with where the bytes went and came from; writing with fsync. A row says which part of the "
    "matrix was worked on: sizes with equally many bytes differ in the length of their rows alone. "
    "The paper's rates are quoted from section 6.4.2; other users worked on the two machines of the larger sizes, and "
    "it does not say whether a cache served the smaller ones."
)


def _worked_on(params: Parameters) -> str:
    """The matrix, and the part of it that the file had."""
    return f"{params['size']}, {params.get('part', 'first rows')}"


def tables(document: Document) -> list[Grid]:
    """The table with this run's sizes, then what the paper prints; [] where this run did not measure it."""
    rates = {
        (_worked_on(each.params), each.name, str(each.params["source"])): human(each.value, each.unit, 3)
        for section in document.benchmarks
        if section.benchmark == "tomography"
        for each in section.figures
        if each.name in ("read_rate", "write_rate") and each.statistic == "median" and each.value is not None
    }
    rows: list[tuple[str, ...]] = []
    for size in dict.fromkeys(size for size, _, _ in rates):
        read, write = (
            ", ".join(
                f"{rate} ({source})" for (of, kind_of, source), rate in rates.items() if (of, kind_of) == (size, n)
            )
            for n in ("read_rate", "write_rate")
        )
        rows.append((f"{size}, {document.machine} ({kind(document)})", read or "–", write or "–"))
    if not rows:
        return []
    quoted = {
        (cell.machine, cell.params["size"], cell.metric): human(cell.value, cell.unit, 3)
        for cell in cells(paper=PAPER, benchmark="euroben.mod3a")
    }
    low_high = [
        " to ".join(quoted[None, "smaller", f"bandwidth_{way}_{end}"] for end in ("min", "max"))
        for way in ("read", "write")
    ]
    rows.append(("smaller sizes, all machines (quoted)", *low_high))
    for machine in dict.fromkeys(machine for machine, _, _ in quoted if machine is not None):
        there = (quoted[machine, "large", f"bandwidth_{way}"] for way in ("read", "write"))
        rows.append((f"larger sizes, {load().machines[machine].name} (quoted)", *there))
    return [grid(TITLE, ("", "read", "write"), rows, NOTE)]


ENTRY = PublishedTables(order=90, tables=tables)
