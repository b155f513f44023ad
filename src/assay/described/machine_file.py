"""A described machine: a TOML file with units, validated, and what the simulated machine needs of it in SI units.

    name = "constant"
    nodes = 64                     # left out: as many as a run asks for
    [messages]
    startup = "70 us"
    per_byte = "0.4 us/B"

or, with a network, [network] as in the network's own files and [[protocol]]: see `assay.described.machine_tables`, or
`assay catalogue --machine-keys`. Keys are addressed from outside as `machine.protocol.0.startup`. An error names file,
line, key, value and what is accepted.
"""

from __future__ import annotations

import copy
import difflib
import re
import tomllib
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Any

from pydantic import BaseModel, PrivateAttr, ValidationError

from assay.described import effects, machine_tables
from assay.errors import InputError
from assay.machine import units
from assay.network import applies
from assay.network import description as networks
from assay.network.lines import line_of

PICOSECOND = 1e-12


class DescribedMachine(machine_tables.MachineTable):
    """A machine that is only described, as read from its file."""

    _source: networks.Source | None = PrivateAttr(default=None)

    def network_description(self) -> networks.Description | None:
        """The network, read by the network's own reader; None where the machine has none."""
        if self.network is None:
            return None
        source = self._source or networks.Source(Path(self.name), "")
        if not {"cycle", "channel_rate"} & set(self.network):
            raise source.error(
                ("network", "cycle"),
                "missing: a described machine states its clock, which has no default",
                accepted='such as "0.64 ns", or channel_rate, such as "200 Gbit/s" with flit_bytes',
            )
        found = networks.parse({"network": self.network}, source)
        ticks = found.cycle / PICOSECOND
        if round(ticks) < 1 or abs(round(ticks) / ticks - 1) > 1e-5:
            raise source.error(
                ("network", "cycle"),
                "is no whole number of picoseconds, in which machines count",
                value=f"{found.cycle} s",
                accepted="such as 0.1 ns",
            )
        return found

    def refused(self, error: Exception) -> InputError:
        """What the core refused of the description, at the key's place in the file."""
        source = self._source or networks.Source(Path(self.name), "")
        if len(error.args) == 2:
            return source.error(str(error.args[0]).split("."), str(error.args[1]))
        return source.error((), str(error) or "too large for this machine's memory")

    def wrong(self, keys: Sequence[str | int], problem: str, accepted: str) -> InputError:
        """An error about a key, at its line of the file or the --set that gave it."""
        source = self._source or networks.Source(Path(self.name), "")
        return source.error(keys, problem, accepted=accepted)

    def for_core(self) -> dict[str, Any]:
        """The description as the core takes it: tables, numbers in SI units, what is not given left out."""
        kept = {"name", "nodes", "messages", "node", "progress", "barrier", "compute"}
        plain = self.model_dump(include=kept, exclude_none=True)
        found = self.network_description()
        if found is not None:
            plain |= {"network": found.core()["network"], "cycle": found.cycle, "flit_bytes": found.network.flit_bytes}
        if self.node is not None and self.node.noise is not None:
            plain["node"]["noise"] = self._noise(self.node.noise)
        entries = [_entry(protocol) for protocol in self.protocol]
        plain["protocol"] = entries
        if self.forced is not None:
            plain["forced"] = [entry | _entry(self.forced) for entry in entries]
        if self.one_sided is not None:
            plain["one_sided"] = [entry | _entry(self.one_sided) for entry in plain.get("forced", entries)]
        plain["self"] = [_entry(path) for path in self.self_path]
        plain["host"] = [_entry(path) for path in self.host]
        plain["defaults"] = {
            key: ",".join(map(str, value)) if isinstance(value, list) else str(value)
            for key, value in self.defaults.items()
        }
        return plain

    def _noise(self, where: str) -> list[dict[str, Any]]:
        """The stored noise of real processors, in picoseconds; a path is looked for beside the description first."""
        from assay.machine.noise_traces import processors

        beside = self._source.path.parent / where if self._source else Path(where)
        return [
            {
                "period": round(trace.seconds / PICOSECOND),
                "start": [round(start / PICOSECOND) for start in trace.start],
                "length": [round(length / PICOSECOND) for length in trace.length],
            }
            for trace in processors(beside if beside.exists() else Path(where))
        ]


def _entry(table: machine_tables.Table) -> dict[str, Any]:
    return table.model_dump(by_alias=True, exclude_none=True)


