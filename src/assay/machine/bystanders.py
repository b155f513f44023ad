"""Who else used this host's hardware threads between two moments: other processes by name, from two looks at /proc.

The accounts of a block show how much others worked, not which processes. A look costs some milliseconds and is taken
before and after a launch, never during it. A process that began and ended in between is not seen.
Source: proc(5), /proc/PID/stat; user and system time in clock ticks.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from assay.machine import reading

LEAST = 0.02  # hardware threads: less is ignored
MOST = 5  # names


@dataclass(frozen=True)
class ProcessLook:
    """The processes at one moment (`at`, s of a clock that only goes on): name, ticks spent and parent by number."""

    at: float
    processes: dict[int, tuple[str, int, int]]


def look(root: Path = Path("/")) -> ProcessLook:
    """Read all processes; one that cannot be read is not there."""
    found = {}
    for pid, folder in reading.numbered_entries(root / "proc", ""):
        words = reading.text(folder / "stat") or ""
        name, closed, rest = words.partition("(")[2].rpartition(")")
        fields = rest.split()
        if closed and len(fields) >= 13 and (fields[1] + fields[11] + fields[12]).isdecimal():
            found[pid] = (name, int(fields[11]) + int(fields[12]), int(fields[1]))
    return ProcessLook(time.monotonic(), found)


class BusyProgram(TypedDict):
    """Processes of one name: how many, and their share [hardware threads]."""

    name: str
    count: int
    share: float


def bystanders(before: ProcessLook, after: ProcessLook, own: int | None = None) -> list[BusyProgram]:
    """Name those that worked between two looks, the busiest first: `name`, `count` of processes, `share`.

    `share` is in hardware threads. `own` (default: this process) and what descends from it are no bystanders.
    """
    own = os.getpid() if own is None else own
    seconds, tick = after.at - before.at, os.sysconf("SC_CLK_TCK")
    shares: dict[str, float] = defaultdict(float)
    counts: dict[str, int] = defaultdict(int)
    for pid, (name, ticks, _) in after.processes.items():
        # one that is new worked all its time meanwhile
        used = ticks - (before.processes[pid][1] if pid in before.processes else 0)
        if used > 0 and seconds > 0 and not _descends(after.processes, pid, own):
            shares[name] += used / tick / seconds
            counts[name] += 1
    busiest = sorted(shares, key=lambda name: -shares[name])[:MOST]
    return [
        {"name": name, "count": counts[name], "share": round(shares[name], 3)}
        for name in busiest
        if shares[name] >= LEAST
    ]


def _descends(processes: dict[int, tuple[str, int, int]], pid: int, own: int) -> bool:
    seen = set[int]()
    while pid in processes and pid not in seen:
        if pid == own:
            return True
        seen.add(pid)
        pid = processes[pid][2]
    return False
