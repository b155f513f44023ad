"""Reading the small files of /proc, /sys and /etc: a missing or garbled file is None, never an exception."""

from __future__ import annotations

import math
import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict


class HostPart(BaseModel):
    """A part of what is known of a host; `notes` lists what could not be determined."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    notes: tuple[str, ...] = ()


def text(path: Path) -> str | None:
    """The stripped contents of a file; None where it cannot be read or is empty."""
    try:
        return path.read_bytes().decode("utf-8", "replace").strip("\0\n\t ") or None
    except (OSError, ValueError):
        return None


def number(path: Path) -> int | None:
    """The whole number that a file holds; None where it holds none."""
    found = text(path)
    try:
        return None if found is None else int(found, 0)
    except ValueError:
        return None


def real(words: str | None) -> float | None:
    """The finite number that the words are; None where they are none."""
    try:
        found = float(words or "")
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def size(words: str | None) -> int | None:
    """Bytes of `32K`, `1024 kB`, `2M`; K, M and G are powers of 1024, as the kernel means them."""
    match = re.fullmatch(r"(\d+)\s*([KMGT]?)i?B?", (words or "").strip(), re.IGNORECASE)
    return int(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ") if match else None


def cpus(words: str | None) -> tuple[int, ...] | None:
    """The CPU numbers of a list such as `0-3,8`; None where it is garbled or missing."""
    found: list[int] = []
    for span in (words or "").replace(" ", "").split(","):
        first, dash, last = span.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            return None
        if dash and not int(first) <= int(last) <= int(first) + 100_000:
            return None
        found.extend(range(int(first), int(last or first) + 1))
    return tuple(sorted(set(found)))


def mask(words: str | None) -> tuple[int, ...] | None:
    """The CPU numbers of a mask, hexadecimal words of 32 bits with the highest first; None where it is garbled."""
    parts = (words or "").split(",")
    if not all(re.fullmatch(r"(0x)?[0-9a-fA-F]{1,8}", part) for part in parts):
        return None
    number = int("".join(part.removeprefix("0x").zfill(8) for part in parts), 16)
    return tuple(bit for bit in range(number.bit_length()) if number >> bit & 1)


def spans(numbers: tuple[int, ...]) -> str:
    """The other way round: `(0, 1, 2, 8)` as `0-2,8`."""
    parts: list[list[int]] = []
    for each in sorted(numbers):
        if parts and each == parts[-1][1] + 1:
            parts[-1][1] = each
        else:
            parts.append([each, each])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)


def pairs(words: str | None, separator: str) -> dict[str, str]:
    """`key SEPARATOR value` lines as a dictionary; the first of a key wins, lines without the separator are passed."""
    found: dict[str, str] = {}
    for line in (words or "").splitlines():
        key, separated, value = line.partition(separator)
        if separated and key.strip():
            found.setdefault(key.strip(), value.strip().strip('"'))
    return found


def numbered_entries(folder: Path, stem: str) -> list[tuple[int, Path]]:
    """The entries `stem0`, `stem1`, … of a folder with their numbers, in order."""
    try:
        names = [path for path in folder.iterdir() if re.fullmatch(re.escape(stem) + r"\d+", path.name)]
    except OSError:
        return []
    return sorted((int(path.name[len(stem) :]), path) for path in names)


def entries(folder: Path) -> list[Path]:
    """What lies in a folder, by name; nothing where it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
