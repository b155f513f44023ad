"""The machine of a simulated batch system: how many nodes, and how many processors each.

    [machine]
    nodes = 10000
    cpus_per_node = 1

    [batch]
    decision_cost = "40 ms"     # how long the scheduler takes for each decision

Jobs are given processors, wherever they are free. `[batch]` is set for any machine by `--set batch.KEY=VALUE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import Field, field_validator

from assay import versions
from assay.errors import InputError
from assay.machine.units import quantity
from assay.toml.checking import Table, validated
from assay.toml.overriding import Override, overridden, override
from assay.toml.source import Source, read, tables


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


@dataclass(frozen=True)
class JobMachine:
    """What a batch system has to give."""

    name: str
    processors: int
    rules: BatchRules = field(default_factory=BatchRules)


LONGEST = 86_400  # seconds of a decision
ACCEPTED = "a TOML file with [machine]: nodes, cpus_per_node; or a described machine, whose nodes count one each"


def open_machine(name: str, settings: Sequence[str] = ()) -> JobMachine:
    """The machine that `--on NAME` means: a file with a table [machine], or a described machine."""
    path = Path(name)
    if path.suffix == ".toml" and path.is_file() and "machine" in tables(path)[0]:
        described = load(path, settings)
        about = described.machine
        return JobMachine(about.name or path.stem, about.processors, described.batch)
    from assay.described.shipped import open_described, room

    ours = [words for words in settings if words.strip().startswith("batch.")]
    network = open_described(name, dict(_setting(words) for words in settings if words not in ours))
    nodes = room(network)
    if nodes is None:
        raise InputError("does not say how many nodes it has", key="--on", value=name, accepted=ACCEPTED)
    return JobMachine(name, nodes, _rules(name, ours))


def _rules(name: str, settings: Sequence[str]) -> BatchRules:
    """[batch] from settings alone, of a machine whose file is of another kind."""
    made = [_override(words) for words in settings]
    source = Source(Path(name), "", tuple((each.keys, each.words) for each in made))
    values = overridden({}, made).get("batch", {})
    return validated(source, BatchRules, values, ("batch",))


def _override(words: str) -> Override:
    return override(*_setting(words), words)


def _seconds(value: str | float) -> float:
    return float(quantity(value, "s")) if isinstance(value, str) else value


def _setting(words: str) -> tuple[str, str]:
    key, equals, text = words.partition("=")
    if not equals:
        raise InputError("is no setting", key="--set", value=words, accepted="KEY=VALUE, such as machine.nodes=64")
    return key.strip(), text.strip()


def load(path: Path, settings: Sequence[str] = ()) -> BatchMachine:
    """Read a machine's file with keys set from outside (`machine.nodes=64`); InputError names what is wrong."""
    values, source = read(path, versions.BATCH)
    made = [_override(words) for words in settings]
    values = overridden(values, made)
    source = replace(source, overrides=tuple((each.keys, each.words) for each in made))
    return validated(source, BatchMachine, values)
