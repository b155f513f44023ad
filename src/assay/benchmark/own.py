"""A person's own programs: files outside this tree that `assay build FILE` has taken in, found again by name.

What is kept is a list of paths beside the compiled binaries; the record is read from the file each time, so that an
edited program is the one that runs. A file that is gone is passed over.
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path

from assay import left_names, trusted, versions
from assay.errors import InputError, warn


def cache_root() -> Path:
    """Where binaries are kept: ASSAY_CACHE, else XDG_CACHE_HOME/assay, else ~/.cache/assay.

    What lies there is executed. Where others may write, as in a cache that a project shares, the user's own folder
    takes its place. InputError for a folder that is not trusted (trusted.py) and not shared with this user.
    """
    own = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay"
    given = Path(os.environ.get("ASSAY_CACHE") or own)
    found = trusted.fault(given)
    if found is None:
        return given
    if not found.shared or trusted.fault(own) is not None:
        accepted = f"{trusted.ACCEPTED}; ASSAY_CACHE names another folder"
        raise InputError(f"binaries of this folder are not executed: {found}", file=given, accepted=accepted)
    _warn_once(f"{given}: binaries are built again in {own}: {found}")
    return own


@functools.cache
def _warn_once(text: str) -> None:
    warn(text)


def is_ours(binary: Path) -> bool:
    """Whether a file is in the cache, and was put there by this user or by root."""
    return binary.exists() and trusted.fault(binary, above=binary.parent) is None


def paths() -> list[Path]:
    """The files taken in so far that are still there."""
    return [path for path in listed() if path.is_file()]


def take_in(path: Path) -> None:
    """Remember a file; InputError where the list cannot be written."""
    known = [str(each) for each in paths()]
    if str(path) not in known:
        _write([*known, str(path)])


def remove(path: Path) -> None:
    """Forget a file, which itself stays where it is; InputError where the list cannot be written."""
    _write([each for each in _listed() if each != str(path)])


def listed() -> list[Path]:
    """All files taken in so far, also those that are gone."""
    return [Path(each) for each in _listed()]


def _listed() -> list[str]:
    """The list as it is kept; empty where there is none or it is damaged, InputError where it is of a newer version."""
    try:
        held = json.loads(_list().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    if isinstance(held, list):  # version 0
        held = {"programs": held}
    if not isinstance(held, dict):
        return []
    names = versions.current(versions.OWN_PROGRAMS, held, versions.in_file(_list())).get("programs")
    return [each for each in names if isinstance(each, str)] if isinstance(names, list) else []


def _write(names: list[str]) -> None:
    kept = versions.marked(versions.OWN_PROGRAMS, {"programs": names})
    try:
        _list().parent.mkdir(parents=True, exist_ok=True)
        left_names.clear(_list().parent, ".assay-")
        fresh = _list().with_name(left_names.marked(".assay-", ".new"))
        with fresh.open("x", encoding="utf-8") as out:
            out.write(json.dumps(kept, indent=1) + "\n")
        fresh.rename(_list())
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=_list()) from None


def _list() -> Path:
    return cache_root() / "own.json"
