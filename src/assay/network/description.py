"""NETWORK.toml read, overridden, validated; errors name the place in the file."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, NotRequired, TypedDict

from pydantic import Discriminator, Field, Tag, create_model

from assay import input_file
from assay.errors import InputError
from assay.network import applies, network_tables, records
from assay.network.foreign.read import read_network
from assay.network.overrides import TABLES, SweptSource, at_point, by_sweep, override
from assay.toml import checking, overriding
from assay.toml.overriding import Override
from assay.toml.source import Source, tables_of

_INT64 = Field(ge=-(2**63), le=2**63 - 1)
_KINDS: dict[str, Any] = {
    "integer": Annotated[int, _INT64],
    "number": float,
    "flag": bool,
    "text": str,
    "integers": list[Annotated[int, _INT64]],
    "pairs": list[Annotated[list[Annotated[int, _INT64]], Field(min_length=2, max_length=2)]],
    "table": dict[str, object],
}


def parameter_type(parameter: records.NetworkParameter) -> Any:
    """The Python type of a core's parameter; times and lengths may be written with units."""
    if parameter["kind"] == "integer" and parameter["unit"] in ("ticks", "cycles"):
        return network_tables.Cycles
    if parameter["kind"] == "integer" and parameter["unit"] == "flits":
        return network_tables.Flits
    return _KINDS[parameter["kind"]]


@cache
def network_model(topology: str, routing: str) -> type[network_tables.NetworkTable]:
    """[network] with the keys that this topology and this routing add."""
    found: dict[str, Any] = {}
    for parameter in _parameters(topology, routing):
        kind = parameter_type(parameter)
        if parameter["name"] in network_tables.NetworkTable.model_fields and parameter["kind"] == "pairs":
            kind = _links_or(kind)
        text = parameter["description"] + (f" [{parameter['unit']}]" if parameter["unit"] else "")
        if parameter["required"]:
            found[parameter["name"]] = (kind, Field(title=parameter["accepts"], description=text))
        else:
            optional = parameter["default"] is None
            found[parameter["name"]] = (
                kind | NoneType if optional else kind,
                Field(parameter["default"], description=text),
            )
    return create_model("Network", __base__=network_tables.NetworkTable, **found)


def _links_or(pairs: Any) -> Any:
    """A graph's own links, as pairs, or the tables of those that are slower, which any network may have."""
    return Annotated[
        Annotated[pairs, Tag("pairs")] | Annotated[list[network_tables.SlowerLink], Tag("tables")],
        Discriminator(lambda value: "tables" if _tables(value) else "pairs"),
    ]


def _tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], (dict, network_tables.SlowerLink))


def _parameters(topology: str, routing: str) -> list[records.NetworkParameter]:
    return [
        *records.common(),
        *records.topologies()[topology]["parameters"],
        *records.routings()[routing]["parameters"],
    ]


class CoreMethod(TypedDict):
    """How long a run of the core is, and what it records."""

    seed: int
    stream: int
    warmup_cycles: int
    cycles: int
    batches: int
    warmup_messages: int
    messages: int
    utilisation: bool


class CoreTables(TypedDict):
    """What the core takes: tables of plain values."""

    network: dict[str, object]
    traffic: dict[str, object]
    io: NotRequired[dict[str, object]]
    method: NotRequired[CoreMethod]


@dataclass(frozen=True)
class NetworkDescription:
    """A network, its traffic and the method, all defaults filled in, times in cycles and lengths in flits."""

    source: Source
    network: network_tables.NetworkTable
    traffic: network_tables.TrafficTable
    io: network_tables.InputOutput | None
    method: network_tables.Method

    @property
    def cycle(self) -> float:
        """Length of a cycle in seconds."""
        return self.network.cycle

    def but(self, **tables: Any) -> NetworkDescription:
        """The same with other tables."""
        return replace(self, **tables)

    def core(self) -> CoreTables:
        """What the core takes: tables of plain values; [method] is completed by the caller.

        Of [network] only what differs from the defaults, so that what means the same is the same.
        """
        traffic = self.traffic.model_dump(exclude={"flits"})
        flits = self.traffic.flits
        lengths = (
            flits
            if isinstance(flits, network_tables.Lengths)
            else network_tables.Lengths.model_validate({"lengths": [flits]})
        )
        traffic["lengths"], traffic["flits"] = lengths.table()
        network = self.network.model_dump(exclude_defaults=True, exclude=set(_CLOCK))
        config: CoreTables = {"network": network, "traffic": traffic}
        if self.io is not None:
            config["io"] = self.io.model_dump(exclude_none=True)
        return config

    def fabric(self) -> dict[str, object]:
        """The keys of [network] that describe the network itself, without how messages move on it."""
        names = {parameter["name"] for parameter in _parameters(self.network.topology, self.network.routing)} | {
            "io",
            "links",
        }
        return {name: value for name, value in self.core()["network"].items() if name in names}

    def key(self) -> str:
        """A fingerprint of everything that decides the result."""
        tables = self.core()
        whole: dict[str, object] = {
            **tables,
            "method": self.method.model_dump(),
            "clock": [self.cycle, self.network.flit_bytes],
        }
        for key, named in (("file", "graph"), ("table", "table")):
            held = tables["network"].pop(key, None)
            if isinstance(held, str):
                file = Path(held) if "\n" not in held else None
                read = file is not None and file.is_file()
                whole[named] = hashlib.sha256(input_file.content(file, 1 << 30)).hexdigest() if file and read else held
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]


