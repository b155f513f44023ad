"""Keys that are set from outside (`--set dotted.key=value`), put into a file's values."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.errors import InputError
from assay.toml.source import Keys


@dataclass(frozen=True)
class Override:
    """One key with its value, and the words by which errors name it."""

    keys: Keys
    value: object
    words: str


def override(dotted: str, text: str, words: str) -> Override:
    """Take a dotted key (entries of lists count from 0) and a value as typed: TOML's, or a text without quotes."""
    return Override(keys_of(dotted), _value(text), words)


def keys_of(dotted: str) -> Keys:
    """The keys of `protocol.0.startup`."""
    parts = [part.strip() for part in dotted.split(".")]
    return tuple(int(part) if part.isascii() and part.isdecimal() else part for part in parts)


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        pass
    try:
        return float(text.encode("ascii"))  # ".4", which TOML does not take
    except ValueError:
        return text.strip()


def apply_overrides(tree: Mapping[str, object], overrides: Iterable[Override]) -> dict[str, object]:
    """A copy of a file's values with these keys put in. InputError for an entry that a list does not have.

    A value in the place of a table gives way to the table.
    """
    made = copy.deepcopy(dict(tree))
    for each in overrides:
        inside: object = made
        for at, key in enumerate(each.keys[:-1]):
            inner = _at(inside, key, each, at)
            if not isinstance(inner, (dict, list)):
                inner = {}
                _put(inside, key, inner, each, at)
            inside = inner
        _put(inside, each.keys[-1], each.value, each, len(each.keys) - 1)
    return made


def _at(inside: object, key: str | int, each: Override, at: int) -> object:
    if isinstance(inside, dict):
        return inside.get(str(key))
    assert isinstance(inside, list)
    return inside[_index(inside, key, each, at)]


def _put(inside: object, key: str | int, value: object, each: Override, at: int) -> None:
    if isinstance(inside, dict):
        inside[str(key)] = value
    else:
        assert isinstance(inside, list)
        inside[_index(inside, key, each, at)] = value


def _index(entries: list[object], key: str | int, each: Override, at: int) -> int:
    if isinstance(key, int) and key < len(entries):
        return key
    name = ".".join(map(str, each.keys[:at]))
    accepted = f"{name}.0" + (f" to {name}.{len(entries) - 1}" if len(entries) > 1 else "")
    raise InputError(
        f"{name} has no entry {key}",
        file=f"--set {each.words}",
        key=".".join(map(str, each.keys)),
        accepted=accepted if entries else "another key: it is empty",
    )
