"""The progress of a simulation (progress.py in the folder above shows it).

Cycles are counted, of all runs requested so far: how many follow depends on their results. A run that a number of
messages ends has no known number of cycles: then only those simulated are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from assay.network.tasks import SimulationTask
from assay.progress import ProgressReading, shown


@dataclass
class Meter:
    """Counters of the progress: the driver of the runs writes them, the display reads them."""

    points: int = 0
    of: int = 0
    expected: int = 0  # cycles requested
    elsewhere: int = 0  # cycles that other processes have simulated
    before: int = 0  # what this process had simulated when it began
    doing: str = ""  # what the runs requested last are for
    unknown: bool = False  # whether a run was requested whose cycles are not known

    def __post_init__(self) -> None:
        """Count from here."""
        self.before = _cycles()

    def request(self, tasks: Sequence[SimulationTask]) -> None:
        """Count runs that are to be made."""
        self.expected += sum(task.cycles for task in tasks)
        self.unknown |= any(not task.cycles for task in tasks)
        self.doing = tasks[0].purpose if tasks else ""

    @property
    def cycles(self) -> int:
        """Simulated so far."""
        done = _cycles() - self.before + self.elsewhere
        return done if self.unknown else min(self.expected, done)

    def reading(self) -> ProgressReading:
        """The progress now; the share is that of the cycles requested so far."""
        requested = "" if self.unknown else " requested so far"
        text = f"{self.place}{self.counted} cycles{requested}"
        return ProgressReading(text, self.cycles, 0 if self.unknown else self.expected, more=True)

    @property
    def counted(self) -> str:
        """The cycles simulated, and of how many where that is known."""
        return f"{self.cycles:,}" if self.unknown else f"{self.cycles:,} of {self.expected:,}"

    @property
    def place(self) -> str:
        """Which of several points it is; of one simulation, what the runs under way are for."""
        if self.of > 1:
            return f"{self.points} of {self.of} points, "
        return f"{self.doing}, " if self.doing else ""


def _cycles() -> int:
    from assay._core import network as core

    return int(core.simulated_cycles())


@contextmanager
def bar(title: str, quiet: bool = False) -> Iterator[Meter]:
    """Show a meter while the runs are made; `quiet`: count only."""
    meter = Meter()
    with shown(title, meter.reading, quiet):
        yield meter
