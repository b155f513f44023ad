"""The machine of a simulated batch system: how many nodes, and how many processors each.

    [machine]
    nodes = 10000
    cpus_per_node = 1

Jobs are given processors, wherever they are free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from assay import versions
from assay.errors import InputError
from assay.toml.checking import Table, validated
from assay.toml.overriding import overridden, override
from assay.toml.source import read, tables


class BatchNodes(Table):
    """[machine]."""

    nodes: int = Field(ge=1, le=10_000_000, description="number of nodes")
    cpus_per_node: int = Field(1, ge=1, le=4096, description="processors of each")
    name: str = Field("", description="what it is called")

    @property
    def processors(self) -> int:
        """All processors of the machine."""
        return self.nodes * self.cpus_per_node


class BatchMachine(Table):
    """The whole file."""

    machine: BatchNodes


@dataclass(frozen=True)
class JobMachine:
    """What a batch system has to give."""

    name: str
    processors: int


ACCEPTED = "a TOML file with [machine]: nodes, cpus_per_node; or a described machine, whose nodes count one each"


def open_machine(name: str, settings: Sequence[str] = ()) -> JobMachine:
    """The machine that `--on NAME` means: a file with a table [machine], or a described machine."""
    path = Path(name)
    if path.suffix == ".toml" and path.is_file() and "machine" in tables(path)[0]:
        about = load(path, settings).machine
        return JobMachine(about.name or path.stem, about.processors)
    from assay.described.shipped import open_described, room

    described = open_described(name, dict(_setting(words) for words in settings))
    nodes = room(described)
    if nodes is None:
        raise InputError("does not say how many nodes it has", key="--on", value=name, accepted=ACCEPTED)
    return JobMachine(name, nodes)


def _setting(words: str) -> tuple[str, str]:
    key, equals, text = words.partition("=")
    if not equals:
        raise InputError("is no setting", key="--set", value=words, accepted="KEY=VALUE, such as machine.nodes=64")
    return key.strip(), text.strip()


def load(path: Path, settings: Sequence[str] = ()) -> BatchMachine:
    """Read a machine's file with keys set from outside (`machine.nodes=64`); InputError names what is wrong."""
    values, source = read(path, versions.BATCH)
    made = [override(*_setting(words), words) for words in settings]
    values = overridden(values, made)
    source = replace(source, overrides=tuple((each.keys, each.words) for each in made))
    return validated(source, BatchMachine, values)
