"""A run of the file benchmark as a description with [storage]: one I/O node, whose device is what was measured.

The base is reading from the storage, where that was measured; other directions and sources are variants of the file,
such as NAME:write and NAME:read-cache. A call is cut into stripes whose startups pass together and whose bytes take
turns, so that it takes startup + bytes * per_byte, and many together no more than the device's rate. Where each takes
some time of what all share, a call is one stripe instead, and that time and its bytes' are the I/O node's processor's.
Where operations wait for one another a call is one stripe, too, which takes longer at the device for each other there.

Besides an echo's network all of them are variants, each with its own network that takes no time: what was measured
of files has the way to them in it, and did not go by messages.
"""

from __future__ import annotations

import math
import re

from assay import versions
from assay.analysis.storage_errors import errors_across_in_words, judge_cells, missed_in_words
from assay.analysis.storage_law import LEAST_SIZES, StorageLaw, across_in_words
from assay.document.fitted_run import RunFitted, StorageFound
from assay.document.run_document import Document
from assay.document.storage_cells import RANKS, Family, laws
from assay.errors import InputError
from assay.fitting import storage_known
from assay.fitting.estimates import Estimates
from assay.toml.source import TomlTable
from assay.toml.writing import write_toml

RULE = "of the rates of each number of operations in flight every second block, ends included; docs/files.md"
LEAST_STRIPE, FINER, MOST = 512, 8, 65536


def storage_variants(
    document: Document, known: Estimates
) -> tuple[dict[str, TomlTable], dict[str, str], list[str], list[StorageFound]]:
    """[variant.NAME] of each direction and source, origins, comments, and what was fitted; all empty without rates.

    What is known of the numbers is entered in `known`.
    """
    tables: dict[str, TomlTable] = {}
    origin: dict[str, str] = {}
    comments: list[str] = []
    fitted: list[StorageFound] = []
    for family, law in laws(document.benchmarks).items():
        name = _name(family)
        tables[name] = {**TIMELESS, "storage": _storage(law), "defaults": _defaults(family)}
        origin |= {f"variant.{name}.{key}": why for key, why in TIMELESS_ORIGIN.items()}
        origin |= _origin(f"variant.{name}.storage", family, law, f"run {document.run}")
        comments += [f"{name}: {line}" for line in words(family, law)]
        fitted.append(_of_law(name, family, law))
        storage_known.enter({"variant": tables}, f"variant.{name}.storage", law, known, len(fitted))
    return tables, origin, comments, fitted


def storage_description(document: Document) -> tuple[str, RunFitted]:
    """The text of a TOML file, and what was fitted. InputError where the run has too few rates."""
    found = laws(document.benchmarks)
    if not found:
        raise InputError(
            "holds neither an echo of three fitted lengths (five measured ones) nor rates of file-rate or "
            f"parallel-files by {LEAST_SIZES} block sizes, with one process, depth 1 and a source that is known",
            key="run",
            value=document.run,
        )
    source = f"run {document.run}"
    name = re.sub(r"[^A-Za-z0-9._-]", "-", str(document.machine)) or "machine"
    (base, *others) = [(_name(family), family, law) for family, law in found.items()]
    tables: TomlTable = {**TIMELESS, "storage": _storage(base[2]), "defaults": _defaults(base[1])}
    tables["variant"] = {
        each: {"storage": _storage(law), "defaults": _defaults(family)} for each, family, law in others
    }
    origin = dict(TIMELESS_ORIGIN)
    for prefix, (_, family, law) in (("", base), *((f"variant.{each[0]}.", each) for each in others)):
        origin |= _origin(prefix + "storage", family, law, source)
    comments = [f"Fitted to {source} of {document.machine}, half of its cells: `assay fit`."]
    comments += [f"{name if at == 0 else f'{name}:{each}'}: {line}" for at, (each, family, law) in
                 enumerate((base, *others)) for line in words(family, law)]  # fmt: skip
    head = {"name": name, "title": f"{document.machine}, its files as measured", "source": source}
    known = Estimates()
    for at, (each, _, law) in enumerate((base, *others)):
        storage_known.enter(tables, "storage" if at == 0 else f"variant.{each}.storage", law, known, at)
    whole = {**head, **tables, "origin": origin, "uncertainty": known.table(RULE)}
    text = write_toml(versions.marked(versions.MACHINE, whole), comments)
    return text, {
        "machine": document.machine,
        "run": document.run,
        "storage": [_of_law(each, family, law) for each, family, law in (base, *others)],
        "uncertainty": known.listed(RULE),
    }


