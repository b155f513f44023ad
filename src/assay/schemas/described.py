"""Documents of simulated networks under `--json`, as types: what `assay.network` gives as plain data.

Times in seconds but for keys with `cycles` in their names; JSON may have more keys than these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue


@dataclass(frozen=True)
class AnyFigure:
    """One figure, SI units: every verb's `figures` has these keys, and more that say how good it is."""

    __pydantic_config__ = ConfigDict(extra="allow")

    name: str
    value: float | None
    unit: str
    statistic: str
    params: dict[str, JsonValue]


@dataclass(frozen=True)
class WarmupFound:
    """How the cycles before the measured ones were chosen."""

    cycles: int
    how: str
    pilot_cycles: int
    pilot_cpu_seconds: float
    correlation_cycles: float | None


@dataclass(frozen=True)
class WaitingMessage:
    """A message of a deadlock's circle: the channel that it holds, and the one that it waits for."""

    message: int
    source: int
    destination: int
    waits_for: int
    holds: int


@dataclass(frozen=True)
class Deadlock:
    """How many messages are deadlocked, and a circle of them, each waiting for what the next one occupies."""

    messages: int
    cycle: list[WaitingMessage]


@dataclass(frozen=True)
class MeanFound:
    """A mean with its interval of this `confidence`, over so many `parts`; null: none, as `note` says."""

    mean: float | None
    interval: tuple[float, float] | None
    confidence: float
    parts: int
    note: str


@dataclass(frozen=True)
class LatencyFound(MeanFound):
    """A mean latency, with quantiles of the messages by share; null: too few messages."""

    quantiles: dict[str, float | None]


@dataclass(frozen=True)
class LatencyEstimate:
    """One kind of latency, over so many messages."""

    messages: int
    cycles: LatencyFound
    seconds: LatencyFound


@dataclass(frozen=True)
class ThroughputEstimate:
    """Accepted flits of each node, of the worst one, and what was offered [flits per node per cycle]."""

    flits_per_node_per_cycle: MeanFound
    flits_per_node_per_second: MeanFound
    worst_node: float | None
    offered: float | None


@dataclass(frozen=True)
class LinkBusy:
    """A link between two ends, and how busy its channels are: a share of the measured time."""

    link: int
    origin: Annotated[int, Field(serialization_alias="from")]
    to: int
    kind: str
    dimension: int
    direction: int
    channels: int
    name: str
    busy: float


@dataclass(frozen=True)
class Simulation:
    """`assay simulate`: counts are sums over the replications."""

    engine: str
    simulated_cycles: int
    measured_cycles: int
    cpu_seconds: float
    replications: int
    ended: str
    warmup: WarmupFound
    messages: int
    unroutable: int
    generated: int
    head_hops: int
    saturated: bool
    deadlock: Deadlock | None
    deadlocked: int
    last_delivery: int | None
    seed: int
    cycle_seconds: float
    version: int
    definitions: dict[str, str]
    figures: list[AnyFigure]
    estimates: dict[str, LatencyEstimate | ThroughputEstimate | MeanFound]
    utilisation: list[LinkBusy] | None = None
    setting: dict[str, JsonValue] | None = None
    assumptions: list[str] | None = None


@dataclass(frozen=True)
class AcceptedBeyond:
    """What is accepted at a load above the one that saturates [flits per node per cycle]."""

    load: float
    throughput: float | None
    worst_node: float | None
    deadlock: bool


@dataclass(frozen=True)
class LoadWithoutDeadlock:
    """A load at which no run ended in a deadlock, with the cycles of each run."""

    load: float
    cycles: int
    replications: int


@dataclass(frozen=True)
class LoadWithDeadlock(LoadWithoutDeadlock):
    """A load at which `deadlocked` runs ended in a deadlock."""

    deadlocked: int


@dataclass(frozen=True)
class LoadTried(LoadWithDeadlock):
    """A load that was decided, or not (`saturated` is null), by mean backlogs [messages] of the halves of its runs."""

    backlog_first_half: float
    backlog_second_half: float
    saturated: bool | None
    deadlock: bool
    throughput: float | None


@dataclass(frozen=True)
class SaturationFound:
    """What `--saturation` found: loads in flits per node per cycle, with [io] in messages per element per cycle."""

    found: bool
    load: float | None
    estimator: str | None
    interval: tuple[float, float | None] | None
    confidence: float | None
    unit: str
    per_millisecond: float | None
    interval_per_millisecond: tuple[float, float] | None
    accepted_beyond: list[AcceptedBeyond]
    accepted_unit: str
    deadlocks: list[LoadWithDeadlock]
    no_deadlock_at: LoadWithoutDeadlock | None
    tried: list[LoadTried]


