"""A person's own programs: files outside this tree that `assay build FILE` has taken in, found again by name.

What is kept is a list of paths beside the compiled binaries; the record is read from the file each time, so that an
edited program is the one that runs. A file that is gone is passed over.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from assay.errors import InputError


def cache_root() -> Path:
    """Where binaries are kept: ASSAY_CACHE, else XDG_CACHE_HOME/assay, else ~/.cache/assay."""
    if os.environ.get("ASSAY_CACHE"):
        return Path(os.environ["ASSAY_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay"


def paths() -> list[Path]:
    """The files taken in so far that are still there."""
    try:
        listed = json.loads(_list().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [Path(each) for each in listed if isinstance(each, str) and Path(each).is_file()]


def take_in(path: Path) -> None:
    """Remember a file; InputError where the list cannot be written."""
    known = [str(each) for each in paths()]
    if str(path) in known:
        return
    try:
        _list().parent.mkdir(parents=True, exist_ok=True)
        fresh = _list().with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps([*known, str(path)], indent=1) + "\n", encoding="utf-8")
        fresh.rename(_list())
    except OSError as error:
        raise InputError(f"cannot be kept: {error.strerror}", file=_list()) from None


def _list() -> Path:
    return cache_root() / "own.json"
