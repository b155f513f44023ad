"""SI inside, people's units at the edge: a value and its unit as a person would write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

_PREFIXES = (
    (1e-12, "p"),
    (1e-9, "n"),
    (1e-6, "µ"),
    (1e-3, "m"),
    (1.0, ""),
    (1e3, "k"),
    (1e6, "M"),
    (1e9, "G"),
    (1e12, "T"),
)
MOST_COUNTED = 1e9  # from here on powers of ten are read more easily
_SMALL = ("s",)
_SHARES = ("share ", "part ")  # how the help of a figure begins that is a share of something


_PER_SECOND = re.compile(r"([a-z]+s)(?: of [a-z ]+)? per second")  # how the help of a rate begins that says of what
_COUNTED = re.compile(r"[a-z]+s/s")  # such a unit, which stands apart from its prefix


class HasUnit(Protocol):
    """What has a unit that a record explains."""

    @property
    def unit(self) -> str:
        """The SI unit."""

    @property
    def help(self) -> str:
        """What the record says of it."""


def unit_of(figure: HasUnit) -> str:
    """Return the unit that a figure is shown in: its own, or by the record's help "%" for a share, keys/s for 1/s."""
    if figure.unit == "1/s" and (counted_ones := _PER_SECOND.match(figure.help)):
        return f"{counted_ones[1]}/s"
    share = figure.unit == "1" and figure.help.startswith(_SHARES)
    return "%" if share else figure.unit


def human(value: float | None, unit: str, digits: int = 4) -> str:
    """Write a value in SI base units with the prefix that suits it: 1.2e-6 s is 1.2 µs, 2e9 B/s is 2 GB/s."""
    if value is None:
        return "–"
    if unit == "%":
        return f"{100 * value:.{digits}g}%"
    if unit in ("1", ""):
        return counted(value, digits)
    if unit == "B":
        return _bytes(value, digits)
    if unit.isupper() and "/" not in unit:  # a customary unit, such as DMIPS, takes no prefix
        return f"{value:,.0f} {unit}" if abs(value) >= 1000 else f"{value:.{digits}g} {unit}"
    size = abs(float(f"{value:.{digits}g}"))  # as it will be written: 999.9999 ps is 1 ns
    prefixes = [p for p in _PREFIXES if (unit in _SMALL and p[0] <= 1) or (unit not in _SMALL and p[0] >= 1)]
    if unit == "s/B" or unit.startswith("J/"):
        prefixes = [p for p in _PREFIXES if p[0] <= 1]
    factor, name = prefixes[0]
    for candidate, letter in prefixes:
        if size >= candidate:
            factor, name = candidate, letter
    if _COUNTED.fullmatch(unit):
        return f"{value / factor:.{digits}g} {name}{' ' if name else ''}{unit}"
    return f"{value / factor:.{digits}g} {name}{unit.removeprefix('1') if name or unit == '1/s' else unit}"


def counted(value: float, digits: int = 4) -> str:
    """Write a number that takes no prefix: one of up to nine digits with its thousands apart, not as 1.2e+04."""
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if "e+" in text and abs(value) < MOST_COUNTED else text


def _bytes(value: float, digits: int) -> str:
    for factor, name in ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB")):
        if abs(value) >= factor:
            return f"{value / factor:.{digits}g} {name}"
    return f"{value:.{digits}g} B"


def params(case: Mapping[str, object]) -> str:
    """Write a case's parameters in one short text; unknown ones are left out."""
    return ", ".join(f"{key} {_short(key, value)}" for key, value in case.items() if value is not None)


# Values whose bare name could be taken for another's: what stands in memory is no rate of the storage.
_SAID = {("source", "cache"): "page cache (memory, not storage)"}


def few(names: Sequence[str], most: int = 3) -> str:
    """The first of some names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _short(key: str, value: object) -> str:
    if isinstance(value, str) and (key, value) in _SAID:
        return _SAID[key, value]
    if key != "bytes" or not isinstance(value, int):
        return str(value)
    return human(float(value), "B", 5) if value % 1024 == 0 else f"{value} B"


def amount(value: float, unit: str) -> str:
    """As `human`, of what a paper prints, cycles with it: three digits of what has no unit of measure."""
    return f"{value:.3g} cycles" if unit == "cycle" else f"{value:.3g}" if unit == "1" else human(value, unit)
