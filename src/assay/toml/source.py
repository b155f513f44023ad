"""A TOML file as read: its values, its text, and errors with their place in it."""

from __future__ import annotations

import copy
import functools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from typing import TypeAlias

from assay import input_file
from assay.errors import InputError
from assay.toml import lines
from assay.versions import KEY, Form, current

TomlValue: TypeAlias = "str | int | float | date | time | list[TomlValue] | dict[str, TomlValue]"  # bool is an int
TomlTable: TypeAlias = dict[str, TomlValue]
Keys = tuple[str | int, ...]  # of nested tables, outermost first; entries of lists are counted from 0


def table_at(tree: Mapping[str, object], key: str) -> dict[str, object]:
    """The table at a key of one that is read; empty without one."""
    found = tree.get(key)
    return found if isinstance(found, dict) else {}


def tables_of(tree: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """The tables of a file by name, without its other keys."""
    return {name: table for name, table in tree.items() if isinstance(table, dict)}


@dataclass(frozen=True)
class Source:
    """The text that values came from, and what was set from outside: keys, and the words of the --set.

    `variant`: the table of the file whose keys replace those at the top, key by key and lists as a whole.
    """

    path: Path
    text: str = field(repr=False)
    overrides: tuple[tuple[Keys, str], ...] = ()
    variant: Keys = ()

    def error(
        self, keys: Sequence[str | int], problem: str, *, value: object = None, accepted: str | None = None
    ) -> InputError:
        """An error about this key: at its line, at the --set that gave it, or at the file's first line
        where neither it nor a table around it is written down. Without keys it is about the file.
        """
        dotted = ".".join(str(key) for key in keys)
        for given, words in self.overrides:
            if keys and (tuple(keys[: len(given)]) == given or given[: len(keys)] == tuple(keys)):
                return InputError(problem, file=f"--set {words}", key=dotted, value=value, accepted=accepted)
        place = self._place(keys)
        line = (lines.line_of(self.text, place) or (1 if self.text else None)) if keys else None
        dotted = ".".join(str(key) for key in place)
        return InputError(problem, file=self.path, line=line, key=dotted or None, value=value, accepted=accepted)

    def states(self, keys: Sequence[str | int]) -> bool:
        """Whether this key itself is written down, or was set from outside."""
        outside = any(given == tuple(keys) for given, _ in self.overrides)
        places = {tuple(keys), (*self.variant, *keys)}
        return outside or any(lines.find_key(self.text, place)[1] == len(place) for place in places)

    def _place(self, keys: Sequence[str | int]) -> Keys:
        """The keys as the file has them: in the variant where that has it, or the list around it."""
        plain, varied = tuple(keys), (*self.variant, *keys)
        depth = lines.find_key(self.text, varied)[1] - len(self.variant)
        if not self.variant or depth < 1:
            return plain
        in_list = any(isinstance(key, int) for key in plain[:depth])
        return varied if in_list or depth >= lines.find_key(self.text, plain)[1] else plain


def read(path: Path, form: Form) -> tuple[TomlTable, Source]:
    """Read a file of a form: its values without its version, which may be left out, and where they came from.

    InputError where it cannot be read, is not TOML, or is of a newer version.
    """
    text = input_file.text(path, accepted="a TOML file")
    tree, source = copy.deepcopy(_parsed_once(text, path)), Source(path, text)

    def refusal(problem: str, value: object, accepted: str) -> InputError:
        return source.error((KEY,), problem, value=value, accepted=accepted)

    return current(form, tree, refusal), source


@functools.lru_cache(maxsize=64)
def _parsed_once(text: str, path: Path) -> TomlTable:
    """The tables of a text, which several readers of one command copy: a description, its origins, its kinds."""
    return parse_toml(text, path)


def tables(path: Path) -> tuple[TomlTable, Source]:
    """Read a file unchanged, its version among its keys. InputError where it cannot be read or is not TOML."""
    text = input_file.text(path, accepted="a TOML file")
    return parse_toml(text, path), Source(path, text)


def parse_toml(text: str, path: Path, first: int = 1) -> TomlTable:
    """Parse TOML that begins at line `first` of a file. InputError names the line where it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, position = str(error).rpartition(" (at ")
        found = re.match(r"line (\d+)", position)
        at = int(found[1]) if found else max(1, len(text.splitlines()))  # "at end of document"
        # The standard reader names a table as Python's tuple: ('network',)
        plain = re.sub(r"\(('[^']*'(, )?,?)+\)", lambda found: ".".join(re.findall("'([^']*)'", found[0])), problem)
        raise InputError(f"is not TOML: {plain or error}", file=path, line=first + at - 1) from None
    except (ValueError, RecursionError) as error:  # a date that does not exist, a number of too many digits
        raise InputError(f"is not TOML: {error}", file=path, line=first + _refused_line(text) - 1) from None


def _refused_line(text: str) -> int:
    """The first line that the reader refuses by itself for another reason than its syntax; 1 where there is none."""
    for number, line in enumerate(text.splitlines(), 1):
        try:
            tomllib.loads(line)
        except tomllib.TOMLDecodeError:
            continue
        except (ValueError, RecursionError):
            return number
    return 1
