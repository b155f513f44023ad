"""NETWORK.toml read, overridden, validated; errors say where the file is wrong."""

from __future__ import annotations

import copy
import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic_core import ErrorDetails

from assay.errors import InputError
from assay.network import applies, lines, network_tables, records

Model = TypeVar("Model", bound=BaseModel)
_INT64 = Field(ge=-(2**63), le=2**63 - 1)
_KINDS: dict[str, Any] = {
    "integer": Annotated[int, _INT64],
    "number": float,
    "flag": bool,
    "text": str,
    "integers": list[Annotated[int, _INT64]],
    "pairs": list[Annotated[list[Annotated[int, _INT64]], Field(min_length=2, max_length=2)]],
    "table": dict[str, Any],
}
TABLES = ("network", "traffic", "io", "method")


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


def _parameters(topology: str, routing: str) -> list[records.NetworkParameter]:
    return [
        *records.common(),
        *records.topologies()[topology]["parameters"],
        *records.routings()[routing]["parameters"],
    ]


@dataclass(frozen=True)
class Source:
    """The text a description came from, to say in errors where it is wrong."""

    path: Path
    text: str = field(repr=False)
    overrides: tuple[tuple[tuple[str, ...], str], ...] = ()

    def error(
        self, keys: Sequence[str | int], problem: str, *, value: object = None, accepted: str | None = None
    ) -> InputError:
        """An error about this key, at the line where it stands, or at the --set that gave it."""
        dotted = ".".join(str(key) for key in keys)
        for given, words in self.overrides:
            if tuple(keys[: len(given)]) == given or given[: len(keys)] == tuple(keys):
                return InputError(problem, file=f"--set {words}", key=dotted, value=value, accepted=accepted)
        line = lines.line_of(self.text, keys)
        return InputError(problem, file=self.path, line=line, key=dotted or None, value=value, accepted=accepted)


@dataclass(frozen=True)
class Description:
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

    def but(self, **tables: Any) -> Description:
        """The same with other tables."""
        return replace(self, **tables)

    def core(self) -> dict[str, Any]:
        """What the core takes: tables of plain values; [method] is completed by whoever runs it.

        Of [network] only what differs from the defaults, so that what means the same is the same.
        """
        config: dict[str, Any] = {"network": self.network.model_dump(exclude_defaults=True, exclude=set(_CLOCK))}
        traffic = self.traffic.model_dump(exclude={"flits"})
        flits = self.traffic.flits
        lengths = (
            flits
            if isinstance(flits, network_tables.Lengths)
            else network_tables.Lengths.model_validate({"lengths": [flits]})
        )
        traffic["lengths"], traffic["flits"] = lengths.table()
        config["traffic"] = traffic
        if self.io is not None:
            config["io"] = self.io.model_dump(exclude_none=True)
        return config

    def fabric(self) -> dict[str, Any]:
        """The keys of [network] that describe the network itself, without how messages move on it."""
        names = {parameter["name"] for parameter in _parameters(self.network.topology, self.network.routing)} | {"io"}
        return {name: value for name, value in self.core()["network"].items() if name in names}

    def key(self) -> str:
        """A fingerprint of everything that decides the result."""
        whole = {**self.core(), "method": self.method.model_dump(), "clock": [self.cycle, self.network.flit_bytes]}
        graph = whole["network"].pop("file", None)
        if graph is not None:
            whole["graph"] = hashlib.sha256(Path(graph).read_bytes()).hexdigest() if Path(graph).is_file() else graph
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]


def load(path: Path, overrides: Sequence[str] = ()) -> Description:
    """Read, override (`dotted.key=value`) and validate a file; InputError says what is wrong and where."""
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8 text", file=path, line=line, accepted="a TOML file") from None
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, position = str(error).rpartition(" (at ")
        at = int(position.split()[1].rstrip(",")) if position.startswith("line") else None
        # the standard reader names a table as Python's tuple: ('network',)
        plain = re.sub(r"\(('[^']*'(, )?,?)+\)", lambda found: ".".join(re.findall("'([^']*)'", found[0])), problem)
        raise InputError(f"is no TOML: {plain or error}", file=path, line=at) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"is no TOML: {error}", file=path) from None
    filed = copy.deepcopy(tree) if overrides else tree
    given = []
    for words in overrides:
        keys, value = _override(words)
        _put(tree, keys, value, words)
        given.append((keys, words))
    found = parse(tree, Source(path, text, tuple(given)))
    applies.check(found, tree, lambda: (parse(filed, Source(path, text)), filed))
    return found


def _override(words: str) -> tuple[tuple[str, ...], Any]:
    dotted, equals, text = words.partition("=")
    keys = tuple(part.strip() for part in dotted.split("."))
    if not equals or not all(keys):
        raise InputError(
            "is no override", file="--set", value=words, accepted="dotted.key=value, such as traffic.load=0.3"
        )
    try:
        return keys, tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        pass
    try:
        return keys, float(text.encode("ascii"))  # ".4", which TOML does not take
    except ValueError:
        return keys, text.strip()


def _put(tree: dict[str, Any], keys: tuple[str, ...], value: Any, words: str) -> None:
    table = tree
    for key in keys[:-1]:
        inner = table.setdefault(key, {})
        if not isinstance(inner, dict):
            table[key] = inner = {}
        table = inner
    if len(keys) == 1:
        accepted = "a key inside " + ", ".join(f"{name}." for name in TABLES)
        raise InputError("names a whole table", file=f"--set {words}", key=keys[0], accepted=accepted)
    if keys == ("network", "channel_rate"):
        table.pop("cycle", None)
    elif keys == ("network", "cycle"):
        table.pop("channel_rate", None)
    table[keys[-1]] = value


