"""Which nodes the ranks of a described machine are on, and which links a message between two of them crosses.

To what a program that measures all pairs (`pairs = true` in its record) writes, a line is added, so that what is slow
can be localised from the run's files alone:

    {"event":"pairs","nodes":[…],"ways":[…],"hops":H,"links":[[name, kind, from, to], …],"alike":[…]}

`nodes`: the node of each rank. `ways`: for each of these nodes, in ascending order, to each other one, the links of the
way, H of each, -1 where there are fewer. `alike`: for each of these pairs a number, the same where the links of their
ways are described equally (a dragonfly's global links take longer than its local ones), so that an undisturbed message
takes as long; [[network.links]], which define slow links, do not count. Without a network only `nodes` is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.described.machine_file import DescribedMachine
from assay.network.documents import CoreLink
from assay.network.engine import link_name
from assay.program_lines import LinkEnds, PairWaysEvent

MOST_WAYS = 64  # of one pair; with more the ways are as good as unknown
OF_A_LINK = ("kind", "channels", "lanes", "buffer_flits", "flit_ticks", "body_ticks", "head_ticks", "credit_ticks")
Route = tuple[float, list[tuple[int, int]]]  # its probability, and of each hop the link and the lane


@dataclass(frozen=True)
class Ways:
    """`links` (pairs of nodes, most hops): those that every message of a pair crosses, -1 for none.

    Pair (a, b) of n nodes is row a n + b. `ends`: each link's properties, as of `assay.network.engine.channels`.
    `alike` (pairs of nodes): a number from 0, the same where the links of the ways are described equally but for those
    named as slower; -1 for a node and itself.
    """

    nodes: int
    links: NDArray[np.int64]
    ends: list[CoreLink]
    alike: NDArray[np.int64]


def ways(machine: DescribedMachine, nodes: Sequence[int]) -> Ways | None:
    """Give the ways between these nodes; None without a network, or where a pair has more than MOST_WAYS.

    Where a pair has several ways, its links are those that all have in common.
    """
    from assay._core import network as core

    description = machine.network_description()
    if description is None:
        return None
    net = core.build_network(description.fabric())
    kinds = _kinds(core.build_network(_without_slower(description.fabric())).links)
    found: list[list[int]] = [[]] * (len(nodes) * len(nodes))
    alike = np.full(len(found), -1, np.int64)
    numbers: dict[tuple[tuple[int, ...], ...], int] = {}
    for row, source in enumerate(nodes):
        for column, target in enumerate(nodes):
            if source != target:
                try:
                    routes = net.routes(source, target, MOST_WAYS)
                except ValueError:
                    return None
                found[row * len(nodes) + column] = _common(routes)
                described = tuple(sorted(tuple(sorted(kinds[link] for link, _ in way)) for _, way in routes))
                alike[row * len(nodes) + column] = numbers.setdefault(described, len(numbers))
    longest = max(map(len, found), default=0)
    links = np.full((len(found), longest), -1, np.int64)
    for row, way in enumerate(found):
        links[row, : len(way)] = way
    return Ways(len(nodes), links, net.links, alike)


def _without_slower(fabric: Mapping[str, object]) -> dict[str, object]:
    """The network without [[network.links]]; a graph's own `links`, pairs of routers, stay."""
    links = fabric.get("links")
    slower = isinstance(links, list) and bool(links) and isinstance(links[0], dict)
    return {key: value for key, value in fabric.items() if key != "links" or not slower}


def _kinds(links: Sequence[CoreLink]) -> list[int]:
    """A number for each link, the same for those that are described equally."""
    numbers: dict[tuple[Any, ...], int] = {}
    return [
        numbers.setdefault(tuple(value for key, value in link.items() if key in OF_A_LINK), len(numbers))
        for link in links
    ]


def _common(routes: list[Route]) -> list[int]:
    first = [link for link, _ in routes[0][1]]
    if len(routes) == 1:
        return first
    others = [{link for link, _ in way} for _, way in routes[1:]]
    return [link for link in first if all(link in other for other in others)]


def pairs_event(machine: DescribedMachine, nodes: Sequence[int]) -> PairWaysEvent:
    """The nodes of a program's ranks and the ways between them, as an event. `nodes`: of each rank."""
    there = sorted(set(nodes))
    event: PairWaysEvent = {"event": "pairs", "nodes": list(nodes)}
    found = ways(machine, there) if len(there) > 1 else None
    if found is not None:
        apart = ~np.eye(found.nodes, dtype=bool).ravel()
        links: list[LinkEnds] = [(link_name(each), each["kind"], each["from"], each["to"]) for each in found.ends]
        event["ways"], event["hops"] = found.links[apart].ravel().tolist(), found.links.shape[1]
        event["links"], event["alike"] = links, found.alike[apart].tolist()
    return event