def load(path: Path, overrides: Sequence[str] = (), swept: Sequence[str] = ()) -> NetworkDescription:
    """Read, override (`dotted.key=value`) and validate a file; InputError names the fault and its place.

    `swept`: overrides of a sweep, after the others; errors name --sweep for them, and with which of them another
    key is wrong that is right without them.
    """
    try:
        found = _loaded(path, overrides, swept)
    except InputError as error:
        if swept and not str(error).startswith("--sweep") and not _refused_alike(path, overrides, error):
            at_point(error, swept)
        raise
    source = found.source
    return replace(found, source=replace(source, valid=True)) if isinstance(source, SweptSource) else found


def _refused_alike(path: Path, overrides: Sequence[str], error: InputError) -> bool:
    """Whether the file is refused in the same words without the sweep."""
    try:
        _loaded(path, overrides, ())
    except InputError as without:
        return str(without) == str(error)
    return False


def _loaded(path: Path, overrides: Sequence[str], swept: Sequence[str]) -> NetworkDescription:
    filed, plain = read_network(path)
    try:
        given = [override(words, "--set", filed) for words in overrides]
        given += [override(words, "--sweep", filed) for words in swept]
        tree = overriding.apply_overrides(_one_clock(filed, given), given)
    except InputError as error:
        raise by_sweep(error, swept) from None
    known = tuple((each.keys, each.words) for each in given)
    source = SweptSource(plain.path, plain.text, known, plain.variant, tuple(swept))
    found = parse(tree, source)
    applies.check(found, tables_of(tree), lambda: (parse(filed, plain), tables_of(filed)))
    return found


def _one_clock(tree: Mapping[str, object], given: Sequence[Override]) -> Mapping[str, object]:
    """The tree without the file's way to give the clock where another way is set from outside."""
    clock = {"cycle": "channel_rate", "channel_rate": "cycle"}
    other = {clock[str(each.keys[1])] for each in given if each.keys[0] == "network" and each.keys[1] in clock}
    network = tree.get("network")
    if not other or not isinstance(network, dict):
        return tree
    return {**tree, "network": {key: value for key, value in network.items() if key not in other}}


def parse(tree: Mapping[str, object], source: Source) -> NetworkDescription:
    """Validate a tree as TOML gives it."""
    tables: dict[str, dict[str, object]] = {}
    for name, table in tree.items():
        if name not in TABLES:
            raise checking.unknown_key_error(source, (name,), TABLES)
        if not isinstance(table, dict):
            raise source.error((name,), "is no table", value=table, accepted=f"[{name}]")
        tables[name] = table
    keys = dict(tables.get("network", {}))
    clock_keys = {key: keys[key] for key in _CLOCK if key in keys}
    clock = checking.validate_tables(source, network_tables.Clock, clock_keys, ("network",))
    cycle = clock.flit_bytes / clock.channel_rate if clock.channel_rate else clock.cycle
    context = {"cycle": cycle, "flit_bytes": clock.flit_bytes}
    traffic = checking.validate_tables(
        source, network_tables.TrafficTable, tables.get("traffic", {}), ("traffic",), context
    )
    io = (
        checking.validate_tables(source, network_tables.InputOutput, tables["io"], ("io",), context)
        if "io" in tables
        else None
    )
    method = checking.validate_tables(source, network_tables.Method, tables.get("method", {}), ("method",), context)
    # From here on by the core's records, which may have to be compiled: faults above are reported at once.
    topology = _named(source, keys, "topology", records.topologies(), None)
    keys["routing"] = routing = _named(
        source, keys, "routing", records.routings(), records.topologies()[topology].get("routing")
    )
    model = network_model(topology, routing)
    network = checking.validate_tables(source, model, keys, ("network",), context, _owners)
    network = network.model_copy(update={"cycle": cycle} | _beside(network, source))
    return NetworkDescription(source, network, traffic, io, method)


def _beside(network: network_tables.NetworkTable, source: Source) -> dict[str, str]:
    """A graph's and a routing table's file by a path that is found from here: in the folder of the description."""
    named = {key: getattr(network, key, None) for key in ("file", "table")}
    paths = {
        key: source.path.parent / name for key, name in named.items() if isinstance(name, str) and "\n" not in name
    }
    return {key: str(path) for key, path in paths.items() if path.exists()}


_CLOCK = ("cycle", "channel_rate", "flit_bytes")


def _named(
    source: Source, keys: Mapping[str, object], key: str, known: Mapping[str, records.Record], default: str | None
) -> str:
    name = keys.get(key, default)
    accepted = ", ".join(sorted(known))
    if name is None:
        _refuse_misspelt(source, keys, key)
        raise source.error(("network", key), "is missing", accepted=accepted)
    if not isinstance(name, str) or name not in known:
        raise source.error(
            ("network", key), f"there is no such {key}{checking.near(name, known)}", value=name, accepted=accepted
        )
    return name


def _refuse_misspelt(source: Source, keys: Mapping[str, object], key: str) -> None:
    """Refuse what was meant to be this key, instead of calling it missing."""
    known = {*network_tables.NetworkTable.model_fields, *(parameter["name"] for parameter in records.common())}
    for name in difflib.get_close_matches(key, [name for name in keys if name not in known], 1):
        raise checking.unknown_key_error(source, ("network", name), known)


def _owners(key: str) -> str:
    """The topologies and routings with a key, as a hint where it is unknown."""
    owners = [
        f"{what} {name}"
        for what, found in (("topology", records.topologies()), ("routing", records.routings()))
        for name, record in found.items()
        if any(parameter["name"] == key for parameter in record["parameters"])
    ]
    return f"; it is one of {', '.join(owners)}" if owners else ""
