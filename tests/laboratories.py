"""Laboratories for tests: one of a name of its own, and what is left of any."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.laboratory import raising, running
from command_line import assay
from mpis_here import MPI, WHEEL

OBSTACLE = raising.obstacle()
MPIS = {each.implementation: each for each in (MPI, WHEEL) if each is not None and each.implementation != "MPI"}


MARK = "ASSAY_TEST_MARK"


def processes(mark: str, word: str = "") -> list[int]:
    """Processes that were started with a mark in their environment, and have `word` in their command line.

    A namespace of a laboratory lasts as long as some process in it: mounts that hold hosts' are private to these.
    """
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, IndexError):
            if entry.name.isdigit() and f"{MARK}={mark}".encode() in (entry / "environ").read_bytes():
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in "ZX" and word.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


def left(mark: str, word: str = "", within: float = 20.0) -> list[int]:
    """Which of these processes are still there after a while: a supervisor needs a moment to end its tree."""
    until = time.monotonic() + within
    while (found := processes(mark, word)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


@contextlib.contextmanager
def up(topology: str, *words: str, name: str | None = None) -> Iterator[str]:
    """A laboratory that is up; its name, which no other test uses."""
    name = name or f"t{os.getpid()}"
    answer = assay("lab", "up", topology, "--name", name, *words)
    assert answer.status == 0, answer.err
    try:
        yield name
    finally:
        if name in {each.specification.name for each in running.laboratories()}:
            assay("lab", "down", "--name", name)


def figures(folder: Path) -> list[dict[str, Any]]:
    """All readings of a run's blocks: metric, case and values."""
    lines = (line for file in sorted((folder / "launches").glob("*.jsonl")) for line in file.read_text().splitlines())
    return [each for each in map(json.loads, lines) if each.get("event") == "block"]
