"""A described machine compared with what was published of it: cell by cell, then each table's errors by themselves.

Nothing is pooled. A cell is marked by what the description rests on (`assay.published.cells.provenance`): only
extrapolated and transferred cells are evidence, and are compared with a baseline (`baseline`). Doubtful
cells are shown and do not count. Errors are relative and of the value as printed; next to them is what is left of
them beyond the printed half digit or the clock's tick.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.case import Case
from assay.document.validation import CellErrors, ValidatedCell
from assay.kinds import EVIDENCE, NumberKind
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.published.cells import allowance, twins
from assay.published.cells import file_twins as file_twins
from assay.published.cells.allowance import Error
from assay.published.cells.answers import Answers
from assay.published.cells.baseline import baselines
from assay.published.cells.provenance import Provenance
from assay.published.cells.rules import RULES

WAYS = ("line", "share", "level", "scaled", "nearest", "machine")  # of a baseline
SETS = ("euroben.mod1ac", "kernel", "caltech")  # of kernels that are in one table
OTHERS = ("time-slice-interrupt",)  # of messages, but of nothing that is simulated: shown as quoted


@dataclass(frozen=True)
class ComparedCell:
    """One published cell and its twin (SI)."""

    cell: PublishedCell
    simulated: float | None
    mark: NumberKind
    error: Error | None
    baselines: Mapping[str, float] = field(default_factory=dict)

    @property
    def counts(self) -> bool:
        """Whether it is informative about the description: it has a twin and its own digits are trusted."""
        return self.error is not None and not self.cell.doubtful

    def document(self) -> ValidatedCell:
        """As part of a document."""
        return ValidatedCell(
            paper=self.cell.paper,
            table=self.cell.table,
            source=self.cell.source,
            benchmark=self.cell.benchmark,
            metric=self.cell.metric,
            params=Case(self.cell.params),
            published=self.cell.value,
            unit=self.cell.unit,
            printed=self.cell.printed,
            printed_unit=self.cell.printed_unit,
            doubtful=self.cell.doubtful,
            note=self.cell.note,
            simulated=self.simulated,
            mark=self.mark,
            baselines=dict(self.baselines),
            error=None if self.error is None else self.error.raw,
            error_beyond_print=None if self.error is None else self.error.left,
        )


@dataclass(frozen=True)
class ComparedTable:
    """One published table (or the single results of one benchmark) and its twins."""

    paper: str
    name: str
    benchmark: str
    source: str
    rows: tuple[ComparedCell, ...]

    def errors(self, mark: str | None = None, left: bool = False) -> CellErrors | None:
        """Median, 95th percentile and worst error of the cells that count, or of those with this mark."""
        chosen = [row for row in self.rows if row.counts and mark in (None, row.mark)]
        if not chosen:
            return None
        return _errors([row.error.left if left else row.error.raw for row in chosen if row.error is not None])

    def baseline_errors(self, kind: NumberKind) -> tuple[str, CellErrors] | None:
        """The same of the baseline of the cells of this kind, and how it was had; None where it has not all of them."""
        return best_baseline([row for row in self.rows if row.counts and row.mark == kind])


def best_baseline(rows: Sequence[ComparedCell]) -> tuple[str, CellErrors] | None:
    """Of the baselines that all of these cells have the one with the least median error, and its errors."""
    found = []
    for way in WAYS:
        values = [way_of(row, way) for row in rows]
        known = [value / row.cell.value - 1 for value, row in zip(values, rows, strict=True) if value is not None]
        if known and len(known) == len(rows):
            found.append((way, _errors(known)))
    return min(found, key=lambda each: each[1].median, default=None)


def way_of(row: ComparedCell, way: str) -> float | None:
    """One baseline (SI) of a cell; `nearest` is that of its benchmark, or of its machine where it has none."""
    values = row.baselines
    return values.get("benchmark", values.get("machine")) if way == "nearest" else values.get(way)


def _errors(signed: Sequence[float]) -> CellErrors:
    shares = np.abs(signed)
    return CellErrors(
        cells=len(shares),
        median=float(np.median(shares)),
        p95=float(np.percentile(shares, 95)),
        worst=float(shares.max()),
    )


def compare(answers: Answers, machine: str, published: str, origin: dict[str, str]) -> list[ComparedTable]:
    """Compare every published cell of messages of `published` with `machine`, table by table."""
    cells = [cell for cell in catalogue.cells(machine=published) if cell.benchmark in RULES or cell.benchmark in OTHERS]
    values = twins.simulated(answers, machine, cells)
    twinned = {id(cells[place]) for place in values}
    behind = Provenance(lambda cell: id(cell) in twinned, published, origin)
    rows = [_row(cell, values.get(place), behind) for place, cell in enumerate(cells)]
    return _grouped(rows)


def _row(cell: PublishedCell, value: float | None, behind: Provenance) -> ComparedCell:
    error = None if value is None else allowance.error(cell, value)
    kind = behind.cell(cell)
    beside = baselines(cell, behind) if kind in (*EVIDENCE, NumberKind.INTERPOLATED) else {}
    return ComparedCell(cell, value, kind, error, beside)


def _together(benchmark: str) -> str:
    """The name of what one table is about: the patterns of a EuroBen program are its parts, as kernels are of a set."""
    if benchmark.startswith("mod1h."):
        return "euroben.mod1h"
    return next((each for each in SETS if benchmark.startswith(f"{each}.")), benchmark)


def _grouped(rows: Iterable[ComparedCell]) -> list[ComparedTable]:
    groups: dict[tuple[str, str, str], list[ComparedCell]] = {}
    for row in rows:
        groups.setdefault((row.cell.paper, row.cell.table or "text", _together(row.cell.benchmark)), []).append(row)
    return [
        ComparedTable(paper, name, benchmark, group[0].cell.source, tuple(group))
        for (paper, name, benchmark), group in groups.items()
    ]
