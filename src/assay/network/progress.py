"""The progress of a simulation and the time left, on standard error.

A terminal shows a bar; elsewhere a line is printed after a second, then after twice as long, and so on. Cycles are
counted, of all runs requested so far: how many follow depends on their results. A run that a number of messages ends
has no known number of cycles: then only those simulated are shown.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from assay import sanitised
from assay.machine.units import waiting_time
from assay.network.tasks import SimulationTask

FIRST_LINE = 1.0  # s until the first line where there is no terminal; each next one after twice as long
SOON = 3.0  # s after which the time left is estimated from the smallest share


@dataclass
class Meter:
    """Counters of the progress: the driver of the runs writes them, the display reads them."""

    points: int = 0
    of: int = 0
    expected: int = 0  # cycles requested
    elsewhere: int = 0  # cycles that other processes have simulated
    began: float = field(default_factory=time.monotonic)
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

    def line(self) -> str:
        """The progress in words."""
        done = self.cycles
        share = done / self.expected if self.expected and not self.unknown else 0.0
        seconds = time.monotonic() - self.began
        known = share > 0.01 or (share > 0 and seconds > SOON)
        left = f", about {waiting_time(seconds * (1 - share) / share)} left for these" if known else ""
        requested = "" if self.unknown else " requested so far"
        return f"{self.place}{self.counted} cycles{requested}, {waiting_time(seconds)}{left}"

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
    meter, ended = Meter(), threading.Event()
    if quiet:
        yield meter
        return
    shown = threading.Thread(
        target=_bar if sys.stderr.isatty() else _lines, args=(title, meter, ended), daemon=True, name="progress"
    )
    shown.start()
    try:
        yield meter
    finally:
        ended.set()
        shown.join()


def _lines(title: str, meter: Meter, ended: threading.Event) -> None:
    wait = FIRST_LINE
    while not ended.wait(wait):
        print(f"{title}: {meter.line()}", file=sys.stderr, flush=True)
        wait *= 2


def _bar(title: str, meter: Meter, ended: threading.Event) -> None:
    if ended.wait(0.5):
        return  # done before a bar could be read
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TextColumn("{task.fields[line]}", style="dim"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=sanitised.console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=None, line="")
        while not ended.wait(0.2):
            line = f"{meter.place}{meter.counted} cycles"
            total = None if meter.unknown else meter.expected or None
            progress.update(task, completed=meter.cycles, total=total, line=line)
