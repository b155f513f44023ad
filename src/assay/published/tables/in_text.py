"""What van der Steen 2000 prints in its text and in no table, with this run's number of the same beside it.

n_half of two loops and a stride, Fourier transforms by size and level, a wavelet transform by level, two forms of a
matrix-vector product, the best distributed dot product by processors, digits lost by intrinsic functions. Which number
stands beside which is decided as for `assay compare RUN MACHINE` (pairs.py).
"""

from __future__ import annotations

from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.machine.catalogue import cells, load
from assay.published.tables.hypercubes import kind
from assay.published.tables.pairs import Pair, pairs
from assay.published.tables.registry import PublishedTables
from assay.report.units import amount, params

PAPER = "vandersteen2000_beowulf"
ELSEWHERE = ("euroben.mod3a", "euroben.mod1j")  # with tables of their own, the text among them
TITLE = "Numbers in the text of van der Steen 2000"
NOTE = "Flops by the paper's count. The other machine: quoted from the section named; a ? marks a doubtful number."


def tables(document: Document) -> list[Grid]:
    """One row for each number of the text that this run has a case for; [] where it has none."""
    printed = [
        cell
        for cell in cells(paper=PAPER)
        if cell.table is None and cell.machine is not None and cell.benchmark not in ELSEWHERE
    ]
    found, _ = pairs(document, printed)
    if not found:
        return []
    headings = ("", "case there", f"{document.machine} ({kind(document)})", "case here", "quoted", "machine")
    unlike = dict.fromkeys(f"{_name(pair)}: {pair.unlike}" for pair in found if pair.unlike)
    note = f"{NOTE} {'; '.join(unlike)}." if unlike else NOTE
    return [grid(TITLE, headings, [_row(pair) for pair in found], note, left=2)]


def _name(pair: Pair) -> str:
    return f"{pair.cell.benchmark.removeprefix('euroben.')} {pair.cell.metric.replace('_', ' ')}"


def _row(pair: Pair) -> tuple[str, ...]:
    cell, own = pair.cell, pair.own
    marks = {"disturbed": " *", "clean": ""}.get(own.state, f" ({own.state})")
    here = ", ".join(text for text in (params(own.params), own.level, own.of) if text)
    quoted = amount(cell.value, cell.unit) + (" ?" if cell.doubtful else "")
    name = load().machines[cell.machine or ""].name
    there = f"{params(dict(cell.params)) or '–'} ({cell.source})"
    return _name(pair), there, amount(own.value, own.unit) + marks, here or "–", quoted, name


ENTRY = PublishedTables(order=110, tables=tables)
