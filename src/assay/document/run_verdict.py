"""The verdict on a run: what the machine is, what it reaches, what limits it, and how good the run is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class FactLine:
    """One line on what the machine is."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Bound:
    """What a figure could be at most (or least), the share of it that was reached, and what it rests on."""

    value: float
    share: float
    basis: str


@dataclass(frozen=True, kw_only=True)
class EarlierValue:
    """What an earlier run of the same machine reached (SI units), and with what software that this one did not have."""

    run: str
    value: float
    made_with: Annotated[list[str] | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class BarTick:
    """The place of an earlier run on a bar, from 0 to 1; `made_with` as of its value."""

    run: str
    at: float
    made_with: Annotated[list[str] | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class Bar:
    """Shares of a scale, from 0 to 1: the figure, the ends of its interval, earlier runs; `bounded`: by its bound."""

    bounded: bool
    at: float
    low: float
    high: float
    ticks: list[BarTick]
    text: str


@dataclass(frozen=True, kw_only=True)
class ReachedLine:
    """One main figure on the first screen, with its bound and earlier runs.

    `figure`: its name in the record; `made_with`: the compiler with its flags, libraries and MPI that it depends on.
    `chosen`: the parameters of whose values its case has the best one.
    """

    part: str | None
    benchmark: str
    title: str
    value: float | None
    unit: str
    text: str
    interval: str
    pair: list[float] | None
    spread: float | None
    params: Params
    better: str
    state: str
    state_text: str
    displaced: float | None
    bound: Bound | None
    earlier: list[EarlierValue]
    bound_text: str
    bar: Bar | None
    advice: str = ""
    figure: Annotated[str | None, WRITTEN_IF_SET] = None
    made_with: Annotated[list[str] | None, WRITTEN_IF_SET] = None
    chosen: Annotated[list[str] | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One line on what limits the machine (`limit`), is odd (`odd`) or missing, with what to do; by falling weight.

    `choice`: how a library's choice compares with other ways to do the same.
    """

    weight: float
    kind: str
    text: str
    advice: str


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """One criterion of the grade, with its thresholds in words."""

    name: str
    grade: str
    text: str
    thresholds: str


@dataclass(frozen=True, kw_only=True)
class PartGrade:
    """How good the main figures of a part are, and why."""

    part: str
    grade: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Grade:
    """How good a run is: the worst of its criteria; `parts`: each part alone, where there are several."""

    grade: str
    meaning: str
    criteria: list[Criterion]
    parts: list[PartGrade] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class RunVerdict:
    """The first screen, as data; `summary.json` of a run's folder keeps it. `earlier`: runs that have a tick."""

    run: str | None
    machine: str | None
    described: bool
    profile: str | None
    created: float | None
    facts: list[FactLine]
    lines: list[ReachedLine]
    findings: list[Finding]
    published: list[str]
    grade: Grade
    earlier: int