def load(path: Path, overrides: Mapping[str, str] | None = None) -> DescribedMachine:
    """Read a description; `overrides` holds `messages.startup`-like keys with values as typed. InputError otherwise."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise InputError(f"cannot read the machine's description: {reason}", file=path) from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        raise InputError(f"not TOML: {error}", file=path, line=int(found.group(1)) if found else None) from None
    given = dict(overrides or {})
    filed = table
    varied: set[str] = set()
    if (name := given.pop("variant", None)) is not None:
        table = _varied(table, name, path)
        varied = set(_keys_of(filed["variant"][name]))
    table = copy.deepcopy(table)
    for key, value in given.items():
        _put(table, key, value)
    try:
        described = DescribedMachine.model_validate(table)
    except ValidationError as error:
        raise _explained(error, path, text, set(given)) from None
    words = tuple((_place(key), f"machine.{key}={value}") for key, value in given.items())
    described._source = networks.Source(path, text, words)
    described.network_description()
    _refuse_idle(described, filed, varied | set(given))
    return described


def _refuse_idle(described: DescribedMachine, filed: dict[str, Any], overridden: set[str]) -> None:
    """Refuse keys that change no result; `filed` is the table without variant and what was set from outside.

    A key of the file that is idle only because of these (`overridden`, dotted) may stay.
    """
    found = {_dotted(each.keys): each for each in _idle(described)}
    if not found:
        return
    own: set[str] = set(found)
    if overridden:
        try:
            own = {_dotted(each.keys) for each in _idle(DescribedMachine.model_validate(filed))}
        except ValidationError:  # incomplete without what was set
            own = set()
    for key, each in found.items():
        if key in own or key in overridden:
            raise described.wrong(each.keys, each.why, each.accepted)


def _idle(described: DescribedMachine) -> Iterator[effects.Idle]:
    """What has no effect: of the machine's own keys, and of its network's."""
    yield from effects.idle(described)
    network = described.network_description()
    if network is not None:
        for found in applies.idle(network, {"network": described.network or {}}):
            yield effects.Idle((found.table, found.key), applies.PROBLEM, found.accepted)


def _keys_of(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Dotted keys of all that a table says, lists' entries counted from 0."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _keys_of(value, f"{prefix}{key}.")
        elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            for place, each in enumerate(value):
                yield from _keys_of(each, f"{prefix}{key}.{place}.")
        else:
            yield f"{prefix}{key}"


def _place(dotted: str) -> tuple[str, ...]:
    """A dotted key as errors name it: entries of lists are numbers."""
    return tuple(int(part) if part.isdigit() else part for part in dotted.split("."))  # type: ignore[misc]


def _dotted(keys: Sequence[str | int]) -> str:
    return ".".join(str(key) for key in keys)


def _varied(table: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    known = table.get("variant", {})
    if not isinstance(known, dict) or name not in known:
        raise InputError(
            "no such variant", file=path, key="variant", value=name, accepted=", ".join(known) or "none: it has none"
        )
    return _merged(table, known[name]) | {"name": f"{table.get('name', '')}-{name}"}


def _merged(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables key by key; lists as a whole."""
    merged = dict(table)
    for key, value in over.items():
        inner = merged.get(key)
        both = isinstance(value, Mapping) and isinstance(inner, Mapping)
        merged[key] = _merged(inner, value) if both else value  # type: ignore[arg-type]
    return merged


def _put(table: dict[str, Any], key: str, text: str) -> None:
    *outer, last = key.split(".")
    inside: Any = table
    for name in outer:
        if isinstance(inside, list) and _index(name) and int(name) < len(inside):
            inside = inside[int(name)]
        else:
            inside = inside.setdefault(name, {}) if isinstance(inside, dict) else None
        if not isinstance(inside, (dict, list)):
            raise InputError(f"{name} is no table of the description", key=f"--set machine.{key}", value=text)
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        value = text
    if isinstance(inside, dict):
        inside[last] = value
    elif _index(last) and int(last) < len(inside):
        inside[int(last)] = value
    else:
        raise InputError(f"{outer[-1]} has no {last}", key=f"--set machine.{key}", value=text)


def _index(word: str) -> bool:
    return word.isascii() and word.isdecimal()


def _explained(error: ValidationError, path: Path, text: str, overridden: set[str]) -> InputError:
    """Turn pydantic's first complaint into one line with file, line, key, value and what is accepted."""
    # A key that does not exist explains one that is missing.
    first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    accepted: str | None
    location = [str(part) for part in first["loc"]]
    key = ".".join(location)
    if first["type"] == "extra_forbidden":
        known = _keys(location[:-1])
        near = difflib.get_close_matches(location[-1], known, 1)
        problem = f"no such key{f' (did you mean {near[0]}?)' if near else ''}"
        accepted = ", ".join(known)
    elif first["type"] == "missing":
        problem, accepted = "missing", _accepted(location)
    else:
        message = first["msg"].removeprefix("Value error, ")
        problem, accepted = message[:1].lower() + message[1:], _accepted(location)
    value = None if first["type"] == "missing" or not location else first["input"]
    if key in overridden:
        return InputError(problem, key=f"--set machine.{key}", value=value, accepted=accepted)
    return InputError(
        problem, file=path, line=_line(text, first["loc"]), key=key or None, value=value, accepted=accepted
    )


def _line(text: str, location: Sequence[str | int]) -> int | None:
    return line_of(text, [part if isinstance(part, int) else str(part) for part in location]) if location else None


def _model(annotation: Any) -> type[BaseModel] | None:
    """The table that a field holds, or a list of it holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if typing.get_origin(annotation) in (list, UnionType, typing.Union):
        for inner in typing.get_args(annotation):
            if found := _model(inner):
                return found
    return None


def _table(location: Sequence[str]) -> type[BaseModel] | None:
    model: type[BaseModel] | None = machine_tables.MachineTable
    for part in location:
        if part.isdigit():
            continue
        found = _field(model, part)
        model = _model(found.annotation) if found else None
        if model is None:
            return None
    return model


def _field(model: type[BaseModel] | None, key: str) -> Any:
    for name, field in model.model_fields.items() if model else ():
        if (field.alias or name) == key:
            return field
    return None


def _keys(location: Sequence[str]) -> list[str]:
    found = _table(location)
    return sorted(field.alias or name for name, field in found.model_fields.items()) if found else []


def _accepted(location: Sequence[str]) -> str | None:
    field = _field(_table(location[:-1]), location[-1]) if location else None
    if field is None:
        return None
    extra = field.json_schema_extra
    unit = extra.get("unit") if isinstance(extra, dict) else None
    if unit is None:
        for meta in getattr(field.annotation, "__metadata__", ()) or ():
            unit = (getattr(meta, "json_schema_extra", None) or {}).get("unit", unit)
    text = field.description or ""
    return f"{text}; such as {units.EXAMPLES[str(unit)]}" if unit else text
