"""A laboratory's hosts, switches, cables and routes, taken from the simulator's own topology and routing.

Hosts are `n0`, `n1`, … by node. The routers of an indirect network are switches `s0`, `s1`, …; those of a direct one
are the hosts themselves, which forward what passes. A cable is named by its ends: `n0-n1`, `n0-s0`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.toml.source import TomlTable, TomlValue

if TYPE_CHECKING:
    from assay._core.network import Network

MOST_HOSTS = 64  # namespaces of one machine; each pair has a route of its own
ACCEPTED = "hypercube:3, mesh:3x3, torus:4x4, ring:6, star:8 or fat-tree:2x4 (2 nodes at each of 4 leaf switches)"
_INDIRECT = ("fat-tree",)


@dataclass(frozen=True)
class Cable:
    """A cable between two vertices, both ways alike; `place`: how a description's [[network.links]] names it."""

    ends: tuple[str, str]
    place: tuple[tuple[str, TomlValue], ...]

    @property
    def name(self) -> str:
        """Its ends."""
        return "-".join(self.ends)


@dataclass(frozen=True)
class LaboratoryLayout:
    """`topology`: as given; `network`: the keys of a description's [network] that define it."""

    topology: str
    network: tuple[tuple[str, TomlValue], ...]

    @cached_property
    def _built(self) -> Network:
        from assay._core import network as core

        try:
            return core.build_network(dict(self.network))
        except ValueError as error:
            raise InputError(f"is no topology ({error.args[-1]})", key="topology", value=self.topology) from None

    @property
    def nodes(self) -> int:
        """How many hosts ranks can run on."""
        return int(self._built.nodes)

    @property
    def hosts(self) -> list[str]:
        """The names of the hosts that ranks run on, by node."""
        return [f"n{node}" for node in range(self.nodes)]

    @property
    def switches(self) -> list[str]:
        """The names of what only forwards."""
        return [f"s{router}" for router in range(self._built.routers)] if self._indirect else []

    @property
    def _indirect(self) -> bool:
        return dict(self.network)["topology"] in _INDIRECT

    def _ends(self, link: Mapping[str, object]) -> tuple[str, str]:
        router = "s" if self._indirect else "n"
        kind = link["kind"]
        return (
            f"{'n' if kind == 'injection' else router}{link['from']}",
            f"{'n' if kind == 'ejection' else router}{link['to']}",
        )

    @cached_property
    def cables(self) -> list[Cable]:
        """All cables, in the order of the simulator's links."""
        found: dict[frozenset[str], Cable] = {}
        for link in self._built.links:
            a, b = self._ends(link)
            if a != b:
                place = {"routers": [link["from"], link["to"]]}
                if link["kind"] != "network":
                    place = {"node": link["from" if link["kind"] == "injection" else "to"]}
                found.setdefault(frozenset((a, b)), Cable((a, b), tuple(place.items())))
        return list(found.values())

    @cached_property
    def hops(self) -> list[list[int]]:
        """From each host to each, the links between routers that a message crosses, as a simulated machine has them."""
        links = self._built.links

        def between(source: int, target: int) -> int:
            if source == target:
                return 0
            return sum(links[link]["kind"] == "network" for link, _ in self._built.routes(source, target, 64)[0][1])

        return [[between(source, target) for target in range(self.nodes)] for source in range(self.nodes)]

    @cached_property
    def routes(self) -> dict[str, dict[str, int]]:
        """At each vertex, by destination host, the number of the cable that leads there."""
        number = {frozenset(cable.ends): at for at, cable in enumerate(self.cables)}
        found: dict[str, dict[str, int]] = {vertex: {} for vertex in [*self.hosts, *self.switches]}
        links = self._built.links
        for source in range(self.nodes):
            for target in range(self.nodes):
                if source == target:
                    continue
                (_, way), *others = self._built.routes(source, target, 64)
                for link, _ in way:
                    a, b = self._ends(links[link])
                    if a != b and found[a].setdefault(f"n{target}", at := number[frozenset((a, b))]) != at:
                        others.append(way)
                if others:
                    raise InputError("has several ways between two hosts", key="topology", value=self.topology)
        return found

    def cable(self, name: str) -> int:
        """The number of a cable by its name, whichever end is first; InputError where there is none."""
        ends = frozenset(name.split("-"))
        for at, each in enumerate(self.cables):
            if frozenset(each.ends) == ends:
                return at
        some = ", ".join(each.name for each in self.cables[:4])
        raise InputError("no such link", key="--slow", value=name, accepted=f"one of {some}, …")


def layout(topology: str) -> LaboratoryLayout:
    """The layout of `hypercube:3`, `mesh:3x3` and so on; InputError names what is accepted."""
    kind, _, size = topology.partition(":")
    given = [int(each) for each in size.split("x")] if re.fullmatch(r"\d{1,4}(x\d{1,4}){0,3}", size) else []
    sizes: list[TomlValue] = [*given]
    network: TomlTable | None = None
    match kind, given:
        case "hypercube", [dimension] if 1 <= dimension <= 6:
            network = {"dimension": dimension}
        case "mesh", [_, _, *_]:
            network = {"extents": sizes}
        case "torus", [_, _, *_]:
            network = {"extents": sizes, "tie": "plus"}
        case "ring" | "star", [nodes]:
            network = {"nodes": nodes}
        case "fat-tree", [_, _, *_]:
            network = {"children": sizes}
    if network is None:
        raise InputError("no such topology", key="topology", value=topology, accepted=ACCEPTED)
    hosts = 1
    for each in [2] if kind == "hypercube" else given:
        hosts *= each
    if not 2 <= hosts <= MOST_HOSTS:
        raise InputError(f"has {hosts} hosts", key="topology", value=topology, accepted=f"2 to {MOST_HOSTS} hosts")
    return LaboratoryLayout(topology, tuple(({"topology": kind} | network).items()))
