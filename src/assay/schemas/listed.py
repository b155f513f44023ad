"""Documents of lists, plans and files under `--json`, as types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue
from typing_extensions import TypedDict

from assay.document.comparison import RunComparison, SideBySide
from assay.document.fitted_run import FittedUncertainty
from assay.document.known_run import KnownRun
from assay.document.model_prediction import ModelPrediction
from assay.document.node_noise import NodeNoise
from assay.document.quoted import QuotedBenchmark, QuotedFigure
from assay.document.run_document import Document
from assay.execute.budget import Cut
from assay.execute.duration import Duration
from assay.execute.plan import Plan
from assay.laboratory.shown import LaboratoryShown
from assay.machine.abilities import Ability, HostWarning, Missing
from assay.machine.activity import Activity
from assay.machine.discovery import Host
from assay.network.documents import AnyFigure
from assay.throughput.command_alone import CommandLaunch

ANY = ConfigDict(extra="allow")


@dataclass(frozen=True)
class Version:
    """`assay version`; `commit`: of a checkout, or of what a wheel was built from, where that is known."""

    assay: str
    commit: str | None


@dataclass(frozen=True)
class PartOfCache:
    """One kind of things in the cache; `kept`: why `--remove` leaves them."""

    name: str
    folder: str
    files: int
    bytes: int
    kept: str | None


@dataclass(frozen=True)
class CacheListed:
    """`assay cache`: what is there, and what was removed."""

    cache: str
    parts: list[PartOfCache]
    removed: list[PartOfCache]


@dataclass(frozen=True)
class LaboratoriesListed:
    """`assay lab`: what was done (up, down or list), and the laboratories that it was done with."""

    action: str
    laboratories: list[LaboratoryShown]


@dataclass(frozen=True)
class ContractText:
    """`assay accept --template`, `--from`, `--learn`: the contract, and the file that it was written into."""

    contract: str
    file: str | None = None


@dataclass(frozen=True)
class PlannedOfContract:
    """One benchmark of `assay accept --plan`; `looks`: after how many launches it is judged."""

    benchmark: str
    settings: dict[str, str]
    looks: list[int]


@dataclass(frozen=True)
class ContractPlan:
    """`assay accept --plan`."""

    planned: list[PlannedOfContract]


@dataclass(frozen=True)
class KnownRuns:
    """`assay runs`, the newest last."""

    runs: list[KnownRun]


@dataclass(frozen=True)
class WrittenExamples:
    """`assay examples`."""

    folder: str
    files: list[str]


@dataclass(frozen=True)
class QueryAnswer:
    """`assay query`: rows of as many values as there are columns."""

    columns: list[str]
    rows: list[list[JsonValue]]


@dataclass(frozen=True)
class ExportedFile:
    """`assay export --out FILE`: `rows` counts them."""

    table: str
    rows: int
    file: str


@dataclass(frozen=True)
class ExportedRows:
    """`assay export`: the rows themselves, by column."""

    table: str
    rows: list[dict[str, JsonValue]]


@dataclass(frozen=True)
class ComparisonAnswer:
    """`assay compare`: `figures` are ratios, `comparisons` an entry for each run or machine beside the first run.

    `only_worse`: a figure that differs for the better misses no margin.
    """

    run: str
    state: str
    warnings: list[str]
    judged: bool
    passed: bool
    margin: float
    only_worse: bool
    figures: list[AnyFigure]
    comparisons: list[RunComparison]


@dataclass(frozen=True)
class LiveVariant:
    """A variant of `assay compare --live`: the words of `assay run`, and the run that has its launches."""

    words: str
    run: str


@dataclass(frozen=True)
class LiveComparison:
    """`assay compare --live`: `figures` are ratios B / A with their verdicts; `level`: error rate of each answer.

    `pilot`: pairs before the judged `pairs`. `only_worse`: a figure that differs for the better misses no margin.
    """

    variants: list[LiveVariant]
    margin: float
    only_worse: bool
    level: float
    pilot: int
    pairs: int
    seconds: float
    ended: str
    judged: bool
    passed: bool
    figures: list[AnyFigure]


@dataclass(frozen=True)
class CommandOfTable:
    """`assay run --command`: each launch, and medians of those that completed as `figures`."""

    name: str
    table: str
    processors: int
    folder: str
    unit: str
    launches: list[CommandLaunch]
    valid: bool
    figures: list[AnyFigure]


@dataclass(frozen=True)
class _RunOfSection:
    """A run's document with the keys of its only section."""

    __pydantic_config__ = ANY

    run: str
    folder: str
    machine: str | None
    state: str
    valid: bool
    warnings: list[str]
    benchmark: str
    figures: list[AnyFigure]
    headlines: list[AnyFigure]


@dataclass(frozen=True)
class RunOfOne(_RunOfSection):
    """`assay run`: the run's document, with the keys of the one benchmark's section beside its own."""

    quoted: list[QuotedFigure] | None = None


@dataclass(frozen=True, kw_only=True)
class QuotedOfOne(QuotedBenchmark):
    """`assay run` on a machine of which published figures are quoted: `quoted` has the same ones as `figures`."""

    quoted: list[QuotedFigure]


