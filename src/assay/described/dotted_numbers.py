"""Numbers in a description's tables by dotted key (`protocol.0.startup`), read and replaced in SI units."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from assay.machine import units
from assay.toml.overriding import keys_of

TICKS = re.compile(r"_ticks$")


def number_at(tables: Mapping[str, object], dotted: str) -> tuple[float, str]:
    """A number in SI units and the unit that it is written in ("" for a bare number). LookupError where there is none.

    A number that is written as a rate is one: "2.5 MB/s" is 2.5e6.
    """
    value: object = tables
    for key in keys_of(dotted):
        if isinstance(value, list) and isinstance(key, int):
            value = value[key]
        elif isinstance(value, Mapping):
            value = value[str(key)]
        else:
            raise LookupError(dotted)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise LookupError(dotted)
    if not isinstance(value, str):
        return float(value), ""
    try:
        written = value.split()[-1] if " " in value.strip() else ""
        return read_as(value, written), written
    except ValueError:
        raise LookupError(dotted) from None


def read_as(value: str | float, written: str) -> float:
    """A number in the SI unit that `written` belongs to; ValueError where it is none.

    Of "ns/B" a rate is taken as its inverse.
    """
    return units.quantity(str(value), str(units.unit(written)[0]) if written else "1")


def replaced(tables: Mapping[str, object], values: Mapping[str, float]) -> dict[str, object]:
    """A copy of the tables with other numbers (SI) at these keys, each in the unit that is written there.

    Ticks and lengths stay whole, and ticks positive. LookupError where there is no such number.
    """
    made = copy.deepcopy(dict(tables))
    for dotted, value in values.items():
        _, written = number_at(made, dotted)
        *outer, last = keys_of(dotted)
        holder: Any = made
        for key in outer:
            holder = holder[key if isinstance(holder, list) else str(key)]
        holder[last if isinstance(holder, list) else str(last)] = _text(holder[str(last)], dotted, value, written)
    return made


def _text(before: object, dotted: str, value: float, written: str) -> str | int | float:
    if not written:
        return max(1, round(value)) if TICKS.search(dotted) else round(value) if isinstance(before, int) else value
    si, factor = units.unit(written)
    scaled = value if si != "B" else float(round(value))
    return f"{scaled / float(factor):.12g} {written}"
