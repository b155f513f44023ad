"""Checksums of what is stored: of each line and document in JSON its last key, `crc`, and of a line its place, `seq`.

`crc` is the CRC-32, in eight hexadecimal digits, of all bytes before the comma that precedes it. `seq` counts the
lines of a file from 0. Files of before had neither and are read as they are. Programs in C++ write the same
(programs/timing/seal.hpp). Files as a whole (tables, launches) have their CRC-32 in the run's own record.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from pathlib import Path

CRC, SEQ = "crc", "seq"
_END = re.compile(rb',"crc":"([0-9a-f]{8})"\}\s*\Z')
_TAIL = 40  # bytes at the end of a line that hold its checksum
_PIECE = 2**20


def sealed(text: str, seq: int | None = None) -> str:
    """Return a JSON object's text with its checksum, and its place where it is a line of a file."""
    body = text.rstrip()[:-1]
    if seq is not None:
        body += f',"{SEQ}":{seq}'
    return f'{body},"{CRC}":"{zlib.crc32(body.encode("utf-8", "backslashreplace")):08x}"}}'


def sealed_lines(texts: Iterable[str], first: int = 0) -> str:
    """Return lines of a file, each with its place and checksum and an end of line."""
    return "".join(f"{sealed(text, seq)}\n" for seq, text in enumerate(texts, first))


def intact(data: bytes) -> bool | None:
    """Whether a line or document is what was written; None where it holds no checksum."""
    found = _END.search(data, max(0, len(data) - _TAIL))
    return None if found is None else zlib.crc32(data[: found.start()]) == int(found[1], 16)


def of_file(path: Path) -> str:
    """Return the CRC-32 of a whole file in hexadecimal digits; OSError."""
    crc = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            crc = zlib.crc32(piece, crc)
    return f"{crc:08x}"
