"""Tables of a record as dataclasses and named tuples: every key has a type there, and a fault names its key.

The fields say all: type, default, and by `key()` what the key is called in the record, what is wrong
with a value of another type, and what is accepted. A converter is made once for each type: a command reads up to a
hundred records before it does anything, and importing pydantic alone takes as long as reading all of them.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import types
import typing
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import MISSING, field
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

Keys = tuple[str, ...]
Converter = Callable[[Any, Keys], Any]
Made = TypeVar("Made")
Scalar = int | float | str
Profile = Literal["quick", "standard", "full"]
PROFILES: tuple[Profile, ...] = ("quick", "standard", "full")


class RecordError(Exception):
    """A fault at a key of a record; the reader of the file adds file and line."""

    def __init__(self, problem: str, keys: Keys, value: object = None, accepted: str | None = None) -> None:
        """As InputError; `keys` lead from the record's top to the value."""
        super().__init__(f"{'.'.join(keys)}: {problem}")
        self.problem, self.keys, self.value, self.accepted = problem, keys, value, accepted


def key(
    name: str | None = None,
    *,
    default: Any = MISSING,
    problem: str | None = None,
    accepted: str | None = None,
    least: float | None = None,
    above: float | None = None,
    by_profile: bool = False,
) -> Any:
    """Define a field of a record's table: `name` is its key there, where that is not the field's own name.

    `least` and `above` bound its numbers. A field `by_profile` is a mapping: its keys are `name` with a profile's name
    behind it (`slice_quick`), each as a key of the record.
    """
    options = {"key": name, "problem": problem, "accepted": accepted, "least": least, "above": above}
    return field(default=default, metadata={**options, "by_profile": by_profile})


def mapping(name: str | None = None, *, by_profile: bool = False, above: float | None = None) -> Any:
    """Define a field that is a mapping, empty where the record has no such sections."""
    return field(default_factory=dict, metadata={"key": name, "by_profile": by_profile, "above": above})


def given() -> Any:
    """Define a field that the reader gives: it is no key of the record."""
    return field(metadata={"given": True})


