"""The core's records of topologies and routings: their parameters become keys of [network]."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from pydantic import JsonValue


class NetworkParameter(TypedDict):
    """One key as the core describes it: `required` has no default; `accepts` is a phrase for people."""

    name: str
    kind: Literal["integer", "number", "flag", "text", "integers", "pairs", "table"]
    default: JsonValue
    unit: str
    description: str
    accepts: str
    required: bool


class Record(TypedDict):
    """A topology (with the numbering of its nodes and its own routing) or a routing."""

    name: str
    description: str
    parameters: list[NetworkParameter]
    numbering: NotRequired[str]
    routing: NotRequired[str]


@cache
def topologies() -> dict[str, Record]:
    """All topologies by name."""
    from assay._core import network as core

    return {record["name"]: record for record in core.topologies()}


@cache
def routings() -> dict[str, Record]:
    """All routings by name."""
    from assay._core import network as core

    return {record["name"]: record for record in core.routings()}


@cache
def common() -> tuple[NetworkParameter, ...]:
    """Keys of [network] that every topology takes."""
    from assay._core import network as core

    return tuple(core.network_parameters())
