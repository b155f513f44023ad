"""Which nodes the ranks of a described machine are on, and which links a message between two of them crosses.

To what a program that measures all pairs (`pairs = true` in its record) writes, a line is added, so that what is slow
can be localised from the run's files alone:

    {"event":"pairs","nodes":[…],"ways":[…],"hops":H,"links":[[name, kind, from, to], …]}

`nodes`: the node of each rank. `ways`: for each of these nodes, in ascending order, to each other one, the links of the
way, H of each, -1 where there are fewer; left out, as `links`, without a network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.described.machine_file import DescribedMachine
from assay.network.engine import link_name

MOST_WAYS = 64  # of one pair; with more the ways are as good as unknown


@dataclass(frozen=True)
class Ways:
    """`links` (pairs of nodes, most hops): those that every message of a pair crosses, -1 for none.

    Pair (a, b) of n nodes is row a n + b. `ends`: each link's properties, as of `assay.network.engine.channels`.
    """

    nodes: int
    links: NDArray[np.int64]
    ends: list[Mapping[str, Any]]


def ways(machine: DescribedMachine, nodes: Sequence[int]) -> Ways | None:
    """Give the ways between these nodes; None without a network, or where a pair has more than MOST_WAYS.

    Where a pair has several ways, its links are those that all have in common.
    """
    from assay._core import network as core

    description = machine.network_description()
    if description is None:
        return None
    net = core.build_network(description.fabric())
    found: list[list[int]] = [[]] * (len(nodes) * len(nodes))
    for row, source in enumerate(nodes):
        for column, target in enumerate(nodes):
            if source != target:
                try:
                    routes = net.routes(source, target, MOST_WAYS)
                except ValueError:
                    return None
                found[row * len(nodes) + column] = _common(routes)
    longest = max(map(len, found), default=0)
    links = np.full((len(found), longest), -1, np.int64)
    for row, way in enumerate(found):
        links[row, : len(way)] = way
    return Ways(len(nodes), links, net.links)


def _common(routes: list[tuple[float, list[tuple[int, int]]]]) -> list[int]:
    first = [link for link, _ in routes[0][1]]
    if len(routes) == 1:
        return first
    others = [{link for link, _ in way} for _, way in routes[1:]]
    return [link for link in first if all(link in other for other in others)]


def with_ways(lines: str, machine: DescribedMachine, nodes: Sequence[int]) -> str:
    """Give a program's lines, and before the last one the nodes of its ranks and the ways between them.

    `nodes`: of each rank.
    """
    there = sorted(set(nodes))
    event: dict[str, Any] = {"event": "pairs", "nodes": list(nodes)}
    found = ways(machine, there) if len(there) > 1 else None
    if found is not None:
        apart = ~np.eye(found.nodes, dtype=bool).ravel()
        links = [[link_name(each), each["kind"], each["from"], each["to"]] for each in found.ends]
        event |= {"ways": found.links[apart].ravel().tolist(), "hops": found.links.shape[1], "links": links}
    last = lines.rindex("\n", 0, -1) + 1
    return lines[:last] + json.dumps(event, separators=(",", ":")) + "\n" + lines[last:]
