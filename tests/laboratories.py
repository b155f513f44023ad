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


def spaces() -> set[str]:
    """The network namespaces that this user's processes are in."""
    found = set[str]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                found.add(str((entry / "ns" / "net").readlink()))
    return found


def left(before: set[str], within: float = 10.0) -> list[str]:
    """What is there of laboratories that was not before: namespaces and holders. Waits for the kernel's clean-up."""
    until = time.monotonic() + within
    while True:
        found = sorted(spaces() - before)
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.05)


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
