"""The laboratories that are up: found among this user's processes, so that no file names one that is gone."""

from __future__ import annotations

import os
import signal
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from assay.laboratory.specification import NAME, Specification

MARK = "assay-laboratory"  # in the command line of a holder, before its specification
_GONE_WITHIN = 10.0  # s
_COUNTS = struct.Struct("5Q")  # programs/laboratory/links.cpp


@dataclass(frozen=True)
class Laboratory:
    """A laboratory that is up. `holder`: the first process of its namespaces; `outer`: the `unshare` around it."""

    specification: Specification
    holder: int
    outer: int

    def alive(self) -> bool:
        """Whether the holder is still there."""
        return Path(f"/proc/{self.holder}/ns/mnt").exists() and _specification(self.holder) == self.specification

    def counts(self) -> dict[str, float]:
        """What the links' process counted: `frames`, `dropped`, `late` (over 0.1 ms), `lateness` (mean, s), `worst`."""
        try:
            data = Path(f"/proc/{self.holder}/root/dev/shm/counts").read_bytes()
        except OSError:
            return {}
        frames, dropped, late, lateness, worst = _COUNTS.unpack(data)
        mean = lateness / frames * 1e-9 if frames else 0.0
        return {"frames": frames, "dropped": dropped, "late": late, "lateness": mean, "worst": worst * 1e-9}

    def take_down(self) -> None:
        """Kill the holder, and with it everything in its namespaces, and wait until all is gone."""
        inside = [pid for pid in _processes() if _within(pid, self.holder)]
        for pid in (self.holder, self.outer):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        until = time.monotonic() + _GONE_WITHIN
        while any(_running(pid) for pid in [self.outer, *inside]) and time.monotonic() < until:
            time.sleep(0.01)


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def _within(pid: int, holder: int) -> bool:
    """Whether a process is in the holder's user namespace: its own processes, and those of launches."""
    try:
        return Path(f"/proc/{pid}/ns/user").readlink() == Path(f"/proc/{holder}/ns/user").readlink()
    except OSError:
        return False


def _specification(pid: int) -> Specification | None:
    """What a holder was started with; None where the process is none."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        if words[0].endswith("unshare") or MARK not in words:
            return None
        if Path(f"/proc/{pid}").stat().st_uid not in (os.geteuid(), 0):
            return None
        return Specification.of_text(words[words.index(MARK) + 1])
    except (OSError, ValueError, TypeError, IndexError):
        return None


def laboratories() -> list[Laboratory]:
    """All that are up and belong to this user, by name."""
    found = []
    for pid in _processes():
        made = _specification(pid)
        if made is not None and _first_of_namespace(pid) and _owned(pid):
            found.append(Laboratory(made, pid, _parent(pid)))
    return sorted(found, key=lambda each: each.specification.name)


def _status(pid: int, key: str) -> list[str]:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{key}:"):
                return line.split()[1:]
    except OSError:
        pass
    return []


def _first_of_namespace(pid: int) -> bool:
    return _status(pid, "NSpid")[-1:] == ["1"]


def _owned(pid: int) -> bool:
    return _status(pid, "Uid")[:1] == [str(os.geteuid())]


def _parent(pid: int) -> int:
    return int((_status(pid, "PPid") or ["0"])[0])


def named(name: str | None, key: str = "--via lab") -> Laboratory:
    """The laboratory of a name (None: the only one that is up); InputError for the option `key` where there is none."""
    up = laboratories()
    names = ", ".join(each.specification.name for each in up)
    if not up:
        raise InputError("no laboratory is up", key=key, value=name, accepted="`assay lab up hypercube:3` first")
    if name is None:
        if len(up) == 1:
            return up[0]
        name = NAME
    for each in up:
        if each.specification.name == name:
            return each
    raise InputError("no such laboratory is up", key=key, value=name, accepted=names)
