"""Who uses the machine now: load, people, the busiest processes over a fifth of a second, stolen time.

Source: proc(5). Processor shares come from two readings of /proc/stat and /proc/PID/stat, in clock ticks (USER_HZ).
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

from assay.machine import reading

UTMP = struct.Struct("<hxxi32s4s32s256shhiii4i20x")
USER_PROCESS = 7


class Process(reading.HostPart):
    """A process and its use of hardware threads (1.0 is all of one)."""

    pid: int
    name: str
    owner: int | None = None
    share: float


class Activity(reading.HostPart):
    """Shares are of one hardware thread: `others` 1.5 means that others used one and a half."""

    load: tuple[float, ...] = ()
    running: int | None = None
    users: tuple[str, ...] | None = None
    busiest: tuple[Process, ...] = ()
    others: float | None = None
    steal: float | None = None
    steal_since_boot: float | None = None
    seconds: float = 0.0


def activity(
    root: Path = Path("/"), seconds: float = 0.2, sleep: Callable[[float], None] = time.sleep, own: int | None = None
) -> Activity:
    """Watch the host under `root` for `seconds`; this process (`own`) and its ancestors' shells are not others."""
    own = os.getpid() if own is None else own
    tick = os.sysconf("SC_CLK_TCK")
    notes = []
    before, total_before, clock = _ticks(root), _total(root), time.monotonic()
    sleep(seconds)
    after, total_after = _ticks(root), _total(root)
    spent = max(time.monotonic() - clock, 1e-3) if sleep is time.sleep else seconds
    processes = []
    for pid, (name, ticks, owner) in after.items():
        used = ticks - before[pid][1] if pid in before else 0
        if pid != own and used > 0:
            processes.append(Process(pid=pid, name=name, owner=owner, share=used / tick / spent))
    steal = busy = None
    if total_before and total_after:
        busy = (total_after[0] - total_before[0]) / tick / spent
        mine = (after[own][1] - before[own][1]) / tick / spent if own in after and own in before else 0.0
        busy = max(0.0, busy - mine)
        steal = (total_after[1] - total_before[1]) / tick / spent
    else:
        notes.append("the processors' time is not readable (/proc/stat)")
    words = (reading.text(root / "proc/loadavg") or "").split()
    return Activity(
        load=tuple(each for each in map(reading.real, words[:3]) if each is not None),
        running=int(words[3].partition("/")[0]) if len(words) > 3 and words[3].partition("/")[0].isdecimal() else None,
        users=users(root),
        busiest=tuple(sorted(processes, key=lambda process: -process.share)[:5]),
        others=busy,
        steal=steal,
        steal_since_boot=total_after[1] / tick if total_after else None,
        seconds=spent,
        notes=tuple(notes),
    )


def _total(root: Path) -> tuple[int, int] | None:
    """Busy and stolen ticks since boot; guests' time is already in user's (proc(5))."""
    line = (reading.text(root / "proc/stat") or "").partition("\n")[0].split()
    if len(line) < 8 or line[0] != "cpu" or not all(word.isdecimal() for word in line[1:]):
        return None
    user, nice, system, _, _, irq, softirq, *rest = (int(word) for word in line[1:])
    return user + nice + system + irq + softirq, rest[0] if rest else 0


def _ticks(root: Path) -> dict[int, tuple[str, int, int | None]]:
    """Name, ticks of user and system time, and owner of every process."""
    found = {}
    for pid, folder in reading.numbered_entries(root / "proc", ""):
        words = reading.text(folder / "stat") or ""
        name, closed, rest = words.partition("(")[2].rpartition(")")
        fields = rest.split()
        if not closed or len(fields) < 13 or not (fields[11] + fields[12]).isdecimal():
            continue
        try:
            owner = folder.stat().st_uid
        except OSError:
            owner = None
        found[pid] = (name, int(fields[11]) + int(fields[12]), owner)
    return found


def users(root: Path = Path("/")) -> tuple[str, ...] | None:
    """Who is logged in, by utmp or else by systemd's sessions; None where the system keeps no account of it."""
    try:
        records = (root / "run/utmp").read_bytes()
    except OSError:
        sessions = root / "run/systemd/sessions"
        if not sessions.is_dir():
            return None
        answer = [reading.pairs(reading.text(each), "=") for each in reading.entries(sessions)]
        return tuple(sorted({each["USER"] for each in answer if each.get("CLASS") == "user" and "USER" in each}))
    names = set()
    for offset in range(0, len(records) - UTMP.size + 1, UTMP.size):
        fields = UTMP.unpack_from(records, offset)
        if fields[0] == USER_PROCESS:
            names.add(fields[4].rstrip(b"\0").decode("utf-8", "replace"))
    return tuple(sorted(names))
