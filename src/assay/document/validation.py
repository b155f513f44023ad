"""A described machine compared with what was published of it: cells with their errors, table by table, and claims."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from assay.document.grid import Grid
from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params

Outcome = Literal["holds", "differs", "inconclusive"]


@dataclass(frozen=True, kw_only=True)
class CellErrors:
    """Errors of some of a table's cells, how many `cells`, as shares of the printed values."""

    cells: int
    median: float
    p95: float
    worst: float


@dataclass(frozen=True, kw_only=True)
class ValidatedCell:
    """A published cell and its simulated value (SI `unit`); `mark`: its kind (`assay.kinds`).

    `baselines`: of interpolated cells and of evidence values (SI) without a simulator, by how each was had: `line`,
    `share` (of a node's bus), `level` (another one of memory), `scaled` (perfectly, by processors), `benchmark` and
    `machine` (the nearest used cell of either).
    """

    paper: str
    table: str | None
    source: str
    benchmark: str
    metric: str
    params: Params
    published: float
    unit: str
    printed: int | float
    printed_unit: str
    doubtful: bool
    note: str | None
    simulated: float | None
    mark: str
    baselines: dict[str, float] = field(default_factory=dict)
    error: float | None
    error_beyond_print: float | None


@dataclass(frozen=True, kw_only=True)
class ValidatedTable:
    """A published table; `errors` by kind and of `all`, None without a cell; `marks`: number of cells by kind.

    `errors_baseline`: by kind the errors of a baseline without a simulator: of those that all cells have the best.
    """

    paper: str
    table: str
    benchmark: str
    source: str
    errors: dict[str, CellErrors | None]
    errors_baseline: dict[str, CellErrors | None] = field(default_factory=dict)
    errors_beyond_print: CellErrors | None
    marks: dict[str, int]
    unfollowable: list[str]
    cells: list[ValidatedCell]


@dataclass(frozen=True, kw_only=True)
class JudgedPart:
    """One comparison of a claim, with its numbers in words."""

    outcome: Outcome
    numbers: str


@dataclass(frozen=True, kw_only=True)
class JudgedClaim:
    """A published claim, its outcome and what it was judged by.

    `mark`: its kind (`assay.kinds`); `rests_on`: the claim with which it counts once.
    """

    claim: str
    outcome: Outcome
    parts: list[JudgedPart]
    note: str
    mark: Annotated[str | None, WRITTEN_IF_SET] = None
    rests_on: Annotated[str | None, WRITTEN_IF_SET] = None
    text: str
    source: Annotated[str | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class EvidenceSummary:
    """Evidence by kind: cells (each simulated number once), claims and those that hold.

    `groups`: tables of such cells that have a baseline; `groups_beaten`: in which the simulator is nearer.
    """

    cells: dict[str, int]
    groups: int
    groups_beaten: int
    claims: dict[str, int]
    claims_hold: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class ValidationSummary:
    """Cells and claims, each counted in a sentence; `evidence`: what of both is evidence."""

    cells: str
    claims: str
    evidence: EvidenceSummary | None = None


@dataclass(frozen=True, kw_only=True)
class Validation:
    """One described machine; `uncertain`: tables whose reading is; `reason`: why there is none, where there is none."""

    machine: str
    published: str | None
    tables: list[ValidatedTable]
    uncertain: list[Grid] = field(default_factory=list)
    summary: ValidationSummary | None = None
    claims: list[JudgedClaim]
    reason: Annotated[str | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class Validations:
    """All described machines; `refused`: what could not be simulated, with the reason."""

    machines: list[Validation]
    refused: dict[str, str]