NETWORK: TomlTable = {
    "topology": "crossbar", "nodes": 256, "switching": "wormhole", "buffer_flits": 0, "cycle": "1 ns",
    "flit_bytes": 65536, "flit_ticks": 1, "body_ticks": 1, "head_ticks": 1,
}  # fmt: skip
PROTOCOL: TomlTable = {"startup": "0 ns", "receive": "0 ns"}
TIMELESS: TomlTable = {"network": NETWORK, "protocol": [PROTOCOL]}
TIMELESS_ORIGIN = {
    **{f"network.{key}": "assumed: a network that takes no time: files are local" for key in NETWORK},
    **{f"protocol.0.{key}": "assumed: as the network" for key in PROTOCOL},
}


def _name(family: Family) -> str:
    return "-".join([family[0], *family[1:2] * (family[1] != "device"), *[RANKS] * (family[2] == RANKS)])


def _defaults(family: Family) -> TomlTable:
    """What file-rate does where a person sets no direction: what was measured."""
    return {"direction": "write" if family[0] == "write" else "read"}


def _storage(law: StorageLaw) -> TomlTable:
    if law.contended:
        return _contended(law)
    sizes = [cell.bytes for cell in law.cells]
    limited = law.limit > (1 + 1e-9) / law.per_byte  # what one process reaches is less than what all do
    whole = law.each > 0  # a call is one request
    stripe = max(LEAST_STRIPE, max(sizes) if whole else math.gcd(*sizes) // (FINER if limited else 1))
    client = law.per_byte - 1 / law.limit if whole else law.per_byte if limited else 0.0
    table: TomlTable = {"io_nodes": 1, "stripe": f"{stripe} B"}
    table["outstanding"] = min(MOST, -(-max(sizes) // stripe))
    shared = f"{1e9 / law.limit:.6g} ns/B"
    table["request"] = f"{1e9 * law.each:.6g} ns"  # a variant has this and the next two of the base else
    table["per_byte"] = shared if whole else "0 ns/B"
    table["client_per_byte"] = f"{1e9 * max(client, 0.0):.6g} ns/B"
    table["device"] = {
        "access": f"{1e9 * (law.startup - law.each):.6g} ns",
        "per_byte": "0 ns/B" if whole else shared,
        "at_once": MOST,
    }
    return table


def _contended(law: StorageLaw) -> TomlTable:
    device: TomlTable = {
        "access": f"{1e9 * law.startup:.6g} ns",
        "per_byte": "0 ns/B",
        "own_per_byte": f"{1e9 * law.per_byte:.6g} ns/B",
        "beside": f"{1e9 * law.each:.6g} ns",
        "beside_per_byte": f"{1e9 / law.limit:.6g} ns/B",
        "at_once": MOST,
    }
    stripe = max(LEAST_STRIPE, max(cell.bytes for cell in law.cells))
    ways = {"request": "0 ns", "per_byte": "0 ns/B", "client_per_byte": "0 ns/B"}
    return {"io_nodes": 1, "stripe": f"{stripe} B", "outstanding": 1, **ways, "device": device}


def _origin(key: str, family: Family, law: StorageLaw, source: str) -> dict[str, str]:
    benchmark = "parallel-files" if family[2] == RANKS else "file-rate"
    cells = f"{benchmark}, {' '.join(family)} (of {source})"
    made = {f"{key}.{each}": "assumed: one device of its own" for each in ("io_nodes", "outstanding", "device.at_once")}
    fits = "as long as the longest block" if law.each or law.contended else "divides all blocks"
    made[f"{key}.stripe"] = f"assumed: {fits} measured"
    made[f"{key}.request"] = f"fitted: {cells}" if law.each else "assumed: no operation takes time of what all share"
    made[f"{key}.device.access"] = f"fitted: {cells}"
    if law.contended:
        made[f"{key}.request"] = "assumed: operations wait for one another at the device"
        made |= {f"{key}.device.{each}": f"fitted: {cells}" for each in ("beside", "beside_per_byte")}
        made[f"{key}.device.own_per_byte"] = f"fitted: {cells}, one process"
        passed = "assumed: bytes take time at one place only"
        return made | {f"{key}.{each}": passed for each in ("per_byte", "device.per_byte", "client_per_byte")}
    shared = f"fitted: {cells}" if law.limited else "assumed: as one process; no cell with several was fitted"
    ways = (f"{key}.per_byte", f"{key}.device.per_byte")
    made[ways[not law.each]] = shared
    made[ways[bool(law.each)]] = "assumed: bytes take time at one place only"
    made[f"{key}.client_per_byte"] = f"fitted: {cells}, one process"
    return made


def words(family: Family, law: StorageLaw) -> list[str]:
    """The law and its errors in sentences."""
    between = across_in_words(law.interval, law.launches, law.measured)
    beside, halves = "", ""
    if law.spread:
        a, b = law.startup_between, law.per_byte_between
        least, most = law.n_half_between
        between += f": {1e6 * a[0]:.4g} to {1e6 * a[1]:.4g}"
        beside, halves = f" ({1e9 * b[0]:.4g} to {1e9 * b[1]:.4g})", f" (between {least:.4g} and {most:.4g})"
    law_itself = (
        f"{' '.join(family)}: startup {1e6 * law.startup:.4g} us ({between}), "
        f"{1e9 * law.per_byte:.4g} ns/B{beside}; all together at most "
        f"{law.limit / 1e6:.4g} MB/s"
        + ("" if law.limited else " (assumed: as one process)")
        + (f", plus {1e6 * law.each:.4g} us for each operation" if law.each else "")
        + (", and each waits that long for every other in flight" if law.contended else "")
    )
    half = f"r_max {law.r_max / 1e6:.4g} MB/s, n_half {law.n_half:.4g} B{halves}"
    cells = judge_cells(law)
    errors = [f"errors of each cell: {errors_across_in_words(law, cells)}", missed_in_words(cells)]
    return [law_itself, half + saturation_text(law), *law.errors_in_words(), *[each for each in errors if each]]


def saturation_text(law: StorageLaw) -> str:
    """Where the common limit begins to bind, in words; nothing where it was not fitted."""
    if not law.limited:
        return ""
    at = " and ".join(f"{law.saturation(size):.3g} of {size} B" for size in law.ends)
    if law.contended:
        return f"; half of what all reach together, or more, by {at} in flight"
    fall = f"; beyond, each time as many take {law.decline:.2g} of that time more" if law.decline else ""
    return f"; saturated by {at} in flight{fall}" + (", which the description leaves out" if fall else "")


def _of_law(name: str, family: Family, law: StorageLaw) -> StorageFound:
    direction, source, engine, access = family
    least, most = law.n_half_between
    return {
        "name": name,
        "direction": direction,
        "source": source,
        "engine": engine,
        "access": access,
        "r_max": law.r_max,
        "n_half": law.n_half,
        "n_half_between": [least, None if most == math.inf else most] if law.spread else None,
        "startup": law.startup,
        "per_byte": law.per_byte,
        "limit": law.limit,
        "limited": law.limited,
        "each": law.each,
        "contended": law.contended,
        "decline": law.decline,
        "startup_between": list(law.startup_between) if law.spread else None,
        "per_byte_between": list(law.per_byte_between) if law.spread else None,
        "between": "ci95" if law.interval else "range" if law.spread else None,
        "launches": law.launches,
        "cells": [
            {"bytes": each.cell.bytes, "flight": each.cell.flight, "measured": each.cell.rate,
             "fitted": each.cell.fitted, "saturation": law.saturation(each.cell.bytes) if law.limited else None,
             "predicted": each.predicted, "error": each.error, "error_between": each.between and list(each.between),
             "error_launches": each.launches, "missed": each.missed}
            for each in judge_cells(law)
        ],
    }  # fmt: skip
