"""The line of a key in a TOML file: the standard reader has no positions, an error message needs them.

A scan of the text for table headers, keys and the strings that may hide either (TOML 1.0, sections Keys, Table,
String).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Path = tuple[str | int, ...]

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]\]?")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))


def _balance(line: str, depth: int, quote: str) -> tuple[int, str]:
    """How many brackets are open after this line, and which multi-line string quote, if any."""
    at = 0
    while at < len(line):
        if quote:
            end = line.find(quote, at)
            if end < 0:
                return depth, quote if len(quote) == 3 else ""
            at, quote = end + len(quote), ""
        elif line.startswith(('"""', "'''"), at):
            quote, at = line[at : at + 3], at + 3
        elif line[at] in "\"'":
            quote, at = line[at], at + 1
        elif line[at] == "#":
            break
        else:
            depth += (line[at] in "[{") - (line[at] in "]}")
            at += 1
    return depth, quote if len(quote) == 3 else ""


def positions(text: str) -> Iterator[tuple[Path, int]]:
    """Every table and key of the text with its line, counted from 1; an array of tables has its index in the path."""
    table: Path = ()
    counts: dict[Path, int] = {}
    depth, quote = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if depth <= 0 and not quote:
            if header := _HEADER.match(line):
                table = _parts(header[2])
                if header[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                yield table, number
                continue
            if key := _KEY.match(line):
                yield (*table, *_parts(key[1])), number
        depth, quote = _balance(line, depth, quote)


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line of the key, or of the nearest table around it that is written down; None where there is none.

    `[traffic.flits]` is the key `traffic.flits`, too; list indices that the file spells in one line are ignored.
    """
    return find_key(text, path)[0]


def find_key(text: str, path: Sequence[str | int]) -> tuple[int | None, int]:
    """As line_of, and how many of the keys are written down there."""
    found: dict[Path, int] = {}
    for known, number in positions(text):
        found.setdefault(known, number)
    wanted: Path = tuple(path)
    while wanted:
        if wanted in found:
            return found[wanted], len(wanted)
        below = [number for known, number in found.items() if known[: len(wanted)] == wanted]
        if below:
            return min(below), len(wanted)
        wanted = wanted[:-1]
    return None, 0
