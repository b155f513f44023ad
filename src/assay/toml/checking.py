"""Tables of a TOML file as pydantic models, and pydantic's complaints as one line for a person."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from assay.errors import InputError
from assay.toml import bounds
from assay.toml.source import Keys, Source

Model = TypeVar("Model", bound=BaseModel)
_PLAINER = {
    "a valid integer": "an integer",
    "a valid number": "a number",
    "a valid string": "a text in quotes",
    "a valid boolean": "true or false",
    "a valid list": "a list",
}


class Table(BaseModel):
    """A table of a file: no other keys, no guessing at types, no numbers that are not finite; it does not change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def refuse(keys: Keys, problem: str, accepted: str | None = None) -> NoReturn:
    """Raise, in a model's validator, for a key below the model."""
    raise PydanticCustomError("misplaced", "{problem}", {"problem": problem, "keys": keys, "accepted": accepted})


def validate_tables(
    source: Source,
    model: type[Model],
    values: Any,
    where: Keys = (),
    context: Mapping[str, Any] | None = None,
    elsewhere: Callable[[str], str] = lambda key: "",
) -> Model:
    """Validate the table at `where`. InputError at its line names key, value and what is accepted.

    `elsewhere` gives a hint for a key that is unknown here ("; it is …"), or nothing.
    """
    try:
        return model.model_validate(values, context=dict(context) if context else None)
    except ValidationError as error:
        raise _explained(source, model, values, where, error.errors(), elsewhere) from None


def unknown_key_error(
    source: Source, keys: Keys, known: Iterable[str], elsewhere: Callable[[str], str] = lambda key: ""
) -> InputError:
    """An error about a key that is not one of `known`."""
    names = sorted(known)
    hint = near(keys[-1], names) or elsewhere(str(keys[-1]))
    inside = ".".join(str(key) for key in keys[:-1])
    return source.error(
        keys, f"there is no such key in {f'[{inside}]' if inside else 'the file'}{hint}", accepted=", ".join(names)
    )


def near(name: object, known: Iterable[str]) -> str:
    """`; did you mean X?`, or nothing."""
    matches = difflib.get_close_matches(str(name), list(known), 2, 0.6)
    return f"; did you mean {' or '.join(matches)}?" if matches else ""


def _explained(
    source: Source,
    model: type[BaseModel],
    values: Any,
    where: Keys,
    errors: list[ErrorDetails],
    elsewhere: Callable[[str], str],
) -> InputError:
    """One of pydantic's complaints: an unknown key first, which may explain one that is missing."""
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    if first["type"] == "misplaced":
        context = first["ctx"]
        keys, value = (*_place(first, values)[0], *context["keys"]), None
        return source.error((*where, *keys), context["problem"], value=value, accepted=context["accepted"])
    keys, here = _place(first, values)
    place = (*where, *keys)
    if first["type"] == "extra_forbidden":
        inner = _model_at(model, keys[:-1])
        return unknown_key_error(
            source, place, [each.alias or name for name, each in inner.model_fields.items()], elsewhere
        )
    if first["type"] == "missing":
        return source.error(place, "is missing", accepted=_needed(model, keys))
    about = [each for each in errors if _place(each, values)[0] == keys]
    value = here if keys else None
    if all(each["type"] in bounds.OUT_OF_BOUNDS for each in about):
        field = _field_or_its_table(model, keys)
        unit, examples = (None, None) if field is None else (extra(field, "unit"), extra(field, "examples"))
        fitting = dict.fromkeys(bounds.accepted_bounds(each, field, examples, unit) for each in about)
        return source.error(place, bounds.problem(first), value=value, accepted=" or ".join(fitting))
    if first["type"] == "string_pattern_mismatch":
        return source.error(place, "is wrong", value=value, accepted=_accepted(model, keys))
    wanted = [_wanted(each) for each in about]
    if not wanted[0]:
        message = first["msg"].removeprefix("Value error, ")
        problem = message[:1].lower() + message[1:]
        return source.error(place, problem, value=value, accepted=_accepted(model, keys))
    accepted = " or ".join(dict.fromkeys(each for each in wanted if each))
    return source.error(place, "is wrong", value=value, accepted=accepted)


def _wanted(error: ErrorDetails) -> str:
    """What pydantic expects of the value; nothing where its message is of another form."""
    wanted = error["msg"].removeprefix("Input should be ")
    if wanted.startswith("a valid dictionary"):  # "… or instance of" a class of ours
        return "a table"
    return "" if wanted == error["msg"] else _PLAINER.get(wanted, wanted)


def _place(error: ErrorDetails, values: Any) -> tuple[Keys, Any]:
    """The keys of the file that a complaint is about (pydantic adds names of types), and the value there."""
    keys: list[str | int] = []
    here = values
    for part in error["loc"]:
        if isinstance(here, dict) and part in here:
            here = here[str(part)]
            keys.append(part)
        elif isinstance(here, list) and isinstance(part, int):
            here = here[part] if part < len(here) else None
            keys.append(part)
        elif not keys or error["type"] == "missing":
            keys.append(part)
    return tuple(keys), here


def field_at(model: type[BaseModel], keys: Sequence[str | int]) -> FieldInfo | None:
    """The field at these keys below a table; None where no model has it."""
    *outer, last = [key for key in keys if not isinstance(key, int)] or [""]
    inner = _model_at(model, outer)
    return next((each for name, each in inner.model_fields.items() if (each.alias or name) == last), None)


def _field_or_its_table(model: type[BaseModel], keys: Sequence[str | int]) -> FieldInfo | None:
    """The field at these keys; of a key in a table whose keys are free, the table's."""
    return field_at(model, keys) or field_at(model, keys[:-1])


def _model_at(model: type[BaseModel], keys: Sequence[str | int]) -> type[BaseModel]:
    """The model of the table at these keys; the last one on the way that has a model."""
    for key in keys:
        if isinstance(key, int):
            continue
        found = next((each for name, each in model.model_fields.items() if (each.alias or name) == key), None)
        inner = _model_of(found.annotation) if found else None
        if inner is None:
            return model
        model = inner
    return model


def _model_of(annotation: Any) -> type[BaseModel] | None:
    """The table that a field holds, or that a list or a choice of types in it holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in typing.get_args(annotation) if (found := _model_of(inner))), None)


def extra(field: FieldInfo, name: str) -> Any:
    """A named entry of a field's `json_schema_extra`, such as its unit; None without one."""
    return _extra(field.annotation, [field, *field.metadata], name)


def _extra(annotation: Any, metadata: Iterable[Any], name: str) -> Any:
    for meta in (*metadata, *getattr(annotation, "__metadata__", ())):
        extra = getattr(meta, "json_schema_extra", None)
        if isinstance(extra, dict) and name in extra:
            return extra[name]
    found = (_extra(inner, (), name) for inner in typing.get_args(annotation))
    return next((each for each in found if each is not None), None)


def _needed(model: type[BaseModel], keys: Keys) -> str | None:
    """What a key that is missing has to be: its meaning, and of a number its kind and bounds too."""
    field = field_at(model, keys)
    meaning = _accepted(model, keys)
    held = None if field is None or field.title else bounds.number(field, extra(field, "unit"))
    return f"{held}: {meaning}" if held and meaning else held or meaning


def _accepted(model: type[BaseModel], keys: Keys) -> str | None:
    """What a field accepts: the phrase of its record, its description, examples with units."""
    field = _field_or_its_table(model, keys)
    if field is None:
        return None
    text = field.description or ""
    if field.title:
        return f"{field.title} ({text})"
    examples = extra(field, "examples")
    return f"{text}; such as {examples}" if examples else text or None
