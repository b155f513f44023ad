"""Each kind of SimGrid's clusters as a network of flits.

SimGrid shares bandwidth among flows: it has no flits, packets or buffers. A flit here is `FLIT` bytes long, a cycle is
what it takes on the fastest link, latencies are whole numbers of cycles, and messages wait in switches with room for
all of them.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from assay.network.foreign.foreign_network import ForeignNetwork
from assay.network.foreign.tables import table_lines

if TYPE_CHECKING:
    from assay.network.foreign.element import Element

FLIT = 64  # B
MOST_ROUTES = 4_000_000  # rows of a dragonfly's table


def network(cluster: Element) -> ForeignNetwork:
    """Give the network of a cluster. InputError where its topology, or a setting, has no counterpart."""
    kind = cluster.given.get("topology", "FLAT").upper()
    if kind not in KINDS:
        raise cluster.wrong("topology", "has no counterpart", ", ".join(KINDS))
    if cluster.given.get("sharing_policy", "SPLITDUPLEX").upper() != "SPLITDUPLEX":
        raise cluster.wrong("sharing_policy", "has no counterpart", "SPLITDUPLEX, a link each way")
    rate, latency = cluster.rate("bw"), cluster.seconds("lat")
    notes = [f"a flit is {FLIT} B, messages are wormholes, and switches have room for all that wait"]
    keys: dict[str, object] = {"flit_bytes": FLIT, "channel_rate": rate, "buffer_flits": 0}
    keys |= _delays(latency, FLIT / rate, notes)
    tables, more = KINDS[kind](cluster, keys)
    notes += more
    ignored = [key for key in ("speed", "core", "router_id") if key in cluster.given]
    notes += [f"not used, as no part of the network: {', '.join(ignored)}"] if ignored else []
    loops = [key for key in ("loopback_bw", "loopback_lat") if key in cluster.given]
    notes += [f"not used, as a node sends nothing to itself: {', '.join(loops)}"] if loops else []
    if "limiter_link" in cluster.given:
        notes.append("left out: limiter_link, a bound of what a node or a router sends and receives together")
    notes.append("messages and load are not in the file: [traffic] has its defaults")
    return ForeignNetwork({"network": tables}, tuple(notes))


def _delays(latency: float, cycle: float, notes: list[str]) -> dict[str, int]:
    ticks = max(1, round(latency / cycle))
    if not math.isclose(ticks * cycle, latency, rel_tol=1e-3):
        notes.append(f"a link's latency is {ticks} cycles, {ticks * cycle:.4g} s for {latency:.4g} s")
    return {"head_ticks": ticks, "body_ticks": ticks}


def _flat(cluster: Element, keys: dict[str, object]) -> tuple[dict[str, object], list[str]]:
    """Private links to a crossbar, or to a backbone that all share."""
    nodes = cluster.count()
    if "bb_bw" not in cluster.given and "bb_lat" not in cluster.given:
        return {"topology": "crossbar", "nodes": nodes, **keys}, ["the crossbar itself takes no time"]
    if cluster.given.get("bb_sharing_policy", "SHARED").upper() != "SHARED":
        raise cluster.wrong("bb_sharing_policy", "has no counterpart", "SHARED, a link that all messages cross")
    own, backbone = cluster.rate("bw"), cluster.rate("bb_bw")
    fastest = max(own, backbone)
    notes: list[str] = []
    times = {}
    for name, rate in (("node_flit_ticks", own), ("flit_ticks", backbone)):
        times[name] = round(fastest / rate)
        if not math.isclose(times[name], fastest / rate, rel_tol=1e-6):
            notes.append(f"{name} is {times[name]} for {fastest / rate:.4g} cycles")
    inner = _delays(cluster.seconds("bb_lat"), FLIT / fastest, notes)
    outer = _delays(cluster.seconds("lat"), FLIT / fastest, notes)
    keys = keys | {"channel_rate": fastest} | times | inner | {f"node_{key}": ticks for key, ticks in outer.items()}
    return {"topology": "bus", "nodes": nodes, **keys}, notes


def _torus(cluster: Element, keys: dict[str, object]) -> tuple[dict[str, object], list[str]]:
    extents = cluster.integers("topo_parameters", cluster.given.get("topo_parameters", ""))
    _as_many(cluster, math.prod(extents))
    ways = 2 * len(extents)
    ports = {"injection_channels": ways, "ejection_channels": ways, "node_head_ticks": 1, "node_body_ticks": 1}
    notes = [
        "dimension order, the first dimension first; at half the way round a message goes up; two lanes, so that no "
        "deadlock can close",
        f"a node sends and takes {ways} flits at a time, a cycle after they are ready",
    ]
    return {"topology": "torus", "extents": extents, "tie": "plus", **keys, **ports}, notes


def _fat_tree(cluster: Element, keys: dict[str, object]) -> tuple[dict[str, object], list[str]]:
    parts = cluster.given.get("topo_parameters", "").split(";")
    if len(parts) != 4:
        raise cluster.wrong("topo_parameters", "is no fat tree", "levels;children;parents;cables, as 2;4,4;1,2;1,2")
    levels, children, parents, cables = (cluster.integers("topo_parameters", part) for part in parts)
    if not (len(levels) == 1 and levels[0] == len(children) == len(parents) == len(cables)):
        raise cluster.wrong("topo_parameters", "has lists that are not as long as its levels", "2;4,4;1,2;1,2")
    if parents[0] != 1:
        raise cluster.wrong(
            "topo_parameters", "joins a node to several switches: no counterpart", "one parent of nodes"
        )
    _as_many(cluster, math.prod(children))
    network = {"topology": "fat-tree", "children": children, "up": "d-mod-k", **keys}
    network |= {"injection_channels": cables[0], "ejection_channels": cables[0]}
    if len(children) > 1:
        network |= {"parents": parents[1:], "level_channels": cables[1:]}
    return network, ["D-mod-k routing; of several cables a message takes one that is free"]


def _dragonfly(cluster: Element, keys: dict[str, object]) -> tuple[dict[str, object], list[str]]:
    """Cray's XC: blades of a chassis all joined, chassis of a group joined blade by blade, a link for two groups."""
    parts = cluster.given.get("topo_parameters", "").split(";")
    if len(parts) != 4:
        raise cluster.wrong("topo_parameters", "is no dragonfly", "groups,links;chassis,links;blades,links;nodes")
    pairs = [cluster.integers("topo_parameters", part) for part in parts]
    if [len(pair) for pair in pairs] != [2, 2, 2, 1]:
        raise cluster.wrong("topo_parameters", "is no dragonfly", "groups,links;chassis,links;blades,links;nodes")
    (groups, blue), (chassis, black), (blades, green), (nodes,) = pairs
    if groups > max(blades, 1) and groups > 1:
        raise cluster.wrong("topo_parameters", f"has {groups} groups for {blades} blades", "no more groups than blades")
    routers = groups * chassis * blades
    _as_many(cluster, routers * nodes)
    if routers * routers * nodes > MOST_ROUTES:
        raise cluster.wrong("topo_parameters", "is too large for a table of its routes", f"{MOST_ROUTES:,} routes")

    def router(group: int, case: int, blade: int) -> int:
        return (group * chassis + case) * blades + blade

    links, channels = [], []
    for group, case in itertools.product(range(groups), range(chassis)):
        for a, b in itertools.combinations(range(blades), 2):
            links.append([router(group, case, a), router(group, case, b)])
            channels.append(green)
        for other, blade in itertools.product(range(case + 1, chassis), range(blades)):
            links.append([router(group, case, blade), router(group, other, blade)])
            channels.append(black)
    for a, b in itertools.combinations(range(groups), 2):
        links.append([router(a, 0, b), router(b, 0, a)])
        channels.append(blue)
    if not links:
        return {"topology": "crossbar", "nodes": nodes, **keys}, []

    def hop(at: tuple[int, int, int], to: tuple[int, int, int]) -> tuple[int, int]:
        """The next router and the lane."""
        group, case, blade = at
        if group != to[0]:
            if blade != to[0]:
                return router(group, case, to[0]), 0
            return (router(group, 0, blade), 0) if case else (router(to[0], 0, group), 0)
        return (router(group, case, to[2]) if blade != to[2] else router(group, to[1], blade)), 1

    places = list(itertools.product(range(groups), range(chassis), range(blades)))
    rows = [
        (router(*at), router(*to) * nodes + node, *hop(at, to))
        for at in places
        for to in places
        if at != to
        for node in range(nodes)
    ]
    network = {
        "topology": "graph",
        "routing": "table",
        "table": table_lines(rows, ("router", "destination", "next", "lane")),
        "links": links,
        "nodes": [place for place in range(routers) for _ in range(nodes)],
    }
    if set(channels) != {1}:
        network["link_channels"] = channels
    notes = [
        "SimGrid's minimal routes; a second lane in the destination's group, so that no deadlock can close",
        "several links between two routers are parallel channels; a message takes one",
    ]
    return network | keys, notes


def _as_many(cluster: Element, nodes: int) -> None:
    if cluster.count() != nodes:
        problem = f"names {cluster.count()} hosts, but the topology has {nodes}"
        raise cluster.wrong("radical", problem, f"as many hosts, such as 0-{nodes - 1}")


KINDS = {"FLAT": _flat, "CLUSTER": _flat, "TORUS": _torus, "FAT_TREE": _fat_tree, "DRAGONFLY": _dragonfly}
