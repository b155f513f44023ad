"""What a fit to runs found, as `assay fit RUN…` gives it under `--json`: plain data in SI units."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict


class FittedKeys(TypedDict):
    """A fitted number (SI `unit`) at `keys`, which share it, with its interval; `text`: as the description has it."""

    keys: list[str]
    value: float
    low: float
    high: float
    unit: str
    text: str


class FittedUncertainty(TypedDict):
    """How well a run knows its numbers: intervals of `level`, by cells that the rule `used` takes; what it does not."""

    level: float
    used: str
    keys: list[FittedKeys]
    not_determined: list[str]


class StretchFound(TypedDict):
    """A range of lengths (B) with its line (s, s/B); not `determined`: its readings are bounds."""

    least: float
    greatest: float
    alpha: float
    beta: float
    determined: bool


class StorageCellFound(TypedDict):
    """A measured rate (B/s) and the law's, with the relative error, its ends and how many launches these rest on."""

    bytes: int
    flight: int
    measured: float
    fitted: bool
    saturation: float | None
    predicted: float
    error: float
    error_between: list[float] | None
    error_launches: int
    missed: bool


class StorageFound(TypedDict):
    """The law of a direction and source (`analysis.storage_law`); `between`: the kind of the ends, ci95 or range."""

    name: str
    direction: str
    source: str
    engine: str
    access: str
    r_max: float
    n_half: float
    n_half_between: list[float | None] | None
    startup: float
    per_byte: float
    limit: float
    limited: bool
    each: float
    contended: bool
    decline: float
    startup_between: list[float] | None
    per_byte_between: list[float] | None
    between: str | None
    launches: int
    cells: list[StorageCellFound]


class RunFitted(TypedDict):
    """What was fitted: an echo's lines, hops (s) and planes, and storage, whatever of both the run has."""

    machine: str | None
    run: str
    stretches: NotRequired[list[StretchFound]]
    per_hop: NotRequired[float]
    planes: NotRequired[list[dict[str, object]]]
    papers: NotRequired[list[dict[str, object]]]
    storage: NotRequired[list[StorageFound]]
    uncertainty: FittedUncertainty
