"""A key that is set twice on one command line: refused, where the last value would have won without a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.errors import InputError


def each_once(
    words: Sequence[str], several: Callable[[str], bool] = lambda key: False, *, option: str = "--set"
) -> None:
    """InputError where a key of KEY=VALUE words is there twice; `several`: whether it takes values with commas."""
    seen: dict[str, str] = {}
    for word in words:
        key, equals, value = (part.strip() for part in word.partition("="))
        if equals and key in seen:
            accepted = "each key once"
            if several(key):
                accepted += f", several values with commas: {key}={seen[key]},{value}"
            both = f"{key}={seen[key]} {key}={value}"
            raise InputError("is given twice", key=f"{option} {key}", value=both, accepted=accepted)
        seen[key] = value
