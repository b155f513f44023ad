"""A described machine: a TOML file with units, validated, and what the simulated machine needs of it in SI units.

    name = "constant"
    nodes = 64                     # left out: as many as a run asks for
    [messages]
    startup = "70 us"
    per_byte = "0.4 us/B"

Keys are addressed from outside as `machine.messages.startup`. An error names file, line, key, value and what is
accepted. A new part of a machine is a new table here and its reader in core/ranks; nothing else lists the keys.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from assay.errors import InputError
from assay.machine import units


def _reader(wanted: str) -> BeforeValidator:
    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ValueError("is no quantity")
        return units.quantity(str(value), wanted)

    return BeforeValidator(read)


Seconds = Annotated[float, _reader("s"), Field(ge=0, json_schema_extra={"unit": "s"})]
SecondsPerByte = Annotated[float, _reader("s/B"), Field(ge=0, json_schema_extra={"unit": "s/B"})]
Bytes = Annotated[float, _reader("B"), Field(ge=0, json_schema_extra={"unit": "B"})]


class Table(BaseModel):
    """One table of a description: unknown keys are refused, values do not change afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Messages(Table):
    """What a message costs: start-up, and time a byte."""

    startup: Seconds = Field(description="time from the call to the first byte on its way")
    per_byte: SecondsPerByte = Field(description="time that each byte adds")


class Description(Table):
    """A machine that is only described."""

    name: str = Field(description="one word; the host's name in the samples", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    title: str = Field(default="", description="one line for people")
    nodes: int | None = Field(default=None, ge=1, le=1 << 24, description="left out: as many as a run asks for")
    messages: Messages = Field(description="the message system")
    origin: dict[str, str] = Field(
        default_factory=dict, description="by dotted key, where a number is from: stated, fitted or assumed"
    )

    def for_core(self) -> dict[str, str | float]:
        """The description as the core takes it: flat, by dotted key, numbers in SI units."""
        plain = self.model_dump(exclude={"title", "origin"}, exclude_none=True)
        return dict(_flat(plain, ""))


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str | float]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value if isinstance(value, str) else float(value)


def load(path: Path, overrides: Mapping[str, str] | None = None) -> Description:
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
    for key, value in (overrides or {}).items():
        _put(table, key, value)
    try:
        return Description.model_validate(table)
    except ValidationError as error:
        raise _explained(error, path, text, set(overrides or ())) from None


def _put(table: dict[str, Any], key: str, text: str) -> None:
    *outer, last = key.split(".")
    for name in outer:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise InputError(f"{name} is no table of the description", key=f"--set machine.{key}", value=text)
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        value = text
    table[last] = value


def _explained(error: ValidationError, path: Path, text: str, overridden: set[str]) -> InputError:
    """Turn pydantic's first complaint into one line with file, line, key, value and what is accepted."""
    # A key that does not exist explains one that is missing.
    first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    accepted: str | None
    location = [str(part) for part in first["loc"]]
    key = ".".join(location)
    known = _keys(Description, location[:-1])
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(location[-1], known, 1)
        problem = f"no such key{f' (did you mean {near[0]}?)' if near else ''}"
        accepted = ", ".join(known)
    elif first["type"] == "missing":
        problem, accepted = "missing", _accepted(location)
    else:
        problem, accepted = first["msg"].removeprefix("Value error, ").lower(), _accepted(location)
    value = None if first["type"] == "missing" else first["input"]
    if key in overridden:
        return InputError(problem, key=f"--set machine.{key}", value=value, accepted=accepted)
    return InputError(problem, file=path, line=_line(text, location), key=key, value=value, accepted=accepted)


def _table(model: type[BaseModel], location: list[str]) -> type[BaseModel] | None:
    for part in location:
        found = model.model_fields.get(part)
        if found is None or not (isinstance(found.annotation, type) and issubclass(found.annotation, BaseModel)):
            return None
        model = found.annotation
    return model


def _keys(model: type[BaseModel], location: list[str]) -> list[str]:
    found = _table(model, location)
    return sorted(found.model_fields) if found else []


def _accepted(location: list[str]) -> str | None:
    model = _table(Description, location[:-1])
    field = model.model_fields.get(location[-1]) if model else None
    if field is None:
        return None
    extra = field.json_schema_extra
    unit = extra.get("unit") if isinstance(extra, dict) else None
    text = field.description or ""
    return f"{text}; such as {units.EXAMPLES[str(unit)]}" if unit else text


def _line(text: str, location: list[str]) -> int | None:
    """The line of a key, or of the table that should hold it."""
    section, table = "", ".".join(location[:-1])
    opened = None
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            section = header.group(1).strip()
            if section == table:
                opened = number
            if section == ".".join(location):
                return number
        elif section == table and re.match(rf"\s*\"?{re.escape(location[-1])}\"?\s*=", line):
            return number
    return opened
