"""A document's types as JSON, and JSON as these types: the one place that knows both.

Names and shape of the JSON are a contract: fields may be added, never renamed. What a reader does not know is passed
over, so that documents of other versions can be read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic_core import core_schema

from assay.case import Case

T = TypeVar("T")


def _is_none(value: object) -> bool:
    return value is None


WRITTEN_IF_SET = Field(exclude_if=_is_none)  # of a field: its key is not in the JSON where it is None


class CaseForm:
    """Annotates a Case: an object of its parameters."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        plain = core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
        written = core_schema.plain_serializer_function_ser_schema(dict, return_schema=plain)
        return core_schema.no_info_after_validator_function(Case, plain, serialization=written)


def flattened(name: str) -> Callable[[type[T]], type[T]]:
    """Decorate a dataclass: the keys of its field `name`, another one, are written among its own, before them."""

    def core(cls: Any, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        own = {field.name for field in dataclasses.fields(cls)} - {name}

        def nested(data: Any) -> Any:
            if not isinstance(data, Mapping):
                return data
            inner = {key: value for key, value in data.items() if key not in own}
            return {name: inner} | {key: value for key, value in data.items() if key in own}

        def flat(value: Any, write: core_schema.SerializerFunctionWrapHandler) -> dict[str, object]:
            data = write(value)
            return {**data.pop(name), **data}

        inner: Any = handler(source)
        ref = inner.pop("ref", None)  # the flat form is the one that a schema names
        written = core_schema.wrap_serializer_function_ser_schema(flat)
        return core_schema.no_info_before_validator_function(nested, inner, ref=ref, serialization=written)

    def described(cls: Any, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        named = handler(schema)
        found = handler.resolve_ref_schema(named)
        inner = handler.resolve_ref_schema(found["properties"].pop(name))
        found["properties"] = {**inner["properties"], **found["properties"]}
        found["required"] = [*inner["required"], *(key for key in found["required"] if key != name)]
        return named

    def decorated(kind: Any) -> Any:
        kind.__get_pydantic_core_schema__ = classmethod(core)
        kind.__get_pydantic_json_schema__ = classmethod(described)
        return kind

    return decorated


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
