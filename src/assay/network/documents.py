"""Documents of simulated networks under `--json`: simulations, searches for the saturation load, replays, studies.

Times in seconds but for keys with `cycles` in their names; JSON may have more keys than these. They are dicts: a
sweep's file has them, from which an interrupted one resumes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, NotRequired, cast, final

from pydantic import ConfigDict, Field, JsonValue, with_config
from typing_extensions import TypedDict

Ends = Annotated[list[float], Field(min_length=2, max_length=2)]
OpenEnds = Annotated[list[float | None], Field(min_length=2, max_length=2)]  # None: no upper end is known


@with_config(ConfigDict(extra="allow"))
class AnyFigure(TypedDict):
    """One figure, SI units: every verb's `figures` has these keys, and more that state how good it is."""

    name: str
    value: float | None
    unit: str
    statistic: str
    params: dict[str, JsonValue]


class WarmupFound(TypedDict):
    """How the cycles before the measured ones were chosen."""

    cycles: int
    how: str
    pilot_cycles: int
    pilot_cpu_seconds: float
    correlation_cycles: float | None


class WaitingMessage(TypedDict):
    """A message of a deadlock's circle: the channel that it occupies, and the one that it waits for."""

    message: int
    source: int
    destination: int
    waits_for: int
    holds: int


class Deadlock(TypedDict):
    """How many messages are deadlocked, and a circle of them, each waiting for what the next one occupies."""

    messages: int
    cycle: list[WaitingMessage]


class FigureInterval(TypedDict):
    """An interval, and its confidence."""

    low: float
    high: float
    confidence: float


class SimulatedFigure(AnyFigure):
    """A figure of a simulation, with its interval, `range` and state."""

    ci95: list[float] | None
    interval: FigureInterval | None
    range: list[float] | None
    state: str
    estimator: str
    disturbance: float | None
    kind: str


class MeanFound(TypedDict):
    """A mean with its interval of this `confidence`, over so many `parts`; null: none, as `note` states."""

    mean: float | None
    interval: Ends | None
    confidence: float
    parts: int
    note: str


class LatencyFound(MeanFound):
    """A mean latency, with quantiles of the messages by share; null: too few messages."""

    quantiles: dict[str, float | None]


class LatencyEstimate(TypedDict):
    """One kind of latency, over so many messages."""

    messages: int
    cycles: LatencyFound
    seconds: LatencyFound


class ThroughputEstimate(TypedDict):
    """Accepted flits of each node, of the worst one, and what was offered [flits per node per cycle]."""

    flits_per_node_per_cycle: MeanFound
    flits_per_node_per_second: MeanFound
    worst_node: float | None
    offered: float | None


# "from" is a keyword of Python.
NetworkLink = TypedDict(
    "NetworkLink", {"from": int, "to": int, "kind": str, "dimension": int, "direction": int, "channels": int}
)


class CoreLink(NetworkLink):
    """A link as the core has it: times in cycles."""

    lanes: int
    buffer_flits: int
    flit_ticks: int
    body_ticks: int
    head_ticks: int
    credit_ticks: int
    failed: bool


class LinkBusy(NetworkLink):
    """A link between two ends, and how busy its channels are: a share of the measured time."""

    link: int
    name: str
    busy: float


@final
class Simulation(TypedDict):
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
    figures: Sequence[AnyFigure]
    estimates: dict[str, LatencyEstimate | ThroughputEstimate | MeanFound]
    utilisation: NotRequired[list[LinkBusy]]
    setting: NotRequired[dict[str, JsonValue]]
    assumptions: NotRequired[list[str]]


class AcceptedBeyond(TypedDict):
    """What is accepted at a load above the one that saturates [flits per node per cycle]."""

    load: float
    throughput: float | None
    worst_node: float | None
    deadlock: bool


class LoadWithoutDeadlock(TypedDict):
    """A load at which no run ended in a deadlock, with the cycles of each run."""

    load: float
    cycles: int
    replications: int


class LoadWithDeadlock(LoadWithoutDeadlock):
    """A load at which `deadlocked` runs ended in a deadlock."""

    deadlocked: int


class LoadTried(LoadWithDeadlock):
    """A load that was decided, or not (`saturated` is null), by mean backlogs [messages] of the halves of its runs."""

    backlog_first_half: float
    backlog_second_half: float
    saturated: bool | None
    deadlock: bool
    throughput: float | None


