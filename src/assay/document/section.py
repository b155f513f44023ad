"""One benchmark's section of a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from assay.document.account import TimeAccount
from assay.document.choice import Choice, ChoiceWanted
from assay.document.fits import Fit
from assay.document.fleet import DifferingNode, FleetFound
from assay.document.guideline import GuidelineTest
from assay.document.json_form import WRITTEN_IF_SET
from assay.document.node_noise import NodeNoise
from assay.document.over_time import TimeSeries
from assay.document.params import Derived, Params
from assay.document.predicted import PredictedTime
from assay.document.processor_time import ProcessorTime
from assay.document.reported_figure import Headline, ReportedFigure
from assay.document.tournament import TournamentFound
from assay.remarks import shown


@dataclass(frozen=True, kw_only=True)
class VarianceByLevel:
    """Where the spread of one metric and case on one host comes from (report/derive/variance_components.py)."""

    metric: str
    unit: str
    params: Params
    host: str
    method: str
    launches: int
    blocks: int
    readings: int
    variance: dict[str, float]
    share: dict[str, float]
    relative: dict[str, float | None]
    unsampled: list[str]


@dataclass(frozen=True, kw_only=True)
class SharesDrawn:
    """What a record wants drawn as bars: `[shares]` (report/sections/shares.py)."""

    parts: list[str]
    over: str
    each: Annotated[str | None, WRITTEN_IF_SET] = None
    sum: Annotated[str | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class AccuracyDrawn:
    """What a record wants shown of speed and accuracy: `[accuracy]` (report/sections/accuracy.py)."""

    time: str
    error: str
    across: str
    over: str
    wrong: Annotated[str | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class ConvergenceStated:
    """The order of a record's method, and the solution that errors are taken from: `[convergence]`."""

    order: float
    solution: str


@dataclass(frozen=True, kw_only=True)
class SpentEnergy:
    """What the packages took while a rate was measured, and what that is for each unit of work.

    Watts are medians of the launches; `value` and `range` in `unit` (J/flop, J/B, J/message; of an application also
    J/run and what its rate counts), of the packages alone; `state` is that of the rate. Of all that ran on the host,
    idle power included.
    """

    figure: str
    params: Params
    package: float
    memory: float | None
    platform: float | None
    value: float
    range: list[float]
    unit: str
    launches: int
    source: str
    state: str


@dataclass(frozen=True, kw_only=True)
class PeakShare:
    """A rate of one case and the arithmetic peak of as many threads in its precision (report/sections/peak_shares.py).

    `passed_by`: what in this run passed that peak, so that no share of it is shown.
    """

    figure: str
    params: Params
    value: float
    peak: float
    share: float
    basis: str
    state: str
    passed_by: Annotated[str | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class RoofPart:
    """What a record has for the roof: `[roof]` (report/sections/roof.py)."""

    bandwidth: Annotated[str | None, WRITTEN_IF_SET] = None
    by: Annotated[str | None, WRITTEN_IF_SET] = None
    level: Annotated[str | None, WRITTEN_IF_SET] = None
    ceiling: Annotated[str | None, WRITTEN_IF_SET] = None
    flops: Annotated[str | int | float | None, WRITTEN_IF_SET] = None
    bytes: Annotated[str | int | float | None, WRITTEN_IF_SET] = None
    figure: Annotated[str | None, WRITTEN_IF_SET] = None
    clock: Annotated[str | None, WRITTEN_IF_SET] = None
    width: Annotated[str | None, WRITTEN_IF_SET] = None
    where: Annotated[str | None, WRITTEN_IF_SET] = None

    @property
    def cases(self) -> dict[str, str]:
        """The condition `where` of a case: values by parameter."""
        return dict(word.split("=", 1) for word in (self.where or "").split())


@dataclass(frozen=True, kw_only=True)
class NodesUsed:
    """Nodes of a described machine that ranks were on, at most `per_node` on each, of its `processors`.

    `crossed`: whether a message crossed the network, as the simulator counted; None where it does not
    count: of a machine without one, and where ranks were placed (`--placement`).
    """

    ranks: int
    nodes: int
    per_node: int
    processors: int
    crossed: bool | None


@dataclass(frozen=True, kw_only=True)
class SectionRemark:
    """What was skipped, for what there was no time, or where ranks were placed: what a program or the report stated."""

    kind: Literal["skip", "cut", "placed"]
    text: str

    def __str__(self) -> str:
        """As a person reads it."""
        return shown(self.kind, self.text)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A benchmark's record, and its results: figures, main figures, fits, states, warnings.

    `state` is that which at least half the cases reach; `states` counts them. `part`: its part of the machine.
    """

    benchmark: str
    title: str
    part: str | None
    summary: str = ""
    source: str = ""
    cost: str = ""
    check: str = ""
    historical: bool = False
    published: list[str] = field(default_factory=list)
    matrix: list[str] | None = None
    shares: SharesDrawn | None = None
    roof: RoofPart | None = None
    accuracy: Annotated[AccuracyDrawn | None, WRITTEN_IF_SET] = None
    convergence: Annotated[ConvergenceStated | None, WRITTEN_IF_SET] = None
    choice: Annotated[ChoiceWanted | None, WRITTEN_IF_SET] = None
    choices: Annotated[list[Choice] | None, WRITTEN_IF_SET] = None
    guidelines: Annotated[list[GuidelineTest] | None, WRITTEN_IF_SET] = None
    tournament: Annotated[TournamentFound | None, WRITTEN_IF_SET] = None
    tournaments: Annotated[list[TournamentFound] | None, WRITTEN_IF_SET] = None  # instead, where there are several
    state: str = "invalid"
    states: dict[str, int] = field(default_factory=dict)
    failed_checks: int = 0
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    remarks: Annotated[list[SectionRemark] | None, WRITTEN_IF_SET] = None  # those of its notes that decide something
    noise: Annotated[list[NodeNoise] | None, WRITTEN_IF_SET] = None
    over_time: Annotated[list[TimeSeries] | None, WRITTEN_IF_SET] = None
    accounts: Annotated[list[TimeAccount] | None, WRITTEN_IF_SET] = None
    predicted: Annotated[list[PredictedTime] | None, WRITTEN_IF_SET] = None
    transport: list[str] = field(default_factory=list)
    mpi: Annotated[list[str] | None, WRITTEN_IF_SET] = None  # which started its ranks: version, and what started them
    binding: list[str] = field(default_factory=list)
    nodes: Annotated[list[NodesUsed] | None, WRITTEN_IF_SET] = None
    launches: int = 0
    guest: Annotated[bool | None, WRITTEN_IF_SET] = None  # where ranks lie is by a virtual machine's host
    ppn: Annotated[int | None, WRITTEN_IF_SET] = None  # ranks per node, where one number was requested
    figures: list[ReportedFigure] = field(default_factory=list)
    processor_time: Annotated[ProcessorTime | None, WRITTEN_IF_SET] = None
    energy: Annotated[list[SpentEnergy] | None, WRITTEN_IF_SET] = None
    peak_shares: Annotated[list[PeakShare] | None, WRITTEN_IF_SET] = None
    headlines: list[Headline] = field(default_factory=list)
    fits: list[Fit] = field(default_factory=list)
    variance: list[VarianceByLevel] = field(default_factory=list)
    odd_nodes: list[DifferingNode] = field(default_factory=list)
    fleet: Annotated[FleetFound | None, WRITTEN_IF_SET] = None  # of a benchmark on three nodes or more
    derived: Annotated[Derived | None, WRITTEN_IF_SET] = None  # by sections of the report that have no field here
