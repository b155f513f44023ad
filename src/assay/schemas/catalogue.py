"""Documents of `assay catalogue` under `--json`, as types: published and described machines, own benchmarks."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ConfigDict, JsonValue

from assay.schemas.described import KeysOfTable

ANY = ConfigDict(extra="allow")


@dataclass(frozen=True)
class ListOfTables:
    """`assay catalogue --machine-keys`."""

    tables: list[KeysOfTable]


@dataclass(frozen=True)
class MetricOfBenchmark:
    """What a benchmark samples."""

    unit: str
    help: str


@dataclass(frozen=True)
class FigureOfBenchmark(MetricOfBenchmark):
    """What is reported of a metric: the formula, and which values are better."""

    metric: str
    formula: str
    better: str


@dataclass(frozen=True)
class OwnBenchmark:
    """A benchmark of Assay, as its record says it."""

    __pydantic_config__ = ANY

    name: str
    title: str
    part: str
    kind: str
    summary: str
    parameters: dict[str, dict[str, JsonValue]]
    metrics: dict[str, MetricOfBenchmark]
    figures: dict[str, FigureOfBenchmark]


@dataclass(frozen=True)
class OwnBenchmarks:
    """`assay catalogue --benchmarks`."""

    benchmarks: list[OwnBenchmark]


@dataclass(frozen=True)
class PublishedMachineFound:
    """A published machine: its names, each fact by paper, and what each paper states of it."""

    id: str
    name: str
    names: list[str]
    papers: list[str]
    facts: dict[str, dict[str, JsonValue]]
    statements: list[dict[str, JsonValue]]
    cells: int | None = None


@dataclass(frozen=True)
class PublishedBenchmarkFound:
    """A benchmark of the papers, and how many of their numbers are its own."""

    id: str
    title: str
    family: str | None
    papers: list[str]
    cells: int


@dataclass(frozen=True)
class DescribedListed:
    """A machine that is described."""

    name: str
    title: str
    topology: str


@dataclass(frozen=True)
class WholeCatalogue:
    """`assay catalogue`: `claims` counts them; papers as their files have them."""

    papers: list[dict[str, JsonValue]]
    machines: list[PublishedMachineFound]
    benchmarks: list[PublishedBenchmarkFound]
    claims: int
    described: list[DescribedListed]


@dataclass(frozen=True)
class DescribedKey:
    """A key of a description, in its own unit, and what the value rests on."""

    key: str
    value: JsonValue
    origin: str | None


@dataclass(frozen=True)
class DescriptionShown:
    """A described machine's file."""

    name: str
    title: str
    about: str
    file: str
    keys: list[DescribedKey]


@dataclass(frozen=True)
class PublishedCellFound:
    """A published number: `value` in SI `unit`, and as it was printed."""

    paper: str
    machine: str | None
    benchmark: str
    metric: str
    params: dict[str, JsonValue]
    value: float
    unit: str
    printed: float
    printed_unit: str
    source: str
    table: str | None
    label: str | None
    notes: list[str]
    doubtful: bool
    ocr: str | None
    probable_unit: str | None
    basis: str
    restates: list[str]
    note: str | None


@dataclass(frozen=True)
class PublishedBenchmarkStated:
    """A benchmark of the papers, as each of them states it."""

    id: str
    title: str
    statements: list[dict[str, JsonValue]]


@dataclass(frozen=True)
class ChosenOfCatalogue:
    """`assay catalogue NAME`: of a machine, a paper or a benchmark; claims and blocks as in the papers' files."""

    claims: list[dict[str, JsonValue]]
    cells: list[PublishedCellFound] | None = None
    machine: PublishedMachineFound | None = None
    described: DescriptionShown | None = None
    paper: dict[str, JsonValue] | None = None
    blocks: dict[str, list[dict[str, JsonValue]]] | None = None
    benchmark: PublishedBenchmarkStated | None = None


@dataclass(frozen=True)
class MachineDescribed:
    """`assay catalogue NAME` of a machine that is described, and of which nothing was published."""

    described: DescriptionShown