class SaturationFound(TypedDict):
    """What `--saturation` found: loads in flits per node per cycle, with [io] in messages per element per cycle."""

    found: bool
    load: float | None
    estimator: str | None
    interval: OpenEnds | None
    confidence: float | None
    unit: str
    per_millisecond: float | None
    interval_per_millisecond: Ends | None
    accepted_beyond: list[AcceptedBeyond]
    accepted_unit: str
    deadlocks: list[LoadWithDeadlock]
    no_deadlock_at: LoadWithoutDeadlock | None
    tried: list[LoadTried]


@final
class SaturationSearch(TypedDict):
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
    figures: Sequence[AnyFigure]
    saturation: SaturationFound
    setting: NotRequired[dict[str, JsonValue]]
    assumptions: NotRequired[list[str]]


Simulated = Simulation | SaturationSearch


def at_point(found: Simulated, setting: Mapping[str, JsonValue]) -> Simulated:
    """The document of a sweep's point: what was set there first, as readers of the text want it."""
    # A union of dicts cannot be unpacked by type; the keys are those of `found`.
    return cast(Simulated, {"setting": dict(setting), **found})


def mean_latency(found: Simulation, name: str = "header_latency") -> LatencyEstimate | None:
    """A latency of a simulation's estimates; None where nothing of the kind was delivered."""
    return cast("LatencyEstimate | None", found["estimates"].get(name))


def accepted(found: Simulation) -> MeanFound:
    """The accepted load of a simulation's estimates, flits per node per cycle."""
    return cast(ThroughputEstimate, found["estimates"]["throughput"])["flits_per_node_per_cycle"]


def hit_rate(found: Simulation) -> MeanFound | None:
    """The share of requested blocks that were in a cache; None without caches."""
    return cast("MeanFound | None", found["estimates"].get("hit_rate"))


class Sweep(TypedDict):
    """`assay simulate --sweep`: a document a point."""

    version: int
    figures: Sequence[AnyFigure]
    points: list[Simulated]
    assumptions: NotRequired[list[str]]


@final
class Replay(TypedDict):
    """`assay replay`: what came of the messages of a file; `delivered_file` has when each arrived."""

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
    figures: Sequence[AnyFigure]
    assumptions: NotRequired[list[str]]


class MeanOfPoint(MeanFound):
    """A mean with the replications' means behind it."""

    samples: list[float]


class BacklogOfPoint(TypedDict):
    """Messages that wait after a quarter of a run, and at its end."""

    quarter: float
    whole: float


class StudyPoint(TypedDict):
    """One point of a study: latencies by kind; `shares`: rates of hits, where there are caches."""

    setting: dict[str, JsonValue]
    rate: float
    saturated: bool
    deadlocked: int
    backlog: BacklogOfPoint
    latencies_us: dict[str, MeanOfPoint]
    total_us: dict[str, float]
    predicted_us: dict[str, float]
    shares: NotRequired[dict[str, MeanOfPoint]]


class StudyBracket(TypedDict):
    """The saturation load of a configuration: an interval a seed; none where `deadlocked` runs ended in a deadlock."""

    setting: dict[str, JsonValue]
    brackets: list[tuple[float, float]]
    middle: float
    predicted: float | None
    busiest: float | None
    deadlocked: int


class StudyTableShown(TypedDict):
    """A table that needs no simulation."""

    caption: str
    columns: list[str]
    rows: list[list[JsonValue]]


class PartOfClaim(TypedDict):
    """One comparison of a claim, with its numbers in words."""

    outcome: str
    numbers: str


class StudyClaim(TypedDict):
    """A claim of a paper, judged: holds, differs, or inconclusive; `mark`: of one that is no evidence, why."""

    claim: str
    outcome: str
    parts: list[PartOfClaim]
    note: str
    text: str
    mark: NotRequired[str]


class StudyAnswer(TypedDict):
    """`assay study NAME`: latencies in us, rates in messages per element per ms (without I/O flits/node/cycle)."""

    version: int
    study: str
    title: str
    figure: str | None
    source: str | None
    figures: Sequence[AnyFigure]
    cpu_seconds: float
    messages: int
    points: list[StudyPoint]
    saturation: list[StudyBracket]
    tables: list[StudyTableShown]
    claims: list[StudyClaim]


class AllStudies(TypedDict):
    """`assay study all`."""

    version: int
    figures: Sequence[AnyFigure]
    studies: list[StudyAnswer]
