"""A document's types as JSON, and JSON as these types: the one place that knows both.

Names and shape of the JSON are a contract: fields may be added, never renamed. What a reader does not know is passed
over, so that documents of other versions can be read.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import Field, TypeAdapter

T = TypeVar("T")


def _is_none(value: object) -> bool:
    return value is None


WRITTEN_IF_SET = Field(exclude_if=_is_none)  # of a field: its key is not in the JSON where it is None


def to_json(value: Any) -> Any:
    """Give a document, or a part of one, as plain data that `json` can write."""
    return _adapter(type(value)).dump_python(value, by_alias=True, warnings=False)


def from_json(kind: type[T], data: Any) -> T:
    """Read what `to_json` gave of a `kind`; unknown keys are passed over.

    pydantic.ValidationError where a key is missing or of another kind.
    """
    found: T = _adapter(kind).validate_python(data)
    return found


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
