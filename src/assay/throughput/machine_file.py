"""The machine of a simulated batch system: how many nodes, and how many processors each.

    [machine]
    nodes = 10000
    cpus_per_node = 1

    [batch]
    decision_cost = "40 ms"     # how long the scheduler takes for each decision
    allocation = "contiguous"   # how jobs get nodes; anywhere: as many processors as are free, no matter where
    unit = "node"               # they get whole nodes; "cpu": they may share one

    [network]                   # allocation by subcube or submesh, unless [batch] has another
    topology = "mesh"
    extents = [100, 100]

    [[reservation]]             # of the last nodes
    start = "120 min"
    length = "30 min"
    nodes = 16

    [[queue]]                   # job_queues.py
    name = "short"
    max_time = "60 min"

    [[shared]]                  # by which jobs slow one another down: interference.py
    name = "network"
    capacity = 40

`[failures]` and `[estimates]` are those of `faults`. `[batch]` is set for any machine by `--set batch.KEY=VALUE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator

from assay import versions
from assay.errors import InputError
from assay.machine.units import quantity
from assay.throughput.faults import BatchEstimates, BatchFailures
from assay.throughput.interference import SharedResource
from assay.throughput.job_queues import JobQueue, QueueRules
from assay.throughput.node_layout import (
    ALLOCATIONS,
    BY_TOPOLOGY,
    MOST_EXTENTS,
    Allocation,
    BatchNetwork,
    NodeClosure,
    NodeLayout,
    NodeReservation,
)
from assay.toml.checking import Table, validate_tables
from assay.toml.overriding import Override, apply_overrides, override
from assay.toml.source import Source, read, tables

if TYPE_CHECKING:
    from assay.described.machine_file import DescribedMachine


class BatchNodes(Table):
    """[machine]."""

    nodes: int = Field(ge=1, le=10_000_000, description="number of nodes")
    cpus_per_node: int = Field(1, ge=1, le=4096, description="processors of each")
    name: str = Field("", description="what it is called")

    @property
    def processors(self) -> int:
        """All processors of the machine."""
        return self.nodes * self.cpus_per_node


class BatchRules(Table):
    """[batch]: how the scheduler works."""

    decision_cost: str | float = Field(default=0.0, description='time that each decision takes: "40 ms", or seconds')

    allocation: Allocation | None = Field(default=None, description="how jobs get nodes")
    unit: Literal["cpu", "node"] = Field(default="cpu", description="the least that jobs get of a node")

    programs: Literal["run", "time"] = Field(
        default="run", description="message-passing programs on a described machine: run, or taken to last their time"
    )

    max_user_jobs: int | None = Field(
        default=None, ge=1, le=2**31 - 2, description="of one user at once, in all queues"
    )
    max_user_processors: int | None = Field(
        default=None, ge=1, le=2**31 - 2, description="of one user at once, in all queues"
    )

    @field_validator("decision_cost")
    @classmethod
    def _is_a_time(cls, value: str | float) -> str | float:
        if not 0 <= _seconds(value) <= LONGEST:
            raise ValueError(f"{value!r} is not between 0 s and {LONGEST} s")
        return value

    @property
    def seconds_of_a_decision(self) -> float:
        """How long each decision takes."""
        return _seconds(self.decision_cost)


class BatchMachine(Table):
    """The whole file."""

    machine: BatchNodes
    batch: BatchRules = BatchRules()
    network: BatchNetwork | None = None
    queue: list[JobQueue] = Field(default_factory=list)
    reservation: list[NodeReservation] = Field(default_factory=list)
    failures: BatchFailures | None = None
    estimates: BatchEstimates | None = None
    shared: list[SharedResource] = Field(default_factory=list)


@dataclass(frozen=True)
class JobMachine:
    """What a batch system has to give."""

    name: str
    processors: int
    rules: BatchRules = field(default_factory=BatchRules)
    nodes: int = 0
    cpus: int = 1
    extents: tuple[int, ...] = ()
    allocation: Allocation = "anywhere"
    closures: tuple[NodeClosure, ...] = ()
    failures: BatchFailures | None = None
    estimates: BatchEstimates | None = None
    queues: tuple[JobQueue, ...] = ()
    shared: tuple[SharedResource, ...] = ()
    described: DescribedMachine | None = None
    source: Source | None = field(default=None, compare=False)  # the file, for errors

    @property
    def queue_rules(self) -> QueueRules:
        """Its queues, and what a user may run at once."""
        return QueueRules(self.queues, self.rules.max_user_jobs, self.rules.max_user_processors)

    @property
    def layout(self) -> NodeLayout:
        """Its nodes as jobs are placed on them."""
        whole = self.rules.unit == "node"
        return NodeLayout(self.nodes or self.processors, self.cpus, self.allocation, whole, self.extents)


LONGEST = 86_400  # seconds of a decision
ACCEPTED = "a TOML file with [machine]: nodes, cpus_per_node; or a described machine"


def open_machine(name: str, settings: Sequence[str] = ()) -> JobMachine:
    """The machine that `--on NAME` means: a file with a table [machine], or a described machine."""
    path = Path(name)
    if path.suffix == ".toml" and path.is_file() and "machine" in tables(path)[0]:
        return _of_file(path, settings)
    from assay.described.shipped import open_described, room

    ours = [words for words in settings if words.strip().startswith("batch.")]
    keys = [words.strip().removeprefix("machine.") for words in settings if words not in ours]  # with it as elsewhere
    network = open_described(name, dict(map(_setting, keys)))
    nodes = room(network)
    if nodes is None:
        raise InputError("has no number of nodes", key="--on", value=name, accepted=ACCEPTED)
    rules, source = _rules(name, ours)
    shape = (network.network or {}).get("extents")
    extents = tuple(int(each) for each in shape) if isinstance(shape, list) and len(shape) <= MOST_EXTENTS else ()
    cpus = 1
    if network.network is not None and network.node is not None:
        nodes, cpus = room(network, 1) or nodes, network.node.processors
    allocation = rules.allocation or "anywhere"
    made = JobMachine(name, nodes * cpus, rules, nodes, cpus, extents, allocation, described=network)
    return _placeable(made, source)


def _of_file(path: Path, settings: Sequence[str]) -> JobMachine:
    described, source = load(path, settings)
    about, network, rules = described.machine, described.network, described.batch
    if network is not None and network.nodes != about.nodes:
        problem = f"are not those of [network], which connects {network.nodes}"
        raise source.error(("machine", "nodes"), problem, value=about.nodes)
    usual = BY_TOPOLOGY[network.topology] if network is not None else "anywhere"
    closures = [_closed(each, at, about.nodes, source) for at, each in enumerate(described.reservation)]
    made = JobMachine(
        about.name or path.stem,
        about.processors,
        rules,
        about.nodes,
        about.cpus_per_node,
        tuple(network.extents or ()) if network is not None else (),
        rules.allocation or usual,
        tuple(closures),
        described.failures,
        described.estimates,
        _distinct(described.queue, source),
        _own_names(described.shared, source),
        source=source,
    )
    return _placeable(made, source)


def _placeable(machine: JobMachine, source: Source) -> JobMachine:
    if problem := machine.layout.problem():
        accepted = ", ".join(ALLOCATIONS)
        raise source.error(("batch", "allocation"), problem, value=machine.allocation, accepted=accepted)
    if machine.rules.unit == "node" and machine.allocation == "anywhere":
        raise source.error(("batch", "unit"), "needs an allocation of nodes", value="node", accepted="cpu")
    return machine


def _own_names(shared: Sequence[SharedResource], source: Source) -> tuple[SharedResource, ...]:
    """Shared resources; names are unique."""
    names = [each.name for each in shared]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise source.error(("shared", at, "name"), "is of another resource, too", value=name)
    return tuple(shared)


def _distinct(queues: Sequence[JobQueue], source: Source) -> tuple[JobQueue, ...]:
    """Queues; names and numbers are unique."""
    seen: set[str] = set()
    for at, queue in enumerate(queues):
        for key, names in (("name", [queue.name]), ("numbers", [str(number) for number in queue.numbers])):
            for name in names:
                if name in seen:
                    raise source.error(("queue", at, key), "is of another queue, too", value=name)
                seen.add(name)
    return tuple(queues)


def _closed(each: NodeReservation, at: int, nodes: int, source: Source) -> NodeClosure:
    times = []
    for key in ("start", "length"):
        text = getattr(each, key)
        try:
            seconds = round(quantity(text, "s"))
        except ValueError as error:
            raise source.error(("reservation", at, key), str(error), value=text, accepted='such as "120 min"') from None
        if not (key == "length") <= seconds < 2**31:
            raise source.error(("reservation", at, key), "is no time of a reservation", value=text)
        times.append(seconds)
    if each.nodes > nodes:
        raise source.error(
            ("reservation", at, "nodes"), "are more than there are", value=each.nodes, accepted=str(nodes)
        )
    return NodeClosure(tuple(range(nodes - each.nodes, nodes)), times[0], times[0] + times[1])


def _rules(name: str, settings: Sequence[str]) -> tuple[BatchRules, Source]:
    """[batch] from settings alone, of a machine whose file is of another kind."""
    made = [_override(words) for words in settings]
    source = Source(Path(name), "", tuple((each.keys, each.words) for each in made))
    values = apply_overrides({}, made).get("batch", {})
    return validate_tables(source, BatchRules, values, ("batch",)), source


def _override(words: str) -> Override:
    return override(*_setting(words), words)


def _seconds(value: str | float) -> float:
    return float(quantity(value, "s")) if isinstance(value, str) else value


def _setting(words: str) -> tuple[str, str]:
    key, equals, text = words.partition("=")
    if not equals:
        raise InputError("is no setting", key="--set", value=words, accepted="KEY=VALUE, such as machine.nodes=64")
    return key.strip(), text.strip()


def load(path: Path, settings: Sequence[str] = ()) -> tuple[BatchMachine, Source]:
    """Read a machine's file with keys set from outside (`machine.nodes=64`); InputError names what is wrong."""
    filed, source = read(path, versions.BATCH)
    made = [_override(words) for words in settings]
    values = apply_overrides(filed, made)
    source = replace(source, overrides=tuple((each.keys, each.words) for each in made))
    return validate_tables(source, BatchMachine, values), source
