"""One run of the simulated network as a task, which another process may make; and pilot runs, from empty."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from assay.network import engine
from assay.network.description import CoreTables, NetworkDescription
from assay.network.engine import SimulationRun
from assay.toml.source import Source

PILOT = 2**32  # random stream of pilot runs: no replication has it


@dataclass(frozen=True)
class SimulationTask:
    """One run of the core, to be made; can be sent to another process."""

    source: Source
    config: CoreTables
    purpose: str = ""  # in words, for those who wait

    @property
    def cycles(self) -> int:
        """Cycles that it simulates; 0 (not known) where a number of messages ends it."""
        how = self.config["method"]
        return 0 if how["messages"] or how["warmup_messages"] else int(how["warmup_cycles"] + how["cycles"])

    def make(self) -> SimulationRun:
        """Run it here."""
        return engine.run(self.source, self.config)


Found = TypeVar("Found")  # the document that a plan returns
Steps = Generator[list[SimulationTask], list[SimulationRun], Found]


def task(description: NetworkDescription, stream: int, warmup: int, cycles: int, purpose: str = "") -> SimulationTask:
    """The description's replication number `stream`."""
    return SimulationTask(description.source, engine.configuration(description, stream, warmup, cycles), purpose)


def pilot_task(description: NetworkDescription, cycles: int, purpose: str) -> SimulationTask:
    """A pilot run from empty, of so many cycles: nothing else ends it, and the links' work is not recorded."""
    alike = description.method.model_copy(update={"messages": 0, "warmup_messages": 0, "utilisation": False})
    return task(description.but(method=alike), PILOT, 0, cycles, purpose)
