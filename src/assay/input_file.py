"""Files that a person names as input: regular ones of bounded size; others are refused by name, and not waited for."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from assay.errors import InputError

TEXT = 64 << 20  # B; the most of a file that is read as a whole: descriptions, job tables, hosts, programs
TABLE = 16 << 30  # B; of one that is read row by row: workloads, traces


def opened(path: Path, most: int = TEXT) -> BinaryIO:
    """Open a file of at most `most` bytes for reading; the caller closes it.

    InputError where it cannot be read, is no regular file (a FIFO or a device may never answer or never end), or is
    longer.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=path) from None
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size <= most:
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(found.st_mode):
        raise InputError("cannot be read: Is a directory", file=path)
    if not stat.S_ISREG(found.st_mode):
        raise InputError("cannot be read", file=path, value=_kind(found.st_mode), accepted="a regular file")
    raise InputError("is too long", file=path, value=f"{found.st_size:,} B", accepted=f"a file of at most {most:,} B")


def content(path: Path, most: int = TEXT) -> bytes:
    """Read a whole file. InputError as `opened`, and where it grows beyond `most` bytes meanwhile."""
    try:
        with opened(path, most) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    if len(data) > most:
        raise InputError("is too long", file=path, accepted=f"a file of at most {most:,} B")
    return data


def text(path: Path, most: int = TEXT, accepted: str | None = None) -> str:
    """Read a whole file as UTF-8. InputError as `content`, and with the line of what is no UTF-8."""
    data = content(path, most)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8 text", file=path, line=line, accepted=accepted) from None


def check(path: Path, most: int = TABLE) -> None:
    """Refuse what `opened` refuses, for readers that open the file themselves. InputError."""
    opened(path, most).close()


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISFIFO, "a FIFO"), (stat.S_ISCHR, "a character device"), (stat.S_ISBLK, "a block device"))
    return next((name for of, name in kinds if of(mode)), "a socket")
