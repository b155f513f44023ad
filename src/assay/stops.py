"""Ctrl-C and SIGTERM: the first one ends a command in order, a later one at once, from the first moment on.

Python's KeyboardInterrupt alone does not do. Where it is raised in a finalizer or a callback, it is printed and
forgotten; a library can drop it, too: pyarrow imports pandas when it converts a column, and takes whatever is raised
in there for "no pandas". Here it is raised again once nothing holds the exception, until the command has answered it.
Where it passes through exec(), as in an import of dataclasses, Python ends with the status of a killed process although
it was caught: a subclass does not. And SIGTERM, which batch systems send at a time limit, has to leave things in as
good an order as Ctrl-C.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import NoReturn

AGAIN = 0.3  # s, within which a second signal is the same one: `timeout` signals the process and then its group
LOOKED_AFTER = 0.05  # s, between looks at whether what was raised was dropped
BY_CTRL_C = 128 + signal.SIGINT  # exit status, as shells have it
_SHOW_CURSOR = b"\x1b[?25h"  # which a progress bar hides


class Stopped(KeyboardInterrupt):
    """A signal came that ends the command."""


class Stop:
    """The signal that came, if any, and what is written where a second one ends the process at once."""

    def __init__(self) -> None:
        """Nothing came yet."""
        self.number: int | None = None
        self.words = "interrupted"
        self.answered = False  # the command ends, or goes on in spite of the signal: nothing is raised again
        self._raised: weakref.ref[Stopped] | None = None
        self._since = 0.0
        self._over = False
        self._put_off = self._due = False
        self._ends: set[Callable[[], object]] = set()

    @property
    def status(self) -> int:
        """The exit status of a command that a signal ended."""
        return BY_CTRL_C if self.number is None else 128 + self.number

    @contextlib.contextmanager
    def also_ending(self, end: Callable[[], object]) -> Iterator[None]:
        """While a thread waits for another process: a signal calls `end`, so that the thread waits no longer."""
        self._ends.add(end)
        try:
            if self.number is not None:
                end()
            yield
        finally:
            self._ends.discard(end)

    @contextlib.contextmanager
    def put_off(self) -> Iterator[None]:
        """While something is started that goes on by itself, until it is noted: a signal is answered at the end."""
        self._put_off = True
        try:
            yield
        finally:
            self._put_off = False
        if self._due:
            self._due = False
            self._raise()

    def over(self) -> None:
        """From now on a signal ends the process at once: all output is written."""
        self._over = True
        signal.setitimer(signal.ITIMER_REAL, 0)

    def gone(self) -> None:
        """From now on a signal changes nothing: the process ends with the status that it has.

        Python's last act: while it finalises, a signal with a handler of Python's has its default action again, in all
        threads (also in those of DuckDB and Arrow, which a mask of this one does not reach); an ignored one has not.
        """
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)

    def came(self, number: int, frame: object) -> None:
        """Answer a signal."""
        now = time.monotonic()
        if self._over:
            os._exit(128 + number)
        if self.number is None:
            self.number, self._since = number, now
            for end in list(self._ends):
                end()
            self._due = self._put_off
            if not self._due:
                self._raise()
            return
        if now - self._since >= AGAIN:
            with contextlib.suppress(OSError):
                os.write(2, (_SHOW_CURSOR if os.isatty(2) else b"") + f"assay: {self.words}\n".encode())
            os._exit(128 + number)

    def again(self, number: int, frame: object) -> None:
        """Raise once more what was dropped."""
        if self._over or self.answered:
            return
        self._due = self._put_off
        if self._due:
            return
        gc.collect()  # what was dropped may lie in a cycle of references
        if self._raised is None or self._raised() is None:
            self._raise()
        signal.setitimer(signal.ITIMER_REAL, LOOKED_AFTER)

    def _raise(self) -> NoReturn:
        stopped = Stopped()
        self._raised = weakref.ref(stopped)
        signal.setitimer(signal.ITIMER_REAL, LOOKED_AFTER)
        try:
            raise stopped
        finally:
            del stopped  # else this frame, which its traceback has, holds it

    def lost(self, about: sys.UnraisableHookArgs) -> None:
        """Ignore what was raised where nothing can be raised: it comes again."""
        if not isinstance(about.exc_value, Stopped):
            sys.__unraisablehook__(about)


_current: Stop | None = None


def current() -> Stop:
    """The one of this command; outside of any (a test that calls a function) one that no signal reaches."""
    return _current or Stop()


def begin() -> Stop:
    """Answer both signals from now on, except one that is ignored, as by jobs in the background."""
    global _current
    _current = Stop()
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _current.came)
    signal.signal(signal.SIGALRM, _current.again)
    sys.unraisablehook = _current.lost
    return _current


@contextlib.contextmanager
def answered() -> Iterator[Stop]:
    """Answer both signals here, and as before afterwards; where that is done already (start.py), by the same."""
    global _current
    if _current is not None or threading.current_thread() is not threading.main_thread():
        yield current()
        return
    hook = sys.unraisablehook
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)}
    try:
        yield begin()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook, _current = hook, None
