"""What the core refuses of a description, as a sentence about the key: its code decides the words."""

from __future__ import annotations

from typing import Any

from assay.errors import InputError
from assay.toml.overriding import keys_of
from assay.toml.source import Source

LANES = ("network", "lanes")
NO_MORE = 'on a ring or torus with dateline = "none" (which can deadlock)'


class CoreRefusal:
    """A `DescriptionError` of the core: a key, what is wrong with it by a code, and what goes with that code."""

    def __init__(self, error: Any) -> None:
        """`error`: a `DescriptionError` (core/network/values/bind.cpp)."""
        self.code = str(error.code)
        self.key = str(error.key)
        self.value: object = error.value
        self.expected: str | None = error.expected
        self.problem = str(error.problem)


def core_refusal(error: Exception) -> CoreRefusal | None:
    """What the core refused by a key; None of any other error."""
    from assay._core import DescriptionError

    return CoreRefusal(error) if isinstance(error, DescriptionError) else None


def refused(source: Source, found: CoreRefusal) -> InputError:
    """The refusal at its key's place in the file. `source`: what was read and set from outside.

    A routing's need of lanes that were not set is about the switching.
    """
    keys = keys_of(found.key)
    if found.code == "no-link" and isinstance(found.value, list):
        problem = f"names {found.value[0]} to {found.value[1]}, which no link joins"
        return source.error(keys, problem, value=found.value, accepted="two routers that a link of this topology joins")
    if found.code == "needs-lanes":
        if source.states(LANES):
            return source.error(LANES, found.problem, accepted=f"1, and a routing that needs no more: {NO_MORE}")
        return source.error(
            ("network", "switching"),
            "messages take whole channels, but the routing of this network needs several lanes a channel",
            value="circuit",
            accepted=f"a routing that needs one, {NO_MORE}, or another switching",
        )
    if found.code == "not-accepted":
        return source.error(keys, "is not accepted", value=found.value, accepted=found.expected)
    return source.error(keys, found.problem, accepted=found.expected)
