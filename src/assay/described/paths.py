"""The way of a message through a described machine's network: the routers that it passes, by the simulator's routes."""

from __future__ import annotations

from assay.described.machine_file import DescribedMachine

KEYS = ("topology", "routing", "dimension", "extents", "nodes", "order", "links", "radix", "levels")  # of the geometry


def passed(description: DescribedMachine, pairs: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """For each pair of nodes (from, to) the routers of its most likely way, the first and the last included.

    Raises ValueError where the machine has no network, or one whose geometry has further keys.
    """
    from assay._core import network as core

    network = description.for_core().get("network")
    if network is None:
        raise ValueError(f"{description.name} has no network")
    net = core.build_network({key: value for key, value in network.items() if key in KEYS})
    links = net.links
    found = []
    for source, target in pairs:
        _, way = max(net.routes(source, target), key=lambda each: each[0])
        found.append(tuple(int(links[link]["to"]) for link, _ in way[:-1]))
    return found
