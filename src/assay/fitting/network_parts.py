"""[network] of a fitted description, and what it takes of a message by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.described.machine_file import check
from assay.fitting.estimates import Estimates
from assay.fitting.length_lines import LengthLine, LengthLines
from assay.published.cells.answers import Setting, play
from assay.toml.source import TomlTable, TomlValue

Floats = NDArray[np.float64]
CYCLE = 1e-12  # s
MOST_TICKS = 1e6  # of a flit
FLIT = 8  # B of a fast network, so that a flit takes many cycles


def network(
    shape: Mapping[str, TomlValue] | None,
    ranks: int,
    per_byte: tuple[float, Floats],
    found: LengthLines,
    delay: float,
    source: str,
    made: Estimates,
) -> tuple[TomlTable, dict[str, str]]:
    """[network] and the origins of its numbers: the topology where its `shape` is known, else a crossbar of `ranks`.

    `delay`: seconds that a message is on the way of a crossbar and that neither end spends.
    """
    least, leasts = per_byte
    flit, cycle = _clock(least)
    joined: TomlTable = dict(shape) if shape is not None else {"topology": "crossbar", "nodes": max(2, ranks)}
    ticks = [
        "network.flit_ticks",
        "network.body_ticks",
        *(["network.head_ticks"] if shape is None and delay <= 2 * least * flit else []),
    ]
    time = made.add(ticks, _whole(least * flit, cycle), "ns", leasts * flit)
    table: TomlTable = {
        **joined, "switching": "wormhole", "buffer_flits": 0, "cycle": f"{1e9 * cycle:g} ns",
        "flit_bytes": float(flit), "flit_ticks": time, "body_ticks": time, "head_ticks": time,
    }  # fmt: skip
    numbers = [key for key, value in joined.items() if not isinstance(value, str | bool)]
    stated = f"stated: {source}" if shape is None else f"stated: the description that {source} simulated"
    origin = {f"network.{key}": stated for key in numbers} | {
        "network.cycle": "assumed: fine enough",
        "network.flit_bytes": "assumed: short messages in whole flits",
        "network.flit_ticks": f"fitted: echo (of {source})",
        "network.body_ticks": "assumed: as flit_ticks",
        "network.head_ticks": "assumed: as flit_ticks; a crossbar has no hops",
    }
    if shape is None and delay > 2 * least * flit:
        table["head_ticks"] = f"{1e9 * _whole(delay, cycle):.6g} ns"
        table["ejection_head_ticks"] = time
        origin["network.head_ticks"] = f"fitted: what both ends leave of a message's start-up (of {source})"
    if shape is not None:
        hop = max(_whole(found.per_hop, cycle), cycle)
        table |= {"head_ticks": made.add(["network.head_ticks"], hop, "ns", found.per_hops), "node_head_ticks": 1}
        origin |= {
            "network.head_ticks": f"fitted: echo (of {source})",
            "network.node_head_ticks": "assumed: a part of the start-up",
        }
    return table, origin


def own_times(
    table: Mapping[str, TomlValue],
    found: LengthLines,
    per_byte: tuple[float, Floats],
    hops: float,
    ranks: int,
    requests_first: Sequence[bool],
    beside: Mapping[str, object],
) -> list[float]:
    """Seconds that the network takes of a message of each range beyond its bytes and hops, by simulation.

    They are a part of the constant that was measured: requests and replies, flits that are not full, interfaces.
    `requests_first`: of each range, whether a request and a reply go before a message. `beside`: other tables of the
    description that a message's way depends on.
    """
    probes = [_probe(line) for line in found.lines]
    entries: list[TomlTable] = []
    for line, requests in zip(found.lines, requests_first, strict=True):
        entry: TomlTable = {"startup": "0 ns"}
        if line.up_to is not None:
            entry["up_to"] = f"{line.up_to:.0f} B"
        if requests:
            entry["handshake"] = True
        entries.append(entry)
    bare = {"name": "network", "network": dict(table), "protocol": _different(entries), **beside}
    machine = check(bare, Path("the fitted network"))
    settings: dict[str, Setting] = {"bytes": tuple(dict.fromkeys(probes))}
    if hops:
        settings["hops"] = (int(hops),)
    elif ranks >= 2:
        settings["on_ranks"] = 2
    played = {
        each.params["bytes"]: each.value or 0.0
        for each in play(machine, "echo", settings).figures
        if each.name == "half_round_trip" and each.statistic == "median"
    }
    taken = []
    for line, probe in zip(found.lines, probes, strict=True):
        taken.append(max(played[probe] - per_byte[0] * probe - line.crossings * found.per_hop * hops, 0.0))
    return taken


def _probe(line: LengthLine) -> int:
    """A short length of a range, in whole flits where there are any."""
    highest = line.greatest if line.up_to is None else min(line.greatest, line.up_to)
    whole = -(-int(max(line.least, 1)) // FLIT) * FLIT
    return whole if whole <= highest else max(int(line.least), 1)


def as_written(per_byte: tuple[float, Floats]) -> tuple[float, Floats]:
    """Seconds per byte of the network, as its flits have them in whole cycles; draws likewise shifted."""
    least, leasts = per_byte
    flit, cycle = _clock(least)
    whole = _whole(least * flit, cycle) / flit
    return whole, leasts * (whole / least)


def _clock(least: float) -> tuple[int, float]:
    """Bytes of a flit, and seconds of a cycle."""
    flit = 1 if least > 1e-9 else FLIT
    return flit, max(CYCLE, 10.0 ** float(np.floor(np.log10(least * flit / MOST_TICKS))))


def _different(entries: list[TomlTable]) -> list[TomlTable]:
    """The entries as one for each run of equal ones, since the reader refuses an entry that repeats the one before."""
    kept: list[TomlTable] = []
    for entry in entries:
        plain = {key: value for key, value in entry.items() if key != "up_to"}
        if kept and plain == {key: value for key, value in kept[-1].items() if key != "up_to"}:
            kept[-1] = entry
        else:
            kept.append(entry)
    return kept


def _whole(seconds: float, cycle: float) -> float:
    return max(1, round(seconds / cycle)) * cycle
