"""Quantities as people write them ("70 us", "0.4 us/B", "8 MiB"), read into SI base units; waiting times in words.

A unit is a prefix and a name, or two of them with a slash. Bytes take decimal (kB, MB) and binary (KiB, MiB) prefixes,
bits are eighths of a byte, so that "200 Gbit/s" is 2.5e10 B/s. The published tables' own unit strings are data of the
catalogue, not read here.
"""

from __future__ import annotations

import re
from fractions import Fraction

_DECIMAL = {"": "1", "k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12"}
_BINARY = {"Ki": str(2**10), "Mi": str(2**20), "Gi": str(2**30), "Ti": str(2**40)}
_SMALL = {"": "1", "m": "1e-3", "u": "1e-6", "µ": "1e-6", "μ": "1e-6", "n": "1e-9", "p": "1e-12"}


def _family(name: str, si: str, prefixes: dict[str, str], scale: str = "1") -> dict[str, tuple[str, Fraction]]:
    return {prefix + name: (si, Fraction(factor) * Fraction(scale)) for prefix, factor in prefixes.items()}


# Unit as written -> (SI unit, factor).
_SIMPLE: dict[str, tuple[str, Fraction]] = {
    "1": ("1", Fraction(1)),
    "%": ("1", Fraction(1, 100)),
    "min": ("s", Fraction(60)),
    "h": ("s", Fraction(3600)),
    **dict.fromkeys(("d", "day", "days"), ("s", Fraction(86_400))),
    "cycle": ("cycle", Fraction(1)),
    "hop": ("hop", Fraction(1)),
    **_family("s", "s", _SMALL),
    **_family("B", "B", _DECIMAL | _BINARY),
    **_family("bit", "B", _DECIMAL | _BINARY, "0.125"),
    **_family("b", "B", _DECIMAL, "0.125"),
    **_family("flop", "flop", _DECIMAL),
    **_family("Hz", "1/s", _DECIMAL),
}
_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)\s*(\S*)\s*", re.ASCII)

EXAMPLES = {
    "s": '"70 us", "0.5 ms", "12 ns"',
    "s/B": '"0.4 us/B", "5 ns/B" or the rate it is the inverse of, "2.5 MB/s"',
    "B": '"8 MiB", "1024 B"',
    "B/s": '"2.8 MB/s", "200 Gbit/s"',
    "flop/s": '"40 Mflop/s"',
    "1": '"0.5", "12 %"',
    "1/s": '"8 MHz"',
}


def unit(text: str) -> tuple[str, Fraction]:
    """SI unit and exact factor of a unit's text ("MB/s" -> ("B/s", 1000000)); ValueError where it is none."""
    over, slash, under = text.partition("/")
    try:
        si, factor = _SIMPLE[over]
        if not slash:
            return si, factor
        below, divisor = _SIMPLE[under]
    except KeyError:
        raise ValueError(f"no such unit: {text!r}") from None
    return ("1" if si == below else f"{si}/{below}"), factor / divisor


class OtherUnitError(ValueError):
    """A number whose unit is none of the wanted kind."""


def quantity(text: str, wanted: str) -> float:
    """Read a number with its unit as SI `wanted`: the nearest float. ValueError names the fault.

    A rate is accepted for a time per byte, as its inverse.
    """
    match = _QUANTITY.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is no number with a unit")
    number = Fraction(match.group(1))
    if not match.group(2):
        if wanted == "1" or number == 0:
            return float(number)
        raise ValueError(f"{text!r} has no unit")
    si, factor = unit(match.group(2))
    value = number * factor
    if si != wanted:
        if {si, wanted} == {"s/B", "B/s"} and value > 0:
            return float(1 / value)
        raise OtherUnitError(f"{text!r} is in {si}, not in {wanted}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{text!r} is too large") from None


def waiting_time(seconds: float) -> str:
    """An approximate duration as text: 40 s, 3 min, 2.5 h, 12 days, 30 years."""
    day, year = 86_400, 31_557_600
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    if seconds < 3 * day:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / day:.0f} days" if seconds < 2 * year else f"{seconds / year:.0f} years"
