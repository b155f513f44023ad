"""[[protocol]] of a description from lines by length, with what of each number is known.

The network carries a byte in the least time of any range, for which it must be known well; what a range takes more is
copying, by the sender unless both directions at once show that the receiver copies as well (`wire_parts`). What of the
constant part either end spends is in `divisions`: half of it, by assumption, where no benchmark shows it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.fitting.divisions import Division
from assay.fitting.estimates import Estimates
from assay.fitting.length_lines import FELT, LengthLine, LengthLines
from assay.fitting.wire_parts import WireParts
from assay.toml.source import TomlTable

Floats = NDArray[np.float64]
HALF = "half of a message's constant part, how it divides is assumed"
NEGLIGIBLE = 1e-3  # of a range's time at its longest message: a copy below it is rounding
LEAST_PER_BYTE = 1e-13  # s/B
MOST_RECEIVED = 0.98  # of the constant part, that the receiver has


def wire(lines: Sequence[LengthLine]) -> tuple[float, Floats]:
    """Seconds per byte of the network, with draws: of the range whose time per byte is surely the least."""
    straight = [each for each in lines if each.determined]
    felt = [each for each in straight if each.beta * each.greatest > FELT * (each.alpha + each.beta * each.greatest)]
    least = min(felt or straight[-1:], key=lambda each: each.beta + float(np.std(each.betas)))
    return max(least.beta, LEAST_PER_BYTE), np.maximum(least.betas, LEAST_PER_BYTE)


def parts(line: LengthLine, per_byte: float, per_bytes: Floats) -> tuple[float, Floats, float, Floats]:
    """Constant part (s) and copying (s/B) of a range over a network of `per_byte`, each with draws.

    Where the range's own time per byte is no more, it is the network's, and the constant part keeps the times by least
    squares of relative errors.
    """
    lengths = np.geomspace(max(line.least, 1.0), max(line.greatest, 1.0), 20)
    weights = 1 / (line.alpha + line.beta * lengths) ** 2
    at = float((weights * lengths).sum() / weights.sum())
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
    bytes_of: WireParts,
    source: str,
    made: Estimates,
    requests_first: Sequence[bool],
) -> tuple[list[TomlTable], dict[str, str]]:
    """The entries, shortest messages first, and the origins of their numbers; the numbers are entered in `made`.

    `corrections`: seconds that the network itself takes of each range's shortest messages. `requests_first`: of each
    range, whether a request and a reply go before a message.
    """
    network = bytes_of.network
    tables: list[TomlTable] = []
    origin: dict[str, str] = {}
    for at, line in enumerate(found.lines):
        key = f"protocol.{at}"
        whole, wholes, copying, copies = parts(line, *network)
        ends = max(whole - corrections[at], 0.0), np.maximum(wholes - corrections[at], 0.0)
        entry: TomlTable = {}
        measured = f"echo (of {source})" if line.determined else f"echo, whose readings are bounds (of {source})"
        if line.up_to is not None and line.limits is not None:
            entry["up_to"] = made.add([f"{key}.up_to"], line.up_to, "B", line.limits)
            origin[f"{key}.up_to"] = f"fitted: {measured}"
        division = divisions[at]
        if division.receive is not None:
            answer = 0.0 if division.answer is None or not requests_first[at] else division.answer
            entry |= _received(key, (ends[0], np.maximum(ends[1] - answer, 0.02 * ends[1])), division.receive, made)
            origin |= dict.fromkeys(
                (f"{key}.startup", f"{key}.receive"), f"fitted: {division.known}, echo (of {source})"
            )
        elif division.senders is None or division.receivers is None:
            entry |= _halves(key, *ends, source, made, origin)
        else:
            own = min(whole * division.sender, ends[0]), np.minimum(wholes * division.senders, ends[1])
            rest = ends[0] - own[0], ends[1] - own[1]
            entry["startup"] = made.add([f"{key}.startup"], own[0], "ns", own[1])
            entry["receive"] = made.add([f"{key}.receive"], rest[0], "ns", rest[1])
            if division.buffered:
                entry["buffered"] = True
            origin |= dict.fromkeys(
                (f"{key}.startup", f"{key}.receive"), f"fitted: {division.known}, echo (of {source})"
            )
        sender, senders = 1 - bytes_of.receiver, 1.0 if bytes_of.receivers is None else 1 - bytes_of.receivers
        entry["copy"] = made.add([f"{key}.copy"], sender * copying, "ns/B", senders * copies)
        origin[f"{key}.copy"] = f"fitted: {measured}"
        if bytes_of.receivers is not None:
            received = bytes_of.receiver * copying, bytes_of.receivers * copies
            entry["receive_copy"] = made.add([f"{key}.receive_copy"], received[0], "ns/B", received[1])
            origin[f"{key}.receive_copy"] = f"fitted: bandwidth both ways, echo (of {source})"
        if requests_first[at]:
            entry["handshake"] = True
        tables.append(entry)
    return tables, origin


def _received(key: str, whole: tuple[float, Floats], receive: tuple[float, Floats], made: Estimates) -> TomlTable:
    """What the receiver's processor takes, and the sender the rest."""
    own = min(receive[0], MOST_RECEIVED * whole[0]), np.minimum(receive[1], MOST_RECEIVED * whole[1])
    startup = made.add([f"{key}.startup"], whole[0] - own[0], "ns", whole[1] - own[1])
    return {"startup": startup, "receive": made.add([f"{key}.receive"], own[0], "ns", own[1])}


def _halves(key: str, whole: float, wholes: Floats, source: str, made: Estimates, origin: dict[str, str]) -> TomlTable:
    keys = [f"{key}.startup", f"{key}.receive"]
    half = made.add(keys, whole / 2, "ns", wholes / 2)
    origin |= dict.fromkeys(keys, f"fitted: echo ({HALF}; of {source})")
    return {"startup": half, "receive": half}
