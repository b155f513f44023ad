"""Places in a JSON document: keys and numbers of elements with dots between them, `*` for any one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

NOTHING: tuple[Any, ...] = (None, "", [], {})


def has(document: Any, text: str) -> bool:
    """Whether a place (`PATH`) has a value that is not empty, or the one that is named (`PATH = VALUE`)."""
    path, equals, wanted = text.partition(" = ")
    found = values(document, path.split("."))
    if equals:
        return any(_text(value) == wanted for value in found)
    return any(value not in NOTHING for value in found)


def values(document: Any, path: list[str]) -> Iterator[Any]:
    """All values at a path; nothing where there is no such place."""
    if not path:
        yield document
        return
    key, *rest = path
    if isinstance(document, Mapping):
        children = list(document.values()) if key == "*" else [document[key]] if key in document else []
    elif isinstance(document, list):
        numbered = document[int(key) : int(key) + 1] if key.isdecimal() else []
        children = list(document) if key == "*" else numbered
    else:
        children = []
    for child in children:
        yield from values(child, rest)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
