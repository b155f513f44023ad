"""Writing of files that an option names: what cannot be written is named, and never mistaken for standard output.

A FIFO is written where a process reads it; where none does it is refused, since its opening would wait for one.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TextIO

from assay.errors import InputError


def opened(path: Path, *, errors: str = "strict", newline: str | None = None) -> TextIO:
    """Open a file that is written anew, as UTF-8. OSError where it cannot be opened."""
    return open(path, "w", encoding="utf-8", errors=errors, newline=newline, opener=_at_once)


def _at_once(path: str, flags: int) -> int:
    try:
        descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "no process reads this FIFO", path) from None
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def write_text(path: Path, text: str, *, key: str | None = None) -> None:
    """Write a file; InputError where it cannot be written, with the option `key` that named it, where one did."""
    try:
        with opened(path) as file:
            file.write(text)
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
