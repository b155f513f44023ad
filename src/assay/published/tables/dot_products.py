"""Figure 1 of Dunigan 1991 with today's numbers: the inner product by vector length, compiled and by hand.

The figure is an image without numbers; what the text says of it stands below the table.
"""

from __future__ import annotations

from collections import defaultdict

from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.published.tables.registry import PublishedTables
from assay.report.units import human

CODES = {"compiled": "compiled", "vectorised": "by hand", "library": "library"}
TYPES = ("float32", "float64")
TITLE = "Figure 1: inner product by vector length"
NOTE = (
    "Dunigan 1991, section 2.1, of the i860 at 40 MHz, whose peak is 80 Mflop/s in 32 bits and 60 in 64: compilers "
    "reach 15 Mflop/s, routines written by hand in assembler perhaps two thirds of the peak. Here: medians; by hand is "
    "C++ of whole vectors."
)


def tables(document: Document) -> list[Grid]:
    """The table with a row for each length; [] where this run did not measure it."""
    rates: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    for section in document.benchmarks:
        for each in section.figures if section.benchmark == "dot-product" else ():
            if each.name == "rate" and each.statistic == "median" and each.value is not None:
                case = (str(each.params["code"]), str(each.params["type"]))
                rates[int(each.params["length"])][case] = human(each.value, each.unit, 3)
    columns = [(code, kind) for kind in TYPES for code in CODES if any((code, kind) in row for row in rates.values())]
    rows = [(str(length), *(rates[length].get(case, "–") for case in columns)) for length in sorted(rates)]
    headings = ("length", *(f"{CODES[code]}, {kind}" for code, kind in columns))
    return [grid(TITLE, headings, rows, NOTE)] if rows else []


ENTRY = PublishedTables(order=20, tables=tables)