@dataclass(frozen=True)
class SaturationSearch:
    """`assay simulate --saturation`."""

    engine: str
    simulated_cycles: int
    cpu_seconds: float
    messages: int
    head_hops: int
    seed: int
    cycle_seconds: float
    deadlock: Deadlock | None
    version: int
    figures: list[AnyFigure]
    saturation: SaturationFound
    setting: dict[str, JsonValue] | None = None
    assumptions: list[str] | None = None


@dataclass(frozen=True)
class Sweep:
    """`assay simulate --sweep`: a document a point."""

    version: int
    figures: list[AnyFigure]
    points: list[Simulation | SaturationSearch]
    assumptions: list[str] | None = None


@dataclass(frozen=True)
class Replay:
    """`assay replay`: what came of the messages of a file; `delivered_file` says when each arrived."""

    engine: str
    simulated_cycles: int
    cpu_seconds: float
    messages: int
    delivered: int
    unroutable: int
    head_hops: int
    deadlock: Deadlock | None
    delivered_file: str
    definitions: dict[str, str]
    figures: list[AnyFigure]
    assumptions: list[str] | None = None


@dataclass(frozen=True)
class KeyOfTable:
    """A key of a file that people write; `unit` of described machines' keys."""

    key: str
    default: str
    meaning: str
    unit: str | None = None


@dataclass(frozen=True)
class KeysOfTable:
    """One table of a file that people write."""

    table: str
    text: str
    keys: list[KeyOfTable]


@dataclass(frozen=True)
class NetworkKeys:
    """`assay simulate --keys`."""

    figures: list[AnyFigure]
    tables: list[KeysOfTable]


@dataclass(frozen=True)
class MeanOfPoint(MeanFound):
    """A mean with the replications' means behind it."""

    samples: list[float]


@dataclass(frozen=True)
class BacklogOfPoint:
    """Messages that wait after a quarter of a run, and at its end."""

    quarter: float
    whole: float


@dataclass(frozen=True)
class StudyPoint:
    """One point of a study: latencies by kind; `shares`: rates of hits, where there are caches."""

    setting: dict[str, JsonValue]
    rate: float
    saturated: bool
    deadlocked: int
    backlog: BacklogOfPoint
    latencies_us: dict[str, MeanOfPoint]
    total_us: dict[str, float]
    predicted_us: dict[str, float]
    shares: dict[str, MeanOfPoint] | None = None


@dataclass(frozen=True)
class StudyBracket:
    """The saturation load of a configuration: an interval a seed; none where `deadlocked` runs ended in a deadlock."""

    setting: dict[str, JsonValue]
    brackets: list[tuple[float, float]]
    middle: float
    predicted: float | None
    busiest: float | None
    deadlocked: int


@dataclass(frozen=True)
class StudyTableShown:
    """A table that needs no simulation."""

    caption: str
    columns: list[str]
    rows: list[list[JsonValue]]


@dataclass(frozen=True)
class PartOfClaim:
    """One comparison of a claim, with its numbers in words."""

    outcome: str
    numbers: str


@dataclass(frozen=True)
class StudyClaim:
    """A claim of a paper, judged: holds, differs, or inconclusive; `mark`: of one that is no evidence, why."""

    claim: str
    outcome: str
    parts: list[PartOfClaim]
    note: str
    text: str
    mark: str | None = None


@dataclass(frozen=True)
class StudyAnswer:
    """`assay study NAME`: latencies in us, rates in messages per element per ms (without I/O flits/node/cycle)."""

    version: int
    study: str
    title: str
    figure: str | None
    source: str | None
    figures: list[AnyFigure]
    cpu_seconds: float
    messages: int
    points: list[StudyPoint]
    saturation: list[StudyBracket]
    tables: list[StudyTableShown]
    claims: list[StudyClaim]


@dataclass(frozen=True)
class AllStudies:
    """`assay study all`."""

    version: int
    figures: list[AnyFigure]
    studies: list[StudyAnswer]


@dataclass(frozen=True)
class ShippedStudy:
    """A study that ships."""

    name: str
    title: str
    source: str | None


@dataclass(frozen=True)
class ShippedStudies:
    """`assay study`."""

    figures: list[AnyFigure]
    studies: list[ShippedStudy]
