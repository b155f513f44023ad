"""Pydantic's errors on bounds and lengths, in this project's words."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

# By the type of an error: the key of its context that holds the bound.
_SIDES = {
    "greater_than_equal": "ge",
    "greater_than": "gt",
    "less_than_equal": "le",
    "less_than": "lt",
}
_KEYS = ("ge", "gt", "le", "lt")
_LENGTHS = ("too_short", "too_long", "string_too_short", "string_too_long")
OUT_OF_BOUNDS = frozenset((*_SIDES, *_LENGTHS))


def problem(error: ErrorDetails) -> str:
    """What is wrong with the value, for a complaint of OUT_OF_BOUNDS."""
    return "is of the wrong length" if error["type"] in _LENGTHS else "is out of bounds"


def accepted_bounds(
    error: ErrorDetails, field: FieldInfo | None, examples: object = None, unit: str | None = None
) -> str:
    """What a value would have to be, for a complaint of OUT_OF_BOUNDS; `field`: where its other bounds are, in
    units of `unit`.
    """
    context = error.get("ctx", {})
    if error["type"] in _LENGTHS:
        return _length(error["type"], context, list(_parts(field)))
    parts = list(_parts(field))
    bounds = _bounds(parts)
    own = _SIDES[error["type"]]
    bounds[own] = {context[own]}
    whole = not any(part is float for part in parts) and isinstance(error["input"], int)
    text = _number("a whole number" if whole else "a number", bounds, unit)
    return f"{text}, such as {examples}" if examples else text


def number(field: FieldInfo, unit: str | None = None) -> str | None:
    """What number a field holds, with its bounds; None where it holds something else."""
    parts = list(_parts(field))
    lists = any(typing.get_origin(part) is list for part in parts)
    if lists or not any(part in (int, float) for part in parts):
        return None
    kind = "a number" if any(part is float for part in parts) else "a whole number"
    return _number(kind, _bounds(parts), unit)


def _bounds(parts: Iterable[Any]) -> dict[str, set[Any]]:
    kept = list(parts)
    return {key: {getattr(part, key) for part in kept if getattr(part, key, None) is not None} for key in _KEYS}


def _number(kind: str, bounds: dict[str, set[Any]], unit: str | None) -> str:
    least, above, most, below = (next(iter(bounds[key]), None) if len(bounds[key]) == 1 else None for key in _KEYS)
    limited = f" {unit}" if unit and (most, below) != (None, None) else ""
    if (least, above, most, below) == (None, None, None, None):
        return kind
    return f"{kind}{bounds_text(least, above, most, below)}{limited}"


def bounds_text(least: Any, above: Any, most: Any, below: Any) -> str:
    """Bounds as text after a noun: ` from 1 to 4096`, ` from 0 on`, ` above 0 and below 1`."""
    if above is not None:
        end = (
            f" and below {_written(below)}"
            if below is not None
            else ""
            if most is None
            else f", up to {_written(most)}"
        )
        return f" above {_written(above)}{end}"
    if least is not None:
        if below is not None:
            return f" from {_written(least)} on, below {_written(below)}"
        return f" from {_written(least)} on" if most is None else f" from {_written(least)} to {_written(most)}"
    return f" below {_written(below)}" if below is not None else f" up to {_written(most)}"


def _written(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _length(kind: str, context: Mapping[str, object], parts: Iterable[Any]) -> str:
    own, other = ("min_length", "max_length") if kind.endswith("short") else ("max_length", "min_length")
    count = context[own]
    one, many = ("character", "characters") if kind.startswith("string") else ("entry", "entries")
    if any(getattr(part, other, None) == count for part in parts):  # exactly so many
        return f"{count} {one if count == 1 else many}"
    return f"{count} {one if count == 1 else many} or {'more' if kind.endswith('short') else 'fewer'}"


def _parts(field: FieldInfo | None) -> Iterator[Any]:
    """A field's constraints and the types that it may have, its own and those inside."""
    if field is not None:
        yield from field.metadata
        yield from _inside(field.annotation)


def _inside(annotation: Any) -> Iterator[Any]:
    yield annotation
    metadata: Iterable[Any] = getattr(annotation, "__metadata__", ())
    for each in metadata:
        yield from getattr(each, "metadata", (each,))
    for inner in typing.get_args(annotation):
        yield from _inside(inner)
