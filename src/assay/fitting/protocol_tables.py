"""[[protocol]] of a description from lines by length, with what of each number is known.

The network carries a byte in the least time of any range, for which it must be known well; what a range takes more is
copying by the sender. What of the constant part, and of the copying, either end spends is in `Division`: halves and the
sender, by assumption, where no benchmark shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.fitting.estimates import Estimates
from assay.fitting.length_lines import LengthLine, LengthLines

Floats = NDArray[np.float64]
HALF = "half of a message's constant part, how it divides is assumed"
NEGLIGIBLE = 1e-3  # of a range's time at its longest message: a copy below it is rounding
LEAST_PER_BYTE = 1e-13  # s/B


@dataclass(frozen=True)
class Division:
    """What part of a message's processor time its sender spends, of the start-up and of copying; draws of both.

    `known`: from which benchmark; empty where it is assumed.
    """

    startup: float = 0.5
    startups: Floats | None = None
    copying: float = 1.0
    known: str = ""


def wire(lines: Sequence[LengthLine]) -> tuple[float, Floats]:
    """Seconds per byte of the network, with draws: of the range whose time per byte is surely the least."""
    straight = [each for each in lines if each.determined]
    least = min(straight, key=lambda each: each.beta + float(np.std(each.betas)))
    return max(least.beta, LEAST_PER_BYTE), np.maximum(least.betas, LEAST_PER_BYTE)


def parts(line: LengthLine, per_byte: float, per_bytes: Floats) -> tuple[float, Floats, float, Floats]:
    """Constant part (s) and copying (s/B) of a range over a network of `per_byte`, each with draws.

    Where the range's own time per byte is no more, it is the network's, and the constant part keeps the time of the
    middle of the range.
    """
    at = (line.least + line.greatest) / 2
    copying, copies = max(line.beta - per_byte, 0.0), np.maximum(line.betas - per_bytes, 0.0)
    whole = line.alpha + line.beta * line.greatest
    if copying * line.greatest < NEGLIGIBLE * whole:
        copying, copies = 0.0, np.zeros_like(copies)
    constant = max(line.alpha + (line.beta - per_byte - copying) * at, 0.0)
    constants = np.maximum(line.alphas + (line.betas - per_bytes - copies) * at, 0.0)
    return constant, constants, copying, copies


def protocol_tables(
    found: LengthLines,
    divisions: Sequence[Division],
    corrections: Sequence[float],
    network: tuple[float, Floats],
    source: str,
    made: Estimates,
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The entries, shortest messages first, and the origins of their numbers; the numbers are entered in `made`.

    `corrections`: seconds that the network itself takes of each range's shortest messages.
    """
    tables, origin = [], {}
    for at, line in enumerate(found.lines):
        key = f"protocol.{at}"
        whole, wholes, copying, copies = parts(line, *network)
        whole, wholes = max(whole - corrections[at], 0.0), np.maximum(wholes - corrections[at], 0.0)
        entry: dict[str, Any] = {}
        measured = f"echo (of {source})" if line.determined else f"echo, whose readings are bounds (of {source})"
        if line.up_to is not None and line.limits is not None:
            entry["up_to"] = made.add([f"{key}.up_to"], line.up_to, "B", line.limits)
            origin[f"{key}.up_to"] = f"fitted: {measured}"
        entry |= _ends(key, whole, wholes, divisions[at], measured, made, origin)
        entry |= _copies(key, copying, copies, divisions[at], made)
        origin |= {f"{key}.{name}": f"fitted: {measured}" for name in ("copy", "receive_copy") if name in entry}
        if line.crossings > 1:
            entry["handshake"] = True
        tables.append(entry)
    return tables, origin


def _ends(
    key: str, whole: float, wholes: Floats, division: Division, measured: str, made: Estimates, origin: dict[str, str]
) -> Mapping[str, Any]:
    if division.startups is None:
        keys = [f"{key}.startup", f"{key}.receive"]
        half = made.add(keys, whole / 2, "ns", wholes / 2)
        origin |= dict.fromkeys(keys, f"fitted: echo ({HALF}; {measured.partition('(')[2]}")
        return {"startup": half, "receive": half}
    origin |= dict.fromkeys((f"{key}.startup", f"{key}.receive"), f"fitted: {division.known}, {measured}")
    return {
        "startup": made.add([f"{key}.startup"], whole * division.startup, "ns", wholes * division.startups),
        "receive": made.add([f"{key}.receive"], whole * (1 - division.startup), "ns", wholes * (1 - division.startups)),
    }


def _copies(key: str, copying: float, copies: Floats, division: Division, made: Estimates) -> Mapping[str, Any]:
    found = {}
    for name, share in (("copy", division.copying), ("receive_copy", 1 - division.copying)):
        if share > 0 or name == "copy":
            found[name] = made.add([f"{key}.{name}"], copying * share, "ns/B", copies * share)
    return found
