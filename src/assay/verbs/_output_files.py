"""Files that a command writes: none is one that it reads, or that it writes by another option; each has a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.errors import InputError


def check_outputs(written: Mapping[str, Path | None], read: Mapping[str, Path | None]) -> None:
    """InputError where a file to be written, by its option, is one that is read, is there twice or has no folder.

    What is no regular file (a terminal, /dev/null) may be both.
    """
    taken = {name: path for name, path in read.items() if path is not None}
    for option, path in written.items():
        if path is None:
            continue
        for name, other in taken.items():
            if _same(path, other):
                raise InputError(f"is {name} too", key=option, value=str(path), accepted="a file of its own")
        if not path.parent.is_dir():  # before anything is simulated
            raise InputError(
                "is in no folder that is there", key=option, value=str(path), accepted="a file in a folder"
            )
        taken[option] = path


def _same(path: Path, other: Path) -> bool:
    try:
        return path.is_file() and path.samefile(other) if path.exists() else path.resolve() == other.resolve()
    except OSError:  # reported by the code that opens them
        return False
