"""Since when the command that is run has been running, and until when: a budget bounds the time of all of it.

Its process does nothing else, so that the interpreter's start and the imports count.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from assay import left_names

MOST = 4.0  # a start from a cold disk waits, too, without meaning for what follows
SHORTEST = 0.01  # s, that a process is given where no time is left
_began: list[float] = []
_ends: list[float] = []  # when processes that are waited for are ended, whichever thread started them


def this_process_is_it() -> None:
    """Declare that this process was started for the command; called once, by the program's entry."""
    _began[:] = [_process_began()]


def command_began() -> float:
    """When the command began, by time.monotonic(); now, where this process has not declared it."""
    return _began[0] if _began else time.monotonic()


def slowed() -> float:
    """How many times its processor time the command has taken so far, at most MOST: on a quiet host about 1.

    1 where this process has not declared it.
    """
    used = sum(os.times()[:4])  # with that of processes that it waited for
    return min(max(1.0, (time.monotonic() - command_began()) / used), MOST) if _began and used else 1.0


@contextlib.contextmanager
def ending_at(end: float | None) -> Iterator[None]:
    """While inside, no process that is waited for runs past `end` (of time.monotonic()); None: no limit.

    The commands that are waited for limit their time by `within`.
    """
    _ends.extend([] if end is None else [end])
    try:
        yield
    finally:
        if end is not None:
            _ends.remove(end)


def within(seconds: float) -> float:
    """`seconds`, or what is left until the end of `ending_at` where that is less (s)."""
    return max(SHORTEST, min([seconds, *(end - time.monotonic() for end in _ends)]))


def _process_began() -> float:
    ticks = left_names.began(os.getpid())
    if ticks is None:
        return time.monotonic()
    since_boot = ticks / os.sysconf("SC_CLK_TCK")  # with the time that the machine was suspended
    return time.monotonic() - max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - since_boot)
