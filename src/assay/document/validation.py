"""A described machine beside what was published of it: cells with their errors, table by table, and claims."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from assay.document.grid import Grid
from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params

Outcome = Literal["holds", "differs", "cannot be told"]


@dataclass(frozen=True, kw_only=True)
class CellErrors:
    """Errors of some of a table's cells, how many `cells`, as shares of the printed values."""

    cells: int
    median: float
    p95: float
    worst: float


@dataclass(frozen=True, kw_only=True)
class ValidatedCell:
    """A published cell and its simulated value (SI `unit`); `mark`: what the description rests on for it."""

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
    error: float | None
    error_beyond_print: float | None


@dataclass(frozen=True, kw_only=True)
class ValidatedTable:
    """A published table; `errors` by mark and of `all`, None without a cell; `marks`: number of cells by mark."""

    paper: str
    table: str
    benchmark: str
    source: str
    errors: dict[str, CellErrors | None]
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
    """A published claim, its outcome and what it was judged by."""

    claim: str
    outcome: Outcome
    parts: list[JudgedPart]
    note: str
    mark: Annotated[str | None, WRITTEN_IF_SET] = None
    text: str
    source: Annotated[str | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class ValidationSummary:
    """Cells and claims, each counted in a sentence."""

    cells: str
    claims: str


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
