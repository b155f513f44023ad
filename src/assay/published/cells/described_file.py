"""A description's file as a table: its origins, a number by its dotted key, and the same description with others.

Keys of lists count from 0: `protocol.1.startup`. Numbers of the network that count ticks stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay import versions
from assay.described import published_name
from assay.described.machine_file import DescribedMachine, load
from assay.errors import InputError
from assay.machine import units
from assay.published.cells import origins
from assay.toml import source as toml
from assay.toml.source import TomlTable, TomlValue, table_at

TICKS = re.compile(r"_ticks$")


@dataclass(frozen=True)
class DescribedFile:
    """A description's file, read but not validated."""

    path: Path
    table: TomlTable
    published: str
    origin: dict[str, str] = field(default_factory=dict)


def read(path: Path) -> DescribedFile:
    """Read a file. InputError where it is not TOML, or where an origin cannot be read."""
    table, source = toml.read(path, versions.MACHINE)
    named = str(table.get("published", table.get("name", path.stem)))
    found = DescribedFile(path, table, named, {key: str(text) for key, text in table_at(table, "origin").items()})
    if isinstance(stated := table.get("published"), str):
        published_name.check(stated, source)
    origins.check(found.origin, found.published, path, source.text)
    return found


def _value(table: TomlTable, key: str) -> TomlValue:
    value: TomlValue = table
    for part in key.split("."):
        if isinstance(value, list) and part.isdigit():
            value = value[int(part)]
        elif isinstance(value, dict) and not part.isdigit():
            value = value[part]
        else:
            raise LookupError(key)
    return value


def value_at(described: DescribedFile, key: str) -> tuple[float, str]:
    """A number (SI) and the unit that it is written in ("" for a bare number). InputError where there is none."""
    try:
        value = _value(described.table, key)
    except LookupError:
        raise InputError("names no number of the file", file=described.path, key=f"origin.{key}") from None
    if isinstance(value, str):
        written = value.split()[-1] if " " in value else ""
        si = units.unit(written)[0] if written else "1"
        return units.quantity(value, si), written
    if not isinstance(value, (int, float)):
        raise InputError("names no number of the file", file=described.path, key=f"origin.{key}")
    return float(value), ""


def variant_of(key: str) -> str:
    """The variant that a dotted key belongs to; "" for the description itself."""
    words = key.split(".")
    return words[1] if words[0] == "variant" else ""


def with_values(described: DescribedFile, values: Mapping[str, float], variant: str = "") -> DescribedMachine:
    """The description, or a variant of it, with other numbers (SI) at these keys; times of the network in whole cycles.

    Numbers of other variants are left as they are.
    """
    cycle = value_at(described, "network.cycle")[0] if "network" in described.table else 0.0
    texts = {"variant": variant} if variant else {}
    for whole_key, value in sorted(values.items(), key=lambda each: variant_of(each[0]) != ""):  # a variant's own last
        if variant_of(whole_key) not in ("", variant):
            continue
        key = whole_key.removeprefix(f"variant.{variant}.")
        written = value_at(described, whole_key)[1]
        if not written:
            texts[key] = str(round(value)) if TICKS.search(key) else f"{value:.12g}"
            continue
        whole = round(value / cycle) * cycle if TICKS.search(key) else value
        texts[key] = f"{whole / float(units.unit(written)[1]):.12g} {written}"
    return load(described.path, texts)


def shown(value: float, written: str) -> str:
    """A number (SI) in the unit that the file writes it in."""
    if not written:
        return f"{value:.5g}"
    return f"{value / float(units.unit(written)[1]):.5g} {written}"
