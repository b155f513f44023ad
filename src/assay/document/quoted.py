"""What was published of a machine that is not measured here: figures quoted from papers, by benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class QuotedFigure:
    """A published cell as a figure: `value` in the SI unit `unit`, `printed` with the paper's own; not judged.

    `another_program`: what was measured, where that is a program of the same subject in another form than ours.
    """

    benchmark: str
    name: str
    value: float
    unit: str
    statistic: str
    params: Params
    ci95: None = None
    range: None = None
    state: None = None
    estimator: None = None
    disturbance: None = None
    kind: str = "quoted"
    published_as: str
    printed: str
    paper: str
    source: str
    doubtful: bool
    note: str | None
    another_program: str | None = None


@dataclass(frozen=True, kw_only=True)
class QuotedSection:
    """The published figures that answer one of Assay's benchmarks."""

    benchmark: str
    title: str
    part: str
    figures: list[QuotedFigure]


@dataclass(frozen=True, kw_only=True)
class QuotedAnswer:
    """What every quoted answer has; `unpublished`: benchmarks without published numbers."""

    machine: str
    name: str
    kind: str = "quoted"
    state: str = "quoted"
    valid: bool = True
    warnings: list[str]
    unpublished: list[str]

    @property
    def sections(self) -> Sequence[QuotedSection]:
        """The figures, benchmark by benchmark."""
        return ()


@dataclass(frozen=True, kw_only=True)
class Quoted(QuotedAnswer):
    """A machine's published figures for several benchmarks."""

    benchmarks: list[QuotedSection]

    @property
    def sections(self) -> Sequence[QuotedSection]:
        """The figures, benchmark by benchmark."""
        return self.benchmarks


@dataclass(frozen=True, kw_only=True)
class QuotedBenchmark(QuotedSection, QuotedAnswer):
    """A machine's published figures for one benchmark."""

    @property
    def sections(self) -> Sequence[QuotedSection]:
        """This benchmark alone."""
        return (self,)
