"""The progress of a run: a display on standard error where that is a terminal, else a plain line every ten seconds.

Programs are compiled first, then measured: the current task, how many are done, time spent and time left.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assay import sanitised
from assay.execute.plan import Task
from assay.execute.progress_lines import WITHIN
from assay.machine.units import waiting_time
from assay.progress import EVERY

COMPILING = "compiling "  # how a line of the compiler's progress begins
TICK = 1.0  # s between two looks at the clock


@dataclass(frozen=True)
class ProgressCallbacks:
    """Callbacks that show progress: `say` prints a line, `begin` follows what is compiled, `advance` each task.

    `tick` is called about once a second by code with a clock: it reports the progress of a long task.
    """

    say: Callable[[str], None]
    advance: Callable[[str], None]
    begin: Callable[[], None] = lambda: None
    tick: Callable[[], None] = lambda: None


@contextlib.contextmanager
def shown(tasks: Sequence[Task], programs: int) -> Iterator[ProgressCallbacks]:
    """Show the progress of `tasks`, in order; `programs`: how many may have to be compiled first."""
    if sys.stderr.isatty():
        with _display(tasks, programs) as made:
            yield made
    else:
        made = _lines(tasks, lambda text: print(text, file=sys.stderr, flush=True), time.monotonic)
        ended = threading.Event()
        clock = threading.Thread(target=_ticking, args=(made.tick, ended), name="progress", daemon=True)
        clock.start()
        try:
            yield made
        finally:
            ended.set()
            clock.join()


def _ticking(tick: Callable[[], None], ended: threading.Event) -> None:
    while not ended.wait(TICK):
        tick()


def current_task(tasks: Sequence[Task], done: int) -> str:
    """Show the current task when `done` of them have ended."""
    if done >= len(tasks):
        return "writing the tables"
    task, launches = tasks[done], 1 + max(each.launch for each in tasks)
    return f"{task.benchmark}, launch {task.launch + 1} of {launches}" if launches > 1 else task.benchmark


def _lines(tasks: Sequence[Task], out: Callable[[str], None], clock: Callable[[], float]) -> ProgressCallbacks:
    """Plain lines: one when compiling begins, and one every ten seconds with what is going on and what is left."""
    made = _PlainLines(tasks, out, clock)
    return ProgressCallbacks(made.say, made.advance, made.begin, made.tick)


class _PlainLines:
    """The state behind plain lines; they are printed by the run's own thread and by the clock's."""

    def __init__(self, tasks: Sequence[Task], out: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._tasks, self._out, self._clock = tasks, out, clock
        self._lock = threading.Lock()
        self._ended: list[float] = []  # when each task did
        self._last = self._since = clock()  # the last line about progress; when what is done now was begun
        self._within = -math.inf  # when progress within a launch was last printed: the first line at once
        self._compiled, self._compiling = 0, ""

    def say(self, text: str) -> None:
        with self._lock:
            if text.startswith(WITHIN):
                if self._clock() - self._within >= EVERY:
                    self._within = self._last = self._clock()
                    self._out(text.removeprefix(WITHIN))
            elif not text.startswith(COMPILING):
                self._out(text)
            else:
                self._compiled += 1
                self._compiling, self._since = text.removeprefix(COMPILING).partition(" (")[0], self._clock()
                if self._compiled == 1:
                    self._out("compiling what this run needs (once)")
                elif self._is_due():
                    self._line(f"compiling: {self._compiled} begun, now {self._compiling}")

    def begin(self) -> None:
        with self._lock:
            self._compiling, self._since = "", self._clock()

    def advance(self, name: str) -> None:
        with self._lock:
            self._ended.append(self._clock())
            self._compiling, self._since = "", self._clock()
            if self._is_due() and len(self._ended) < len(self._tasks):
                self._line(self._measured())

    def tick(self) -> None:
        with self._lock:
            if not self._is_due():
                return
            so_far = f", {waiting_time(self._clock() - self._since)} so far"
            if self._compiling:
                self._line(f"compiling: {self._compiled} begun, now {self._compiling}{so_far}")
            else:
                self._line(self._measured() + so_far)

    def _is_due(self) -> bool:
        return self._clock() - self._last >= EVERY

    def _line(self, text: str) -> None:
        self._last = self._clock()
        self._out(text)

    def _measured(self) -> str:
        done, left = len(self._ended), ""
        if done > 1:
            rate = (self._ended[-1] - self._ended[0]) / (done - 1)
            left = f", about {waiting_time(rate * (len(self._tasks) - done))} left"
        return f"measured {done} of {len(self._tasks)} launches{left}; now {current_task(self._tasks, done)}"


@contextlib.contextmanager
def _display(tasks: Sequence[Task], programs: int) -> Iterator[ProgressCallbacks]:
    from rich import progress

    console = sanitised.console(stderr=True)
    columns = (
        progress.SpinnerColumn(),
        progress.TextColumn("{task.fields[phase]}"),
        progress.BarColumn(bar_width=20),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.description}"),
    )
    with progress.Progress(*columns, console=console, transient=True) as bar:
        line = bar.add_task("", total=programs, phase="compiling")
        done = 0

        def say(text: str) -> None:
            if text.startswith(COMPILING):
                name = text.removeprefix(COMPILING).partition(" (")[0]
                bar.update(line, advance=0 if name.startswith("what ") else 1, description=name)
            elif text.startswith(WITHIN):
                measuring()
                bar.update(line, description=text.removeprefix(WITHIN))
            else:
                console.print(text, highlight=False, markup=False)

        def measuring() -> None:
            if bar.tasks[0].fields["phase"] == "compiling":
                bar.reset(line, total=len(tasks), phase="measuring")

        def advance(name: str) -> None:
            nonlocal done
            measuring()
            done += 1
            bar.update(line, completed=done, description=current_task(tasks, done))

        yield ProgressCallbacks(say, advance, measuring)
