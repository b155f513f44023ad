"""The progress of a run: a display on standard error where that is a terminal, else a plain line every ten seconds.

Programs are compiled first, then measured: the current task, how many are done, time spent and time left.
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assay.execute.plan import Task
from assay.execute.within_launch import WITHIN
from assay.machine.units import waiting_time

COMPILING = "compiling "  # how a line of the compiler's progress begins
EVERY = 10.0  # s between two plain lines


@dataclass(frozen=True)
class ProgressCallbacks:
    """Callbacks that show progress: `say` prints a line, `advance` follows each task."""

    say: Callable[[str], None]
    advance: Callable[[str], None]


@contextlib.contextmanager
def shown(tasks: Sequence[Task], programs: int) -> Iterator[ProgressCallbacks]:
    """Show the progress of `tasks`, in order; `programs`: how many may have to be compiled first."""
    if sys.stderr.isatty():
        with _display(tasks, programs) as made:
            yield made
    else:
        yield _lines(tasks, lambda text: print(text, file=sys.stderr, flush=True), time.monotonic)


def doing(tasks: Sequence[Task], done: int) -> str:
    """Say which task is being done when `done` of them have ended."""
    if done >= len(tasks):
        return "writing the tables"
    task, launches = tasks[done], 1 + max(each.launch for each in tasks)
    return f"{task.benchmark}, launch {task.launch + 1} of {launches}" if launches > 1 else task.benchmark


def _lines(tasks: Sequence[Task], out: Callable[[str], None], clock: Callable[[], float]) -> ProgressCallbacks:
    """Plain lines: one when compiling begins, one when measuring does, and one every ten seconds with what is left."""
    began: list[float] = []
    last, compiled, done = clock(), 0, 0
    within = -math.inf  # when progress within a launch was last printed: the first line at once

    def say(text: str) -> None:
        nonlocal last, compiled, within
        if text.startswith(WITHIN):
            if clock() - within >= EVERY:
                within = last = clock()
                out(text.removeprefix(WITHIN))
            return
        if not text.startswith(COMPILING):
            out(text)
            return
        compiled += 1
        if compiled == 1:
            out("compiling what this run needs (once)")
        elif clock() - last >= EVERY:
            last = clock()
            out(f"compiling: {compiled} begun, now {text.removeprefix(COMPILING).partition(' (')[0]}")

    def advance(name: str) -> None:
        nonlocal last, done
        done += 1
        began.append(clock())
        if clock() - last < EVERY or done >= len(tasks):
            return
        last = clock()
        left = ""
        if done > 1:
            rate = (began[-1] - began[0]) / (done - 1)
            left = f", about {waiting_time(rate * (len(tasks) - done))} left"
        out(f"measured {done} of {len(tasks)} launches{left}; now {doing(tasks, done)}")

    return ProgressCallbacks(say, advance)


@contextlib.contextmanager
def _display(tasks: Sequence[Task], programs: int) -> Iterator[ProgressCallbacks]:
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
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
            bar.update(line, completed=done, description=doing(tasks, done))

        yield ProgressCallbacks(say, advance)