@dataclass(frozen=True)
class RunOfProgram(_RunOfSection):
    """`assay mpirun`: the run's document, with the keys of the program's section beside its own.

    `exits`: exit statuses by rank, below 0 a signal's number, null where the program was ended from outside; `reason`:
    why it did not end well. `collectives`: the MPI library whose algorithms collective calls use.
    """

    program: list[str]
    library: str
    collectives: str
    compute: str
    exits: list[int | None]
    reason: str | None


@dataclass(frozen=True)
class FunctionsNeeded:
    """`assay mpirun --check`: the MPI functions that a program needs, and those that the library lacks.

    `other`: another MPI library that the program is linked to. `clocks`: functions that tell this computer's time;
    `shared_memory`: those that share memory between ranks beside MPI.
    """

    program: str
    there: list[str]
    missing: list[str]
    other: str | None
    clocks: list[str]
    shared_memory: list[str]
    valid: bool


@dataclass(frozen=True)
class SeveralReports:
    """`assay report` of several runs: each run's document, and how they compare."""

    figures: list[AnyFigure]
    reports: list[Document]
    beside: SideBySide | None


@dataclass(frozen=True)
class ProgramBuilt:
    """A program that was compiled, or was there already (`cached`)."""

    benchmark: str
    path: str
    compiler: str
    flags: str
    key: str
    cached: bool
    seconds: float


@dataclass(frozen=True)
class ProgramsBuilt:
    """`assay build`."""

    programs: list[ProgramBuilt]
    left_out: list[str]
    mpi: JsonValue
    cache: str


@dataclass(frozen=True)
class OwnProgramListed:
    """A program of a person's own: its file, and why it cannot be used."""

    name: str
    path: str
    problem: str | None


@dataclass(frozen=True)
class OwnPrograms:
    """`assay build --list`, `--remove`."""

    programs: list[OwnProgramListed]
    removed: list[str]


@dataclass(frozen=True)
class PlannedRun(Plan):
    """`assay plan`: the launches of a run; `expected`: how long they take, `cut`: what a budget leaves out [s]."""

    expected: Duration | None = None
    cut: Cut | None = None


@dataclass(frozen=True)
class QuotedPlan:
    """`assay plan` of a machine of which published figures are quoted: nothing would be run."""

    tasks: list[JsonValue]
    quoted: bool


class AbilityFound(Ability):
    """Whether a part of the evaluation can be done here, and the benchmarks of it."""

    programs: list[str]


@dataclass(frozen=True)
class HostFound:
    """`assay doctor`: what this host is, what can be measured on it and what is missing for the rest."""

    host: Host
    abilities: list[AbilityFound]
    missing: list[Missing]
    warnings: Annotated[list[HostWarning], Field(serialization_alias="doubts")]
    notes: list[str]


class NoiseOfThread(TypedDict):
    """Fixed work on a hardware thread: the share of time lost, detours per second and their lengths [s]."""

    cpu: int
    lost: float
    detours: float
    median_detour: float | None
    largest_detour: float | None


@dataclass(frozen=True, kw_only=True)
class NoiseOfHost(NodeNoise):
    """The noise of a host, and of each of its hardware threads."""

    processors: list[NoiseOfThread]


@dataclass(frozen=True)
class NoiseWatched:
    """`assay doctor --watch`."""

    seconds: float
    looks: int
    noise: NoiseOfHost | None
    activity: Activity
    history: list[dict[str, float | None]]
    notes: list[str]


@dataclass(frozen=True, kw_only=True)
class PredictionAnswer(ModelPrediction):
    """`assay predict MODEL RUN`: `file` is the model's, with its [validation], where one was written."""

    figures: list[AnyFigure]
    file: str | None


@dataclass(frozen=True)
class CellsFittedOn:
    """Published cells that a fit took: of which benchmark and key, with which values of it."""

    machine: str
    benchmark: str
    key: str | None
    values: list[JsonValue]
    filters: dict[str, list[JsonValue]]


@dataclass(frozen=True)
class NumberRefitted:
    """A number of a description (SI `unit`): as the file has it, as the fit finds it, and how it would be written."""

    key: str
    shared: list[str]
    unit: str
    filed: float
    found: float
    written: str


@dataclass(frozen=True)
class GroupRefitted:
    """Numbers fitted together on the same cells, with the relative errors that are left."""

    cells: list[CellsFittedOn]
    count: int
    median_error: float
    worst_error: float
    numbers: list[NumberRefitted]


@dataclass(frozen=True)
class Refitted:
    """`assay fit --on NAME`."""

    machine: str
    figures: list[AnyFigure]
    fits: list[GroupRefitted]


@dataclass(frozen=True)
class FittedToRun:
    """`assay fit RUN…`: `description` is the text of a machine's file; `run` names all that were fitted."""

    __pydantic_config__ = ANY

    figures: list[AnyFigure]
    description: str
    file: str | None
    uncertainty: FittedUncertainty | None = None
