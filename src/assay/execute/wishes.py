"""What a person asked for, checked before anything is compiled or written, and turned into a plan and a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.benchmark.record import Benchmark, benchmark
from assay.errors import InputError
from assay.execute import plan as planning
from assay.execute.plan import Plan
from assay.execute.session import Target
from assay.execute.target import ranks_wanted, target


@dataclass(frozen=True)
class Wishes:
    """The words of a command line that decide what is measured, where and how often."""

    names: tuple[str, ...]
    on: str | None = None
    via: str | None = None
    ranks: int | None = None
    nodes: int | None = None
    ppn: int | None = None
    settings: dict[str, str] = field(default_factory=dict)
    machine: dict[str, str] = field(default_factory=dict)
    profile: str = "quick"
    launches: int | None = None
    seed: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Give the wishes as plain data, for run.json."""
        return asdict(self)

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Wishes:
        """Take back what `to_dict` gave."""
        return Wishes(**{**data, "names": tuple(data["names"])})

    def target(self) -> Target:
        """Where it will be done."""
        return target(self.on, self.via, self.nodes, self.ppn, self.machine)

    def plan(self) -> Plan:
        """What will be done. A described machine answers the same every time: one launch unless more are asked for."""
        records = [benchmark(name) for name in self.names]
        launches = self.launches if self.launches is not None or self.on is None else 1
        return planning.make(
            records,
            profile=self.profile,
            settings=self.settings,
            launches=launches,
            ranks={record.name: self._ranks(record) for record in records},
            seed=self.seed,
        )

    def _ranks(self, record: Benchmark) -> int | None:
        wanted = self.ranks if record.kind == "ranks" or len(self.names) == 1 else None
        if wanted is None and record.kind == "ranks" and self.nodes is not None:
            return self.nodes * (self.ppn or 1)
        return ranks_wanted(record, wanted)


def split(words: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Split `--set` words into a benchmark's parameters and, behind `machine.`, keys of a description."""
    given: dict[str, str] = {}
    machine: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key or not value:
            raise InputError("is not KEY=VALUE", key="--set", value=word, accepted="KEY=VALUE")
        if key.startswith("machine."):
            machine[key.removeprefix("machine.")] = value
        else:
            given[key] = value
    return given, machine
