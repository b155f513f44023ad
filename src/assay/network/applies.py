"""Keys that change nothing where they stand are refused: a person who wrote one believes that it does.

A key may belong to one switching, pattern or length of a run. A key at its default says nothing and is no fault; nor is
a key of the file that is idle only because of what is set from outside (`--set`, `--sweep`), so that a sweep over
patterns can have hotspots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from assay.errors import InputError
from assay.network import network_tables

PROBLEM = "has no effect here"
PACKETS = ("cut-through", "store-and-forward")
Given = Mapping[str, Mapping[str, Any]]


class Described(Protocol):
    """What a description has; `assay.network.description` asks here, not the other way round."""

    @property
    def network(self) -> Any:
        """[network], with the keys of its topology and routing."""

    @property
    def traffic(self) -> network_tables.TrafficTable:
        """[traffic]."""

    @property
    def io(self) -> network_tables.InputOutput | None:
        """[io]."""

    @property
    def method(self) -> network_tables.Method:
        """[method]."""

    @property
    def source(self) -> Any:
        """Where it was read, and what was set from outside (`overrides`); makes the error."""


@dataclass(frozen=True)
class Rule:
    """Keys of a table that count only where `holds`."""

    table: str
    keys: tuple[str, ...]
    accepted: str
    holds: Callable[[Described, Given], bool]


RULES = (
    Rule(
        "network",
        ("buffer_flits",),
        'with switching = "wormhole"; packets have buffer_packets',
        lambda found, _: found.network.switching == "wormhole",
    ),
    Rule(
        "network",
        ("buffers",),
        'with switching = "cut-through" or "store-and-forward"',
        lambda found, _: found.network.switching in PACKETS,
    ),
    Rule(
        "network",
        ("buffer_packets",),
        'with switching = "cut-through" or "store-and-forward"; with buffers = "output" only behind output_packets',
        lambda found, _: (
            found.network.switching in PACKETS
            and (found.network.buffers != "output" or found.network.output_packets > 0)
        ),
    ),
    Rule(
        "network",
        ("output_packets",),
        'with switching = "cut-through" or "store-and-forward", and buffers = "output"',
        lambda found, _: found.network.switching in PACKETS and found.network.buffers == "output",
    ),
    Rule(
        "network",
        ("circuit_release", "acknowledgement"),
        'with switching = "circuit"',
        lambda found, _: found.network.switching == "circuit",
    ),
    Rule(
        "network",
        ("credit_ticks",),
        'with another switching than "circuit", whose messages hold their links and need no credits',
        lambda found, _: found.network.switching != "circuit",
    ),
    Rule(
        "network",
        ("packet_gap",),
        "with packet_flits, which cuts messages into packets",
        lambda found, _: found.network.packet_flits > 0,
    ),
    Rule(
        "network",
        ("failed_one_way",),
        "with failed_links",
        lambda _, given: bool(given["network"].get("failed_links")),
    ),
    Rule(
        "network",
        ("tie", "dateline"),
        'with topology = "ring" or "torus", where links lead round',
        lambda found, _: found.network.topology in ("ring", "torus"),
    ),
    Rule(
        "network",
        ("radix", "dimensions"),
        "instead of extents",
        lambda _, given: "extents" not in given["network"],
    ),
    Rule(
        "network",
        ("taper",),
        "instead of parents",
        lambda _, given: "parents" not in given["network"],
    ),
    Rule(
        "network",
        ("links",),
        "instead of a file",
        lambda _, given: "file" not in given["network"],
    ),
    Rule(
        "network",
        ("injection_channels", "ejection_channels"),
        "without [io], whose k is their number",
        lambda found, _: found.io is None,
    ),
    Rule(
        "traffic",
        ("self",),
        'with pattern = "uniform", or "hotspot"',
        lambda found, _: found.traffic.pattern in ("uniform", "hotspot"),
    ),
    Rule(
        "traffic",
        ("hotspots", "hotspot_share"),
        'with pattern = "hotspot"',
        lambda found, _: found.traffic.pattern == "hotspot",
    ),
    Rule(
        "traffic",
        ("radius", "locality"),
        'with pattern = "spherical"',
        lambda found, _: found.traffic.pattern == "spherical",
    ),
    Rule(
        "traffic",
        ("burst_messages",),
        'with arrivals = "burst"',
        lambda found, _: found.traffic.arrivals == "burst",
    ),
    Rule(
        "io",
        ("n", "r"),
        "with an I/O network, b of 1 or more",
        lambda found, _: bool(found.io and found.io.b),
    ),
    Rule(
        "method",
        ("utilisation",),
        "without [io], whose links are not watched",
        lambda found, given: found.io is None or not given["method"]["utilisation"],
    ),
    Rule(
        "method",
        ("warmup_cycles",),
        "instead of warmup_messages",
        lambda found, _: found.method.warmup_messages == 0,
    ),
    Rule(
        "method",
        ("max_replications",),
        "without replications, and without cycles, which alone are one replication",
        lambda found, _: found.method.replications is None and found.method.cycles is None,
    ),
)


@dataclass(frozen=True)
class Idle:
    """A key that changes nothing, and where it would."""

    table: str
    key: str
    value: Any
    accepted: str


def idle(found: Described, given: Given) -> Iterator[Idle]:
    """All keys of `given`, the tables as they were written, that change nothing."""
    tables: dict[str, BaseModel | None] = {
        "network": found.network,
        "traffic": found.traffic,
        "io": found.io,
        "method": found.method,
    }
    if found.io is not None:
        for key, value in given.get("traffic", {}).items():
            yield Idle("traffic", key, value, "without [io], whose elements send what it says itself")
    for rule in RULES:
        for key in rule.keys:
            model = tables[rule.table]
            if model is None or key not in given.get(rule.table, {}) or rule.holds(found, given):
                continue
            if getattr(model, key) != type(model).model_fields[key].default:
                yield Idle(rule.table, key, given[rule.table][key], rule.accepted)


def check(found: Described, given: Given, filed: Callable[[], tuple[Described, Given]]) -> None:
    """Refuse the first key that changes nothing; InputError. `filed`: the same without what was set from outside."""
    overridden = {keys for keys, _ in found.source.overrides}
    own: set[tuple[str, str]] | None = None
    for one in idle(found, given):
        if overridden and own is None:
            try:
                own = {(each.table, each.key) for each in idle(*filed())}
            except InputError:  # incomplete without what was set
                own = set()
        if own is None or (one.table, one.key) in overridden | own:
            keys = (one.table, one.key)
            raise found.source.error(keys, PROBLEM, value=one.value, accepted=one.accepted)
