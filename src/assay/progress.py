"""Progress of a long command on standard error: what is being done, how far it is, how long it took and will take.

A terminal shows a bar; elsewhere a line is printed after ten seconds, and every ten seconds from then on.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assay import sanitised
from assay.machine.units import waiting_time

EVERY = 10.0  # s between two lines
NOT_YET = 0.5  # s before a bar is drawn: what ends sooner has none
REDRAWN = 0.2  # s between two states of a bar
SOON = 3.0  # s after which the time left is estimated from the smallest share


@dataclass(frozen=True)
class ProgressReading:
    """How far a command is: in words, and how much of how much is done (`of` 0: not known)."""

    text: str
    done: float = 0.0
    of: float = 0.0
    at_most: bool = False  # it may end before all of `of` is done
    more: bool = False  # more than `of` may follow

    def line(self, seconds: float) -> str:
        """The text with the seconds spent, and those left where they can be estimated."""
        return f"{self.text}, {waiting_time(seconds)}{self.left(seconds)}"

    def left(self, seconds: float) -> str:
        """The time left, by the pace so far; empty where nothing is known of it."""
        share = self.done / self.of if self.of else 0.0
        if not (share > 0.01 or (share > 0 and seconds > SOON)) or share >= 1:
            return ""
        left = waiting_time(seconds * (1 - share) / share)
        return f", {'at most' if self.at_most else 'about'} {left} left{' for these' if self.more else ''}"


@contextmanager
def shown(title: str, now: Callable[[], ProgressReading], quiet: bool = False) -> Iterator[None]:
    """Show what `now` reads, from another thread, as long as the context lasts; `quiet`: nothing."""
    if quiet:
        yield
        return
    ended = threading.Event()
    display = _bar if sys.stderr.isatty() else _lines
    thread = threading.Thread(target=display, args=(title, now, ended), daemon=True, name="progress")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def counted(
    title: str, what: str, of: int, quiet: bool = False, *, at_most: bool = False
) -> Iterator[Callable[[int], None]]:
    """Give a function that takes how many of `of` are done, and show it: "pairs: 3 of at most 20"."""
    done = [0]

    def now() -> ProgressReading:
        return ProgressReading(f"{done[0]:,} of {'at most ' if at_most else ''}{of:,} {what}", done[0], of, at_most)

    def advance(number: int) -> None:
        done[0] = number

    with shown(title, now, quiet):
        yield advance


@contextmanager
def described(title: str, text: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Give a function that takes what is being done in words, and show the last ones; `text` are the first."""
    last = [text]

    def say(words: str) -> None:
        last[0] = words

    with shown(title, lambda: ProgressReading(last[0]), quiet):
        yield say


def _lines(title: str, now: Callable[[], ProgressReading], ended: threading.Event) -> None:
    began = time.monotonic()
    while not ended.wait(EVERY):
        print(f"{title}: {now().line(time.monotonic() - began)}", file=sys.stderr, flush=True)


def _bar(title: str, now: Callable[[], ProgressReading], ended: threading.Event) -> None:
    began = time.monotonic()
    if ended.wait(NOT_YET):
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[text]}", style="dim", markup=False),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", style="dim"),
    )
    with Progress(*columns, console=sanitised.console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(title, total=None, text="", left="")
        while not ended.wait(REDRAWN):
            read = now()
            left = read.left(time.monotonic() - began).removeprefix(", ")
            drawn.update(task, completed=read.done, total=read.of or None, text=read.text, left=left)
