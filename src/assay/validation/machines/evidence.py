"""Cells that are evidence, table by table, compared with a baseline without a simulator; and the sum of all.

A group is a published table of a machine (all patterns of a program together): the median error of its extrapolated
and transferred cells and that of the best baseline of the same cells (`published.cells.baseline`). Cells of one
benchmark for which the simulator has one number count once, by the one that is farthest off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.document.grid import Grid, grid
from assay.document.validation import EvidenceSummary
from assay.kinds import EVIDENCE, NumberKind
from assay.published.cells.comparison import ComparedCell, ComparedTable, best_baseline
from assay.published.judge import ClaimVerdict
from assay.validation.claims import messages as claims

BY = {
    "line": "line",
    "share": "bus shared equally",
    "level": "first cache, by other kernels' mean ratio",
    "scaled": "perfect scaling",
    "nearest": "nearest, same benchmark or else machine",
    "machine": "nearest, same machine",
}
ONE = 1e-3  # relative: simulated numbers that differ by less are one


@dataclass(frozen=True)
class EvidenceGroup:
    """The cells of one kind or several in one table of a machine; errors as shares, None without a baseline."""

    machine: str
    table: ComparedTable
    cells: tuple[ComparedCell, ...]
    error: float
    baseline: float | None
    by: str

    @property
    def beaten(self) -> bool | None:
        """Whether the simulator's median error is less than the baseline's."""
        return None if self.baseline is None else self.error < self.baseline * (1 - ONE)


def once(rows: Sequence[ComparedCell]) -> list[ComparedCell]:
    """The cells that count, one for each number of the simulator's in a benchmark and metric: the one farthest off."""
    kept: list[ComparedCell] = []
    for row in sorted((row for row in rows if row.counts), key=lambda row: -abs(row.error.raw if row.error else 0)):
        if not any(_repeats(row, other) for other in kept):
            kept.append(row)
    return [row for row in rows if any(row is other for other in kept)]


def _repeats(row: ComparedCell, other: ComparedCell) -> bool:
    if (row.cell.benchmark, row.cell.metric) != (other.cell.benchmark, other.cell.metric):
        return False
    one, two = row.simulated or 0.0, other.simulated or 0.0
    return abs(one - two) <= ONE * abs(two)


def groups(
    machine: str, tables: Sequence[ComparedTable], kinds: Sequence[NumberKind] = EVIDENCE, all_cells: bool = False
) -> list[EvidenceGroup]:
    """One group for each table that has cells of these kinds; `all_cells`: each counts, as in tables of errors."""
    found = []
    of = [row for table in tables for row in table.rows if row.mark in kinds and row.counts]
    counting = {id(row) for row in (of if all_cells else once(of))}  # a later table may print a number again
    for table in tables:
        rows = [row for row in table.rows if id(row) in counting]
        if not rows:
            continue
        beside = best_baseline(rows)
        found.append(
            EvidenceGroup(
                machine,
                table,
                tuple(rows),
                float(np.median([abs(row.error.raw) for row in rows if row.error is not None])),
                None if beside is None else beside[1].median,
                "" if beside is None else beside[0],
            )
        )
    return found


def beside(found: Sequence[EvidenceGroup], title: str) -> Grid:
    """The groups as a table."""
    rows = [
        (
            each.machine,
            f"{each.table.source}: {each.table.benchmark}",
            ", ".join(sorted({row.mark for row in each.cells})),
            f"{len(each.cells)}",
            f"{100 * each.error:.2f}",
            "–" if each.baseline is None else f"{100 * each.baseline:.2f} ({BY[each.by]})",
            {True: "simulator", False: "baseline", None: "–"}[each.beaten],
        )
        for each in found
    ]
    headings = ("machine", "table", "kind", "cells", "simulator: median error %", "baseline: median error %", "nearer")
    note = "The baseline uses no simulator. It is one of these ways, the one with the least median error of "
    note += "those that all cells of the table have. A straight line through used cells. The nearest used cell of "
    note += "the same benchmark, or of the same machine where the benchmark has none. The nearest used cell of "
    note += "the same machine. Of several processors of a node: that many times one, and together no more than "
    note += "the bus gives one that only reads (speedups: their number). Of whole programs: the nearest time or "
    note += "rate as if it scaled perfectly on any network; where none was used, that of the machine that does "
    note += "best. From a second cache: the first cache's rate times the mean ratio of both in the kernels whose "
    note += "second rate was used."
    return grid(title, headings, rows, note, left=3)


def counted(found: Sequence[EvidenceGroup], verdicts: Sequence[ClaimVerdict]) -> EvidenceSummary:
    """How much evidence there is, and its result."""
    kinds = [row.mark for each in found for row in each.cells]
    known = [each for each in found if each.baseline is not None]
    stated = claims.evidence(verdicts)
    return EvidenceSummary(
        cells={kind: kinds.count(kind) for kind in EVIDENCE},
        groups=len(known),
        groups_beaten=sum(bool(each.beaten) for each in known),
        claims={kind: sum(one.mark == kind for one in stated) for kind in EVIDENCE},
        claims_hold={kind: sum(one.mark == kind and one.outcome == "holds" for one in stated) for kind in EVIDENCE},
    )


def words(found: EvidenceSummary) -> str:
    """The same in sentences."""
    cells = ", ".join(f"{count} {kind}" for kind, count in found.cells.items())
    of = ", ".join(f"{count} {kind}, of which {found.claims_hold[kind]} hold" for kind, count in found.claims.items())
    plural = "" if found.groups == 1 else "s"
    return (
        f"Evidence: {sum(found.cells.values())} cells ({cells}). The simulator's median error is less than the "
        f"baseline's in {found.groups_beaten} of {found.groups} group{plural}. "
        f"Claims whose every clause is evidence: {sum(found.claims.values())} ({of})."
    )


def all_groups(
    tables: Mapping[str, Sequence[ComparedTable]], kinds: Sequence[NumberKind] = EVIDENCE
) -> list[EvidenceGroup]:
    """The groups of several machines."""
    return [group for name, of in tables.items() for group in groups(name, of, kinds)]