def decode(kind: type[Made], table: Mapping[str, Any], keys: Keys = (), **others: Any) -> Made:
    """Make a dataclass of a table; RecordError for a key that is unknown, missing, or of another type."""
    reads = _reads(typing.cast(Hashable, kind))
    for name in table:
        if name not in reads.by_key:
            near = difflib.get_close_matches(name, reads.by_key, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise RecordError(reads.renamed.get(name, f"no such key{hint}"), (*keys, name),
                              accepted=None if name in reads.renamed else ", ".join(sorted(reads.by_key)))  # fmt: skip
    found = dict(others)
    by_profile: dict[str, dict[Profile, Any]] = {}
    for name, value in table.items():
        attribute, profile, convert = reads.by_key[name]
        if profile is None:
            found[attribute] = convert(value, (*keys, name))
        else:
            by_profile.setdefault(attribute, {})[profile] = convert(value, (*keys, name))
    for attribute, values in by_profile.items():
        found[attribute] = {profile: values[profile] for profile in PROFILES if profile in values}
    for attribute, name, problem, accepted in reads.required:
        if attribute not in found:
            raise RecordError(problem, (*keys, name), accepted=accepted)
    return kind(**found)


class _Reads(NamedTuple):
    """How a table is read: its field, profile and converter by key; what it cannot do without; former keys."""

    by_key: Mapping[str, tuple[str, Profile | None, Converter]]
    required: tuple[tuple[str, str, str, str | None], ...]
    renamed: Mapping[str, str]


@functools.cache
def _reads(kind: Hashable) -> _Reads:
    hints = typing.get_type_hints(kind, include_extras=True)
    by_key: dict[str, tuple[str, Profile | None, Converter]] = {}
    required = []
    for attribute, stated, default in _fields(kind):
        if stated.get("given"):
            continue
        hint = hints[attribute]
        if typing.get_origin(hint) is Annotated:
            hint, stated = typing.get_args(hint)
        name = attribute if stated.get("key") is None else stated["key"]
        about = {side: value for side, value in stated.items() if value is not None}
        if stated.get("by_profile"):
            convert = _converter(typing.get_args(hint)[1], about)
            by_key |= {f"{name}{profile}": (attribute, profile, convert) for profile in PROFILES}
            continue
        convert = _converter(hint, about | {"empty": default == ""})
        by_key[name] = (attribute, None, convert)
        if default is MISSING:
            text = hint is str
            problem = "must be a text" if text else "missing"
            required.append((attribute, name, problem, about.get("accepted", "a text in quotes" if text else None)))
    return _Reads(by_key, tuple(required), getattr(kind, "RENAMED", {}))


def _fields(kind: Any) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """The fields of a dataclass or a named tuple: name, its options, and its default or MISSING."""
    if not dataclasses.is_dataclass(kind):
        yield from ((name, {}, kind._field_defaults.get(name, MISSING)) for name in kind._fields)
        return
    for each in dataclasses.fields(kind):
        yield each.name, each.metadata, each.default if each.default_factory is MISSING else each.default_factory


def _is_table(hint: Any) -> bool:
    return dataclasses.is_dataclass(hint) or hasattr(hint, "_field_defaults")


def _converter(hint: Any, about: Mapping[str, Any]) -> Converter:
    """The converter of a type; `about`: what key() says of it."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union) and type(None) in inner:
        rest = [each for each in inner if each is not type(None)]
        return _converter(rest[0] if len(rest) == 1 else typing.Union[tuple(rest)], about)  # noqa: UP007
    if _is_table(hint):
        return _table(hint, about)
    if origin in (dict, Mapping, typing.get_origin(Mapping[str, int])):
        return _mapping(inner[1], about)
    if origin is tuple:
        return _list(inner[0], about)
    if origin is frozenset:
        several = _list(inner[0], about)
        return lambda value, keys: frozenset(several(value, keys))
    if origin is typing.Literal:
        return _choice(inner, about)
    if hint is str:
        return _text(about)
    if origin in (types.UnionType, typing.Union):
        return _union(inner, about)
    return _plain((hint,), about)


def _refused(value: Any, keys: Keys, about: Mapping[str, Any], problem: str, accepted: str) -> RecordError:
    return RecordError(about.get("problem", problem), keys, value, about.get("accepted", accepted))


def _text(about: Mapping[str, Any]) -> Converter:
    empty = about.get("empty")

    def convert(value: Any, keys: Keys) -> str:
        if not isinstance(value, str) or not (empty or value.strip()):
            raise _refused(value, keys, about, "must be a text", "a text in quotes")
        return value

    return convert


def _plain(kinds: tuple[type, ...], about: Mapping[str, Any]) -> Converter:
    """A number, a truth value, or one of several such types; a whole number is a real one too."""
    accepts = (*kinds, int) if float in kinds else kinds
    least, above = about.get("least"), about.get("above")
    bounded = f" from {least:g}" if least is not None else f" above {above:g}" if above is not None else ""
    names = {int: f"a whole number{bounded}", float: f"a number{bounded}", bool: "true or false", str: "a text"}
    accepted = ", or ".join(names[kind] for kind in kinds if not (kind is int and float in kinds))

    def convert(value: Any, keys: Keys) -> Any:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = isinstance(value, accepts) and (bool in kinds or not isinstance(value, bool))
        low = number and ((least is not None and value < least) or (above is not None and value <= above))
        if not fits or low:
            raise _refused(value, keys, about, f"is not {accepted}", accepted)
        return value

    return convert


def _union(inner: tuple[Any, ...], about: Mapping[str, Any]) -> Converter:
    """Plain types, words, and lists of these: the first that takes the value."""
    lists = [each for each in inner if typing.get_origin(each) is tuple]
    words = tuple(word for each in inner if typing.get_origin(each) is typing.Literal for word in typing.get_args(each))
    plain = _plain(tuple(each for each in inner if isinstance(each, type)), about)
    many = _list(typing.get_args(lists[0])[0], about) if lists else None

    def convert(value: Any, keys: Keys) -> Any:
        if many is not None and isinstance(value, list):
            return many(value, keys)
        return value if words and isinstance(value, str) and value in words else plain(value, keys)

    return convert


def _choice(words: tuple[Any, ...], about: Mapping[str, Any]) -> Converter:
    accepted = ", ".join(map(str, words))

    def convert(value: Any, keys: Keys) -> Any:
        if value not in words:
            raise _refused(value, keys, about, "is none of these", accepted)
        return value

    return convert


def _list(inner: Any, about: Mapping[str, Any]) -> Converter:
    one = _converter(inner, {})
    words = typing.get_args(inner) if typing.get_origin(inner) is typing.Literal else ()
    accepted = f"a list of {', '.join(map(str, words))}" if words else "a list"

    def convert(value: Any, keys: Keys) -> tuple[Any, ...]:
        try:
            if isinstance(value, list):
                return tuple([one(each, keys) for each in value])
        except RecordError as error:
            texts = "a list of texts" if inner is str else f"a list of {error.accepted}"
            raise _refused(value, keys, about, "is none of them" if words else "is no such list",
                           accepted if words else texts) from None  # fmt: skip
        raise _refused(value, keys, about, "is no list", accepted)

    return convert


def _mapping(inner: Any, about: Mapping[str, Any]) -> Converter:
    one = _converter(inner, {})
    sections = _is_table(inner)
    named = sections and any(name == "name" for name, _, _ in _fields(inner))

    def convert(value: Any, keys: Keys) -> Mapping[str, Any]:
        if not isinstance(value, dict) or (sections and not all(isinstance(each, dict) for each in value.values())):
            dotted = ".".join(keys)
            raise _refused(None, keys, about, "takes sections" if sections else "is no table", f"[{dotted}.NAME]"
                           if sections else f"[{dotted}]")  # fmt: skip
        if named:
            return {name: decode(inner, each, (*keys, name), name=name) for name, each in value.items()}
        return {name: one(each, (*keys, name)) for name, each in value.items()}

    return convert


def _table(kind: type[Any], about: Mapping[str, Any]) -> Converter:
    def convert(value: Any, keys: Keys) -> Any:
        if not isinstance(value, dict):
            raise _refused(value, keys, about, "is no table", f"[{'.'.join(keys)}]")
        return decode(kind, value, keys)

    return convert
