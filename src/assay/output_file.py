"""Writing of files that an option names: what cannot be written is named, and never mistaken for standard output."""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError


def write_text(path: Path, text: str, *, key: str | None = None) -> None:
    """Write a file; InputError where it cannot be written, with the option `key` that named it, where one did."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        if key is not None:
            raise InputError(problem, key=key, value=str(path)) from None
        raise InputError(problem, file=path) from None


def make_folder(path: Path) -> None:
    """Make a folder with those above it, unless it is there; InputError where it cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror or error}", file=path) from None
