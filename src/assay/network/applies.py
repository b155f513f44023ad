"""Which keys of a network's file have no effect (`assay.toml.no_effect`), by switching, pattern or length
of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from assay.network import network_tables
from assay.toml.no_effect import Idle, refuse_idle
from assay.toml.source import Source

PACKETS = ("cut-through", "store-and-forward")
Given = Mapping[str, Mapping[str, object]]


class HasTables(Protocol):
    """What a description has; `assay.network.description` calls this, not the reverse."""

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
    def source(self) -> Source:
        """Where it was read, and what was set from outside (`overrides`); makes the error."""


def _slower_links(given: Given) -> bool:
    """Whether `links` are the tables of slower ones, and not a graph's own."""
    links = given["network"]["links"]
    return isinstance(links, list) and isinstance(links[0], Mapping)


@dataclass(frozen=True)
class Rule:
    """Keys of a table that count only where `holds`."""

    table: str
    keys: tuple[str, ...]
    accepted: str
    holds: Callable[[HasTables, Given], bool]


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
        'with switching = "cut-through" or "store-and-forward"',
        lambda found, _: found.network.switching in PACKETS,
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
        lambda _, given: "file" not in given["network"] or _slower_links(given),
    ),
    Rule(
        "network",
        ("link_channels", "link_delays"),
        "with links, one number for each of them",
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
        ("service",),
        "without [io.files], whose disks serve one access at a time",
        lambda found, _: found.io is None or found.io.files is None,
    ),
    Rule(
        "io",
        ("n", "r"),
        "with an I/O network, b of 1 or more",
        lambda found, _: bool(found.io and found.io.b),
    ),
    Rule(
        "io",
        ("hit_rate",),
        "without files.cache, whose hits are counted",
        lambda found, _: not (found.io and found.io.files and found.io.files.cache),
    ),
    Rule(
        "io",
        ("disk",),
        "without drive, which takes its own time",
        lambda found, _: not (found.io and found.io.drive),
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
        ("max_replications", "max_messages"),
        "without replications, and without cycles, which alone are one replication",
        lambda found, _: found.method.replications is None and found.method.cycles is None,
    ),
)


def idle(found: HasTables, given: Given) -> Iterator[Idle]:
    """All keys of `given`, the tables as they were written, that change nothing."""
    tables: dict[str, BaseModel | None] = {
        "network": found.network,
        "traffic": found.traffic,
        "io": found.io,
        "method": found.method,
    }
    if found.io is not None:
        for key, value in given.get("traffic", {}).items():
            without = "without [io], whose elements send by its own keys"
            yield Idle(("traffic", key), accepted=without, value=value)
    files = found.io.files if found.io is not None else None
    if files is not None and files.declustering > files.blocks[1]:
        accepted = f"up to {files.blocks[1]}, the blocks of the longest file"
        yield Idle(("io", "files", "declustering"), accepted=accepted, value=files.declustering)
    for rule in RULES:
        for key in rule.keys:
            model = tables[rule.table]
            if model is None or key not in given.get(rule.table, {}) or rule.holds(found, given):
                continue
            if getattr(model, key) != type(model).model_fields[key].default:
                yield Idle((rule.table, key), accepted=rule.accepted, value=given[rule.table][key])


def check(found: HasTables, given: Given, filed: Callable[[], tuple[HasTables, Given]]) -> None:
    """Refuse the first key that changes nothing; InputError. `filed`: the same without what was set from outside."""
    overridden = {keys for keys, _ in found.source.overrides}
    refuse_idle(found.source, idle(found, given), overridden, lambda: idle(*filed()))
