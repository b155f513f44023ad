"""The axes of `assay simulate --sweep KEY=V1,V2,…`: their values, and which keys a search for saturation leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.errors import InputError


def values(axis: str) -> list[str]:
    """`KEY=VALUE` for each value of an axis, which are parted at commas outside brackets and quotes.

    InputError where it has no key or an empty value.
    """
    key, equals, text = axis.partition("=")
    found = [value.strip() for value in _parted(text)]
    if not equals or not all(found):
        accepted = "KEY=V1,V2,… such as traffic.load=0.1,0.2,0.3"
        raise InputError("is not an axis", key="--sweep", value=axis, accepted=accepted)
    return [f"{key}={value}" for value in found]


def _parted(text: str) -> Iterator[str]:
    """A list or a table of TOML's is one value, and so is a text in quotes."""
    start = depth = 0
    quote = ""
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def refuse_searched(axes: Sequence[str]) -> None:
    """Refuse a sweep over the load where that is what the search looks for: all its points would be the same."""
    from assay.network.offered import KEYS
    from assay.toml.no_effect import PROBLEM
    from assay.toml.overriding import keys_of

    for axis in axes:
        dotted, _, text = axis.partition("=")
        key = ".".join(str(part) for part in keys_of(dotted))
        if key in KEYS:
            accepted = "another key: --saturation looks for the load itself"
            raise InputError(PROBLEM, key=f"--sweep {key}", value=text, accepted=accepted)