def parse(tree: dict[str, Any], source: Source) -> Description:
    """Validate a tree as TOML gives it."""
    for name, table in tree.items():
        if name not in TABLES:
            raise _unknown(source, (name,), TABLES)
        if not isinstance(table, dict):
            raise source.error((name,), "is no table", value=table, accepted=f"[{name}]")
    keys = dict(tree.get("network", {}))
    topology = _named(source, keys, "topology", records.topologies(), None)
    routing = _named(source, keys, "routing", records.routings(), records.topologies()[topology].get("routing"))
    keys["routing"] = routing
    clock = _validated(source, "network", network_tables.Clock, {k: keys[k] for k in _CLOCK if k in keys}, {})
    cycle = clock.flit_bytes / clock.channel_rate if clock.channel_rate else clock.cycle
    context = {"cycle": cycle, "flit_bytes": clock.flit_bytes}
    network = _validated(source, "network", network_model(topology, routing), keys, context)
    network = network.model_copy(update={"cycle": cycle} | _beside(network, source))
    traffic = _validated(source, "traffic", network_tables.TrafficTable, tree.get("traffic", {}), context)
    io = _validated(source, "io", network_tables.InputOutput, tree["io"], context) if "io" in tree else None
    method = _validated(source, "method", network_tables.Method, tree.get("method", {}), context)
    return Description(source, network, traffic, io, method)


def _beside(network: network_tables.NetworkTable, source: Source) -> dict[str, str]:
    """A graph's file by a path that is found from here: beside the description, where it lies there."""
    name = getattr(network, "file", None)
    beside = source.path.parent / name if isinstance(name, str) else source.path
    return {"file": str(beside)} if name is not None and beside.exists() else {}


_PLAINER = {
    "a valid integer": "an integer",
    "a valid number": "a number",
    "a valid string": "a text in quotes",
    "a valid boolean": "true or false",
    "a valid list": "a list",
    "a valid dictionary": "a table",
}
_CLOCK = ("cycle", "channel_rate", "flit_bytes")


def _named(source: Source, keys: dict[str, Any], key: str, known: dict[str, Any], default: str | None) -> str:
    name = keys.get(key, default)
    accepted = ", ".join(sorted(known))
    if name is None:
        raise source.error(("network", key), "is missing", accepted=accepted)
    if not isinstance(name, str) or name not in known:
        raise source.error(
            ("network", key), f"there is no such {key}{_near(name, known)}", value=name, accepted=accepted
        )
    return name


def _near(name: object, known: Sequence[str] | dict[str, Any]) -> str:
    matches = difflib.get_close_matches(str(name), list(known), 2, 0.6)
    return f"; did you mean {' or '.join(matches)}?" if matches else ""


def _unknown(source: Source, path: tuple[str | int, ...], known: Sequence[str]) -> InputError:
    key = str(path[-1])
    hint = _near(key, known)
    if path[0] == "network" and not hint:
        owners = [
            f"{what} {name}"
            for what, found in (("topology", records.topologies()), ("routing", records.routings()))
            for name, record in found.items()
            if any(parameter["name"] == key for parameter in record["parameters"])
        ]
        hint = f"; it is one of {', '.join(owners)}" if owners else ""
    where = f"[{'.'.join(str(part) for part in path[:-1])}]" if len(path) > 1 else "the file"
    return source.error(path, f"there is no such key in {where}{hint}", accepted=", ".join(sorted(known)))


def _validated(
    source: Source, table: str, model: type[Model], values: dict[str, Any], context: dict[str, float]
) -> Model:
    try:
        return model.model_validate(values, context=context or {"cycle": 5e-8, "flit_bytes": 1.0})
    except ValidationError as error:
        raise _explained(source, table, model, values, error.errors()) from None


def _explained(
    source: Source, table: str, model: type[BaseModel], values: dict[str, Any], errors: list[ErrorDetails]
) -> InputError:
    """One pydantic error as one line for a person; of a choice of types, the one that fits best what was written."""
    unknown = [found for found in errors if found["type"] == "extra_forbidden"]
    first = (unknown or errors)[0]
    path: list[str | int] = [table]
    here: Any = values
    for part in first["loc"]:  # pydantic adds names of types; keep what is in the file
        inside = (isinstance(here, dict) and part in here) or (isinstance(here, list) and isinstance(part, int))
        if inside:
            here = here[part] if isinstance(here, dict) or int(part) < len(here) else None
            path.append(part)
        elif len(path) == 1 or first["type"] == "missing":
            path.append(part)
    if unknown:
        inner = network_tables.Lengths if path[:2] == ["traffic", "flits"] else model
        return _unknown(source, tuple(path), list(inner.model_fields))
    if first["type"] == "missing":
        return source.error(path, "is missing", accepted=_accepted(model, path))
    message = first["msg"].removeprefix("Value error, ")
    wanted = message.removeprefix("Input should be ")
    problem = "is wrong" if wanted != message else message[:1].lower() + message[1:]
    accepted = _PLAINER.get(wanted, wanted) if wanted != message else _accepted(model, path)
    return source.error(path, problem, value=here if len(path) > 1 else None, accepted=accepted)


def _accepted(model: type[BaseModel], path: Sequence[str | int]) -> str | None:
    found = model.model_fields.get(str(path[1])) if len(path) > 1 else None
    if found is None or found.title is None:
        return found.description if found else None
    return f"{found.title} ({found.description})"
