"""A small file system in memory, for tests of what is full or is no storage."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted_in_memory(place: Path, options: str) -> Iterator[Path]:
    """A tmpfs with these options (`size=24m`) at a new folder; the test is skipped where nothing may be mounted."""
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True).returncode:
        pytest.skip("may not mount a file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)
