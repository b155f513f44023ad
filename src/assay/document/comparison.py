"""Runs compared with one another, and with what was published: rows of figures with the verdict on their ratio."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params
from assay.document.reported_figure import Moved

Interval = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class FigureSide:
    """One run's figure in a row, as its report prints it (SI units); `median` is `value` under its earlier name.

    `tail`: a tenth of all readings is worse, those that others disturbed among them.
    """

    run: str
    median: float | None
    value: float | None
    params: Params
    kind: str
    state: str
    estimator: str
    disturbance: Moved | None
    launches: int
    tail: Annotated[float | None, WRITTEN_IF_SET] = None
    guest: Annotated[bool | None, WRITTEN_IF_SET] = None  # `placement` is by a virtual machine's host


@dataclass(frozen=True, kw_only=True)
class JudgedSide(FigureSide):
    """One run's figure compared with the first run's: the ratio to it, its 95% interval, the verdict and why."""

    ratio: float | None
    ci95: Interval | None
    verdict: str
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class FigureRow:
    """A figure of two runs, A and B; `ratio` is B to A, of the two values.

    `verdict`: differs, equal, inconclusive; `reason` explains it. `shift` is Hodges and Lehmann's ratio, `ci95` its
    interval, `spread` the least and greatest ratio of the A/A run: None where nothing was judged.
    """

    benchmark: str
    metric: str
    figure: str
    params: Params
    a: FigureSide
    b: FigureSide
    unit: str
    better: str
    ratio: float | None
    shift: float | None = None
    ci95: Interval | None = None
    spread: Interval | None = None
    margin: float
    verdict: str
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class JudgedRow(FigureRow):
    """A row that was judged by launches; `analysis.comparison.Comparison` explains the fields."""

    p_differs: float | None
    p_equal: float | None
    pairs: int
    paired: bool
    statistic: str
    claim: bool


@dataclass(frozen=True, kw_only=True)
class OwnValue:
    """A run's value (SI units) and a published one."""

    run: str
    value: float
    kind: str
    state: str


@dataclass(frozen=True, kw_only=True)
class PublishedValue:
    """A published value (SI units), its case, and where it was printed; `doubtful`: it cannot be read for sure."""

    machine: str
    value: float
    kind: str
    source: str
    params: Params
    doubtful: bool


@dataclass(frozen=True, kw_only=True)
class PublishedRow:
    """A run's number and a published one, which has no launches: their ratio, published to own, and no verdict.

    `of`: what the run's number was chosen from, in words. `unlike`: in what the work of both is unlike: of such there
    is no ratio.
    """

    benchmark: str
    figure: str
    params: Params
    a: OwnValue
    b: PublishedValue
    unit: str
    ratio: float | None
    of: Annotated[str | None, WRITTEN_IF_SET] = None
    unlike: Annotated[str | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What a threshold found: whether every figure could be `judged`, what `missed` it, what is `unjudged`.

    `passed`: all was judged, and nothing missed. `figures`: how many it rests on.
    """

    judged: bool
    passed: bool
    figures: int
    missed: list[str]
    unjudged: list[str]


@dataclass(frozen=True, kw_only=True)
class RunDifference:
    """What two runs were made unlike in, such as ranks per node; None on the side that left it to its default."""

    key: str
    a: str | None
    b: str | None


@dataclass(frozen=True, kw_only=True)
class LoneFigure:
    """A figure that only one of two runs has."""

    benchmark: str
    figure: str
    params: Params


@dataclass(frozen=True, kw_only=True)
class RunComparison:
    """A run compared with `other`, a run or a machine: its kind (measured, simulated, quoted), its state, the rows.

    `differences` is what the two runs were made unlike in, `only_in_a` and `only_in_b` are figures without a row. What
    was published has none of these, no state and no gate; its warnings list published cases without one in the run.
    """

    other: Annotated[str, Field(alias="with")]
    kind: str
    state: str | None
    warnings: list[str]
    differences: list[RunDifference] = field(default_factory=list)
    rows: list[JudgedRow | FigureRow | PublishedRow]
    only_in_a: list[LoneFigure] = field(default_factory=list)
    only_in_b: list[LoneFigure] = field(default_factory=list)
    gate: Annotated[Gate | None, WRITTEN_IF_SET] = None
    judged: Annotated[bool | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class ComparedRun:
    """One of several runs side by side, with the processor's model and the number of usable hardware threads."""

    run: str
    machine: str | None
    profile: str | None
    created: float | None
    state: str
    kind: str
    folder: str
    processor: str | None
    processors: float | None


@dataclass(frozen=True, kw_only=True)
class SideBySideRow:
    """A figure of several runs: `values` in their order, None where a run has none.

    `headline`: a main figure of any of the runs.
    """

    benchmark: str
    figure: str
    params: Params
    unit: str
    better: str
    headline: bool
    values: list[JudgedSide | FigureSide | None]


@dataclass(frozen=True, kw_only=True)
class SideBySide:
    """Several runs, each compared with the first one within `margin` (relative)."""

    margin: float
    runs: list[ComparedRun]
    rows: list[SideBySideRow]
