"""What the core refuses, as an error about a key that a person has set: got …, expected …."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.errors import InputError
from assay.toml.source import Source

LANES = ("network", "lanes")
REFUSED = "is more than 1, but a circuit takes whole channels"  # the core's words (core/network/choose.cpp)
UNJOINED = re.compile(r"names (\d+) to (\d+), which no link joins")  # (core/network/slower_links.cpp, registry.cpp)
NO_MORE = 'on a ring or torus with dateline = "none" (which can deadlock)'


def refused(source: Source, keys: Sequence[str | int], problem: str) -> InputError:
    """The core's error about a key: two routers without a link, or what it has in words of its own.

    Where it is that the routing needs lanes that were not requested, it is about the switching.

    `source`: what was read and set from outside.
    """
    if unjoined := UNJOINED.fullmatch(problem):
        ends = [int(each) for each in unjoined.groups()]
        return source.error(keys, problem, value=ends, accepted="two routers that a link of this topology joins")
    if tuple(keys) != LANES or not problem.startswith(REFUSED):
        return source.error(keys, problem)
    if source.states(LANES):
        return source.error(LANES, REFUSED, accepted=f"1, and a routing that needs no more: {NO_MORE}")
    return source.error(
        ("network", "switching"),
        "messages take whole channels, but the routing of this network needs several lanes a channel",
        value="circuit",
        accepted=f"a routing that needs one, {NO_MORE}, or another switching",
    )
