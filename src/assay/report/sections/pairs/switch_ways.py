"""The ways of messages along a tree of switches, which a batch system or a file states (machine/switch_tree.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.machine.switch_tree import SwitchTree

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class SwitchWays:
    """Of each pair of nodes the links and the switches of the way (nodes, nodes, hops), -1 for none.

    `ends`: name, kind, from and to of each link. `alike` (nodes, nodes): equal for ways of as many links up and down.
    """

    links: Integers
    ends: list[list[str]]
    alike: Integers
    switches: Integers
    names: list[str]


def switch_ways(tree: SwitchTree, nodes: Sequence[str]) -> SwitchWays | None:
    """Lay out the ways between nodes; None where one is connected to no switch, or all to the same one."""
    leaves = [tree.find(node) for node in nodes]
    known = [leaf for leaf in leaves if leaf is not None]
    if len(known) < len(leaves):
        return None
    links: dict[tuple[str, str], int] = {}
    switches: dict[str, int] = {}
    crossed: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    levels: dict[tuple[str, str], int] = {}
    for source in dict.fromkeys(known):
        for target in dict.fromkeys(known):
            up, down = tree.way(source, target)
            hops = [*pairwise(up), *pairwise(down)]
            of_links = [links.setdefault(hop, len(links)) for hop in hops]
            of_switches = [switches.setdefault(each, len(switches)) for each in dict.fromkeys([*up, *down])]
            crossed[source, target] = of_links, of_switches
            levels[source, target] = len(up) * 1000 + len(down)
    if not links:
        return None
    count = len(known)
    most = [max((len(each[part]) for each in crossed.values()), default=0) for part in (0, 1)]
    found = [np.full((count, count, max(1, each)), -1, np.int64) for each in most]
    alike = np.full((count, count), -1, np.int64)
    for row, source in enumerate(known):
        for column, target in enumerate(known):
            if row != column:
                alike[row, column] = levels[source, target]
                for into, part in zip(found, crossed[source, target], strict=True):
                    into[row, column, : len(part)] = part
    alike[alike >= 0] = np.unique(alike[alike >= 0], return_inverse=True)[1]
    ends = [[f"{a} to {b}", "network", a, b] for a, b in links]
    return SwitchWays(found[0], ends, alike, found[1], list(switches))
