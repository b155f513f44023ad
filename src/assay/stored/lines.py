"""Files of JSON lines that grow at their end, and JSON documents: written so that no failure costs what was there."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from assay import left_names, output_file
from assay.stored import seal

FULL = (errno.ENOSPC, errno.EDQUOT)
FRESH = ".assay-"  # how names of files begin that are being written
TORN = " (cut short)\n"
ALTERED = "is not what was written: its checksum does not match"
Signature = tuple[int, int, int]
MISSING: Signature = (0, 0, 0)
_PLACE = re.compile(rb',"seq":(\d{1,18}),"crc":"[^"]*"\}\s*\Z')
MOST_WHOLE = 2**63 - 1  # a larger integer fits in no column


def append(path: Path, line: str, closing: str = TORN) -> None:
    """Append one line and wait until it is on the disk; OSError where that fails, and then the file is as before.

    A last line that was cut short is closed first, in a way that keeps it no JSON: what is appended must not become
    its end, and where only the end of the line was lost it must not count after it was passed over.
    `closing` closes it in a file whose lines are no JSON.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        before = os.fstat(descriptor).st_size
        torn = before > 0 and os.pread(descriptor, 1, before - 1) not in (b"\n", b"")
        left = (closing * torn + line + "\n").encode("utf-8", "backslashreplace")
        try:
            while left:
                left = left[os.write(descriptor, left) :]
            os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)


def write_whole(path: Path, text: str, errors: str = "strict") -> None:
    """Write a file anew, whole or not at all."""
    with whole(path, errors=errors) as out:
        out.write(text)


@contextlib.contextmanager
def whole(path: Path, *, errors: str = "strict", newline: str | None = None) -> Iterator[TextIO]:
    """Open a file that is written anew, whole or not at all: in its folder by a new name, then renamed to its place.

    What is no regular file (a terminal, a pipe, a link), or lies in a folder that takes no new one, is written where
    it is.
    """
    there = path.exists() or path.is_symlink()
    left_names.clear(path.parent, FRESH)
    fresh = beside(path)
    out: TextIO | None = None
    if not there or (path.is_file() and not path.is_symlink()):
        try:
            out = fresh.open("x", encoding="utf-8", errors=errors, newline=newline)
        except OSError as error:
            if error.errno in FULL or not there:
                raise
    if out is None:
        with output_file.opened(path, errors=errors, newline=newline) as out:
            yield out
        return
    try:
        with out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        if there:
            shutil.copymode(path, fresh)
        fresh.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def beside(path: Path) -> Path:
    """A name in the same folder that no other file has: what is written there is renamed to `path`, or removed."""
    return path.with_name(left_names.marked(FRESH, ".new"))


def signature(path: Path) -> Signature:
    """Size, time of change (ns) and inode: what shows that a file has changed. OSError where it has none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return MISSING
    return (found.st_size, found.st_mtime_ns, found.st_ino) if stat.S_ISREG(found.st_mode) else MISSING


class LostLinesError(ValueError):
    """Lines are missing before the one of this number, which is given next."""


def numbered(path: Path) -> Iterator[tuple[int, Any]]:
    """Give the finished lines with their numbers from 1; a ValueError in place of what is no JSON, or damaged."""
    for number, _, event in numbered_lines(path):
        yield number, event


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes, Any]]:
    """Give the finished lines as `numbered` does, with their bytes.

    Damaged are: what is no JSON, a line that is not what was written by its checksum, and one whose place has passed
    (it is there twice, or in a wrong order). Where places are missing, a LostLinesError is given before the line that
    follows. A line without a checksum is taken as it is: it is older, or another program wrote it anew.
    """
    if not path.is_file():
        return
    expected = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            expected += 1
            try:
                event = json.loads(line)
                right = seal.intact(line)
                if right is False:
                    raise ValueError("its checksum does not match")
                seq = expected - 1
                if isinstance(event, dict):
                    event.pop(seal.CRC, None)
                    seq = event.pop(seal.SEQ, seq)
                if right:
                    if type(seq) is not int or seq < expected - 1:
                        expected -= 1
                        raise ValueError("is there twice, or in a wrong place")
                    if seq > expected - 1:
                        yield number, b"", LostLinesError(f"{seq - expected + 1} lines before this one are missing")
                    expected = seq + 1
                yield number, line, event
            except (ValueError, RecursionError) as error:
                yield number, line, ValueError(str(error))


def next_place(path: Path) -> int:
    """Return the place (`seq`) of the line that is appended next; what a kill left of a line counts as one."""
    if not path.is_file():
        return 0
    written = path.read_bytes().split(b"\n")
    if not written[-1]:
        written.pop()
    for behind, line in enumerate(reversed(written)):
        if seal.intact(line) and (found := _PLACE.search(line)) is not None:
            return int(found[1]) + 1 + behind
    return len(written)


def read_document(path: Path, complain: Callable[[str], None] | None = None) -> dict[str, object]:
    """Read a JSON object. ValueError where it is none; a number that is not finite, or too large, is None.

    OSError where the file cannot be read. Text that is no Unicode (half a surrogate) is replaced. Where it is not what
    was written by its checksum, `complain` is called; without one that is a ValueError.
    """
    text = path.read_bytes().decode("utf-8")
    try:
        found = json.loads(text, parse_constant=lambda _: None, parse_float=_real, parse_int=_whole)
        found = unicode(found, text.encode())
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError(f"holds {_kind(found)}, not an object")
    if seal.intact(text.encode()) is False:
        if complain is None:
            raise ValueError(ALTERED)
        complain(ALTERED)
    found.pop(seal.CRC, None)
    return found


def unicode(value: object, text: bytes) -> Any:
    """Return `value`, read from the JSON `text`, with every half surrogate replaced: no page can hold one."""
    if b"\\ud" not in text.lower():
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _kind(value: object) -> str:
    return {list: "a list", str: "text", bool: "true or false", type(None): "null"}.get(type(value), "a number")


def _real(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _whole(text: str) -> int | None:
    return value if len(text) <= 20 and abs(value := int(text)) <= MOST_WHOLE else None
