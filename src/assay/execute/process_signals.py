"""Signals to processes that were started: a number may have passed to another process since.

A process is the one that was started where it began at the same time by the kernel's count; it has a descriptor
(pidfd_open(2)) before that is looked at, so that the number cannot pass on between the look and the signal.
"""

from __future__ import annotations

import os
import signal

from assay import left_names

began = left_names.began


def open_descriptor(process: int, since: int | None) -> int | None:
    """A descriptor of a process that began at `since` (ticks); None where that one is gone."""
    try:
        descriptor = os.pidfd_open(process)
    except (OSError, OverflowError):
        return None
    if since is None or began(process) != since:
        os.close(descriptor)
        return None
    return descriptor


def send(process: int, since: int | None, number: int) -> bool:
    """Signal a process that began at `since`; whether it was still there."""
    descriptor = open_descriptor(process, since)
    if descriptor is None:
        return False
    try:
        signal.pidfd_send_signal(descriptor, number)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def end_group(group: int, session: int, since: int | None) -> int:
    """Kill what is left of a process group of a session whose leader is gone; returns how many that were.

    `since`: when the leader began (ticks). A number of a session is in use as long as one process of it lives, so that
    none of another session with the same number is met; what began before `since` was never of this one.
    """
    killed = 0
    for name in os.listdir("/proc") if since is not None else ():  # noqa: PTH208 - thousands; the names suffice
        if name.isdigit() and (words := left_names.stat_words(int(name))) is not None:
            start = int(words[19])
            if (int(words[2]), int(words[3])) == (group, session) and since is not None and start >= since:
                killed += send(int(name), start, signal.SIGKILL)
    return killed
