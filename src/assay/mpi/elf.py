"""What a program or a shared library needs and has: the names in its dynamic symbol table (ELF, 64 bits)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_DYNAMIC, _DYNAMIC_SYMBOLS = 6, 11  # types of sections
_NEEDED = 1  # a tag of the dynamic section
_WEAK = 2  # a binding


@dataclass(frozen=True)
class Dynamic:
    """The libraries that a file names, the symbols that it takes from others, and its own, strong and weak."""

    needed: tuple[str, ...]
    undefined: frozenset[str]
    strong: frozenset[str]
    weak: frozenset[str]


@dataclass(frozen=True)
class _Section:
    kind: int
    offset: int
    size: int
    link: int


def read_dynamic(path: Path) -> Dynamic:
    """Read it. ValueError says what the file is not; OSError where it cannot be read."""
    data = path.read_bytes()
    if data[:4] != b"\x7fELF":
        raise ValueError("is no program (not an ELF file)")
    if data[4:5] != b"\x02":
        raise ValueError("is not a program of 64 bits")
    order = "<" if data[5] == 1 else ">"
    try:
        sections = list(_sections(data, order))
        dynamic = next((each for each in sections if each.kind == _DYNAMIC), None)
        symbols = next((each for each in sections if each.kind == _DYNAMIC_SYMBOLS), None)
        needed = tuple(_needed(data, order, dynamic, sections)) if dynamic else ()
        found = list(_symbols(data, order, symbols, sections)) if symbols else []
    except (struct.error, IndexError) as error:
        raise ValueError(f"is a damaged ELF file ({error})") from None
    return Dynamic(
        needed,
        frozenset(name for name, defined, _ in found if not defined),
        frozenset(name for name, defined, weak in found if defined and not weak),
        frozenset(name for name, defined, weak in found if defined and weak),
    )


def _sections(data: bytes, order: str) -> Iterator[_Section]:
    offset = struct.unpack_from(order + "Q", data, 0x28)[0]
    size, count = struct.unpack_from(order + "HH", data, 0x3A)
    for place in range(count):
        _, kind, _, _, begin, length, link = struct.unpack_from(order + "IIQQQQI", data, offset + place * size)
        yield _Section(kind, begin, length, link)


def _text(data: bytes, strings: _Section, place: int) -> str:
    begin = strings.offset + place
    return data[begin : data.index(b"\0", begin)].decode(errors="replace")


def _needed(data: bytes, order: str, section: _Section, sections: list[_Section]) -> Iterator[str]:
    for place in range(section.offset, section.offset + section.size, 16):
        tag, value = struct.unpack_from(order + "QQ", data, place)
        if tag == _NEEDED:
            yield _text(data, sections[section.link], value)


def _symbols(data: bytes, order: str, section: _Section, sections: list[_Section]) -> Iterator[tuple[str, bool, bool]]:
    for place in range(section.offset, section.offset + section.size, 24):
        name, info, _, where = struct.unpack_from(order + "IBBH", data, place)
        if name:
            yield _text(data, sections[section.link], name), where != 0, info >> 4 == _WEAK
