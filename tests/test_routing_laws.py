"""Laws of every routing on every topology, for all pairs of small instances and over all the choices left open.

networkx is the oracle: lengths of shortest paths, cycles among waiting channels. The routes come from the interface
that the engines use; nothing here knows how a routing works.
"""

from __future__ import annotations

import itertools
from typing import Any

import networkx as nx
import pytest

from assay._core import network

Config = dict[str, Any]
Way = list[tuple[int, int]]
ROUND = "router,destination,next\n0,1,1\n0,2,1\n1,2,2\n1,0,2\n2,0,0\n2,1,0\n"  # one way round, on one lane
DIRECT = "router,destination,next\n0,1,1\n0,2,2\n1,0,0\n1,2,2\n2,0,0\n2,1,1\n"
LANES = (  # one way round, on lane 1 from router 0 on
    "source,destination,router,next,lane\n0,1,0,1,0\n0,2,0,1,0\n0,2,1,2,0\n1,2,1,2,0\n1,0,1,2,0\n1,0,2,0,0\n"
    "2,0,2,0,0\n2,1,2,0,0\n2,1,0,1,1\n"
)

INSTANCES: list[Config] = [
    {"topology": "hypercube", "dimension": 1},
    {"topology": "hypercube", "dimension": 4},
    {"topology": "hypercube", "dimension": 4, "order": "lowest-first"},
    *({"topology": "hypercube", "dimension": 4, "nodes": nodes} for nodes in range(9, 16)),
    {"topology": "hypercube", "dimension": 5, "nodes": 21},
    {"topology": "hypercube", "dimension": 3, "routing": "dimension-order", "order": "highest-first"},
    {"topology": "hypercube", "dimension": 3, "routing": "valiant"},
    {"topology": "hypercube", "dimension": 3, "routing": "up-down", "root": 5},
    {"topology": "mesh", "extents": [5]},
    {"topology": "mesh", "extents": [4, 3, 2]},
    {"topology": "mesh", "extents": [3, 1, 3], "order": "highest-first"},
    {"topology": "torus", "extents": [2, 3, 4]},
    *(
        {"topology": "torus", "radix": 4, "dimensions": 2, "tie": tie}
        for tie in ("plus", "minus", "random", "alternate")
    ),
    {"topology": "torus", "extents": [5, 4], "order": "highest-first"},
    {"topology": "torus", "extents": [4, 4], "routing": "valiant"},
    {"topology": "torus", "extents": [4, 3], "routing": "ugal"},
    {"topology": "torus", "extents": [4, 4], "routing": "up-down", "equals": "random"},
    *({"topology": "ring", "nodes": nodes} for nodes in (1, 2, 3, 4, 9, 10)),
    {"topology": "star", "nodes": 7},
    {"topology": "star", "nodes": 7, "routing": "up-down"},
    {"topology": "crossbar", "nodes": 6},
    {"topology": "bus", "nodes": 5},
    *({"topology": shape, "radix": 2, "stages": stages} for shape in ("butterfly", "omega") for stages in (1, 2, 3, 4)),
    *({"topology": shape, "radix": 3, "stages": 2} for shape in ("butterfly", "omega")),
    *(
        {"topology": "k-ary-n-tree", "radix": 2, "levels": 4, "up": up}
        for up in ("d-mod-k", "s-mod-k", "random", "adaptive")
    ),
    {"topology": "k-ary-n-tree", "radix": 3, "levels": 2},
    {"topology": "k-ary-n-tree", "radix": 4, "levels": 1},
    {"topology": "fat-tree", "children": [4, 3], "parents": [2]},
    {"topology": "fat-tree", "children": [4, 4, 2], "taper": 2.0, "up": "adaptive"},
    {"topology": "fat-tree", "children": [2, 3, 2], "parents": [3, 2], "level_channels": [2, 3], "up": "random"},
    {"topology": "fat-tree", "children": [3, 2, 2], "taper": 1.5, "up": "s-mod-k"},
    {"topology": "dragonfly", "p": 1, "a": 2, "h": 1},
    {"topology": "dragonfly", "p": 2, "a": 4, "h": 2},
    {"topology": "dragonfly", "p": 1, "a": 4, "h": 2, "arrangement": "relative"},
    {"topology": "dragonfly", "p": 1, "a": 4, "h": 2, "groups": 4},
    {"topology": "dragonfly", "p": 2, "a": 3, "h": 1, "groups": 1},
    {"topology": "dragonfly", "p": 1, "a": 3, "h": 1, "routing": "valiant"},
    {"topology": "dragonfly", "p": 1, "a": 3, "h": 1, "routing": "ugal"},
    {"topology": "hyperx", "extents": [4], "concentration": 2},
    {"topology": "hyperx", "extents": [3, 2, 3]},
    {"topology": "hyperx", "extents": [3, 3], "routing": "valiant"},
    {"topology": "hyperx", "extents": [3, 3], "concentration": 2, "routing": "ugal"},
    {"topology": "graph", "links": [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 2], [0, 4]]},
    {"topology": "graph", "links": [[0, 1], [1, 2], [2, 0], [3, 1]], "nodes": [0, 0, 3, 2], "equals": "adaptive"},
    {"topology": "graph", "links": [[0, 1], [1, 2], [2, 0], [0, 3]], "directed": False, "routing": "shortest-path"},
    {"topology": "graph", "links": [[0, 1], [1, 2], [2, 0]], "directed": True, "routing": "shortest-path"},
    {"topology": "ring", "nodes": 3, "routing": "table", "table": DIRECT},
    {"topology": "ring", "nodes": 3, "routing": "table", "table": LANES},
    {"topology": "ring", "nodes": 3, "routing": "valiant", "base": "table", "base_keys": {"table": DIRECT}},
    {"topology": "hypercube", "dimension": 4, "io": {}},
    {"topology": "hypercube", "dimension": 4, "io": {"b": 0}},
    {"topology": "hypercube", "dimension": 3, "io": {"b": 2, "n": 3, "r": 5, "m": 1}},
    {"topology": "hypercube", "dimension": 5, "io": {"nodes": [1, 2, 4, 8, 16], "topology": "ring"}},
    {"topology": "mesh", "extents": [4, 4], "io": {"nodes": [0, 3, 12, 15], "topology": "hyperx", "extents": [2, 2]}},
    {"topology": "torus", "extents": [4, 4], "tie": "random", "io": {"nodes": [0, 5, 10], "topology": "star"}},
    {"topology": "hypercube", "dimension": 3, "routing": "valiant", "io": {}},
    {"topology": "torus", "extents": [4, 3], "routing": "ugal", "io": {"nodes": [0, 5, 10], "topology": "star"}},
    {"topology": "butterfly", "radix": 3, "stages": 2, "routing": "shortest-path", "io": {"nodes": [3, 7]}},
    {"topology": "mesh", "extents": [3, 3]} | {"io": {"nodes": [0, 2, 6, 8], "topology": "butterfly", "stages": 2}},
]


def named(config: Config) -> str:
    return "-".join(str(value).replace(" ", "") for value in config.values())


def ways(net: Any, source: int, destination: int) -> list[tuple[float, Way]]:
    return net.routes(source, destination)  # type: ignore[no-any-return]


def routers_graph(net: Any) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(net.routers))
    graph.add_edges_from(
        (link["from"], link["to"]) for link in net.links if link["kind"] == "network" and not link["failed"]
    )
    return graph


def waiting(net: Any) -> nx.DiGraph:
    """Which (link, lane) is held while which is asked for, over all pairs and choices."""
    graph = nx.DiGraph()
    for source in range(net.nodes):
        for destination in range(net.nodes):
            for _, way in ways(net, source, destination):
                nx.add_path(graph, [tuple(hop) for hop in way])
    return graph


def check_way(links: list[dict[str, Any]], lanes: int, source: int, destination: int, way: Way) -> None:
    first, last = links[way[0][0]], links[way[-1][0]]
    assert (first["kind"], first["from"]) == ("injection", source)
    assert (last["kind"], last["to"]) == ("ejection", destination)
    at = first["to"]
    for link, lane in way[1:]:
        assert links[link]["from"] == at
        assert not links[link]["failed"]
        assert lane < links[link]["lanes"] <= max(lanes, 1)
        at = links[link]["to"]
    assert all(links[link]["kind"] == "network" for link, _ in way[1:-1])
    assert len({tuple(hop) for hop in way}) == len(way), "a channel twice on one way waits for itself"


def test_every_record_has_an_instance() -> None:
    topologies = {record["name"]: record["routing"] for record in network.topologies()}
    assert {config["topology"] for config in INSTANCES} == set(topologies)
    used = {config.get("routing", topologies[config["topology"]]) for config in INSTANCES}
    assert used == {record["name"] for record in network.routings()}


@pytest.mark.parametrize("config", INSTANCES, ids=named)
def test_routes_arrive_are_minimal_and_free_of_deadlock_as_claimed(config: Config) -> None:
    net = network.build_network(config)
    claims, links = net.routing, net.links
    lanes = max(link["lanes"] for link in links)
    assert "io" in config or lanes == max(claims["lanes"], 1) or not any(link["kind"] == "network" for link in links)
    lengths = dict(nx.all_pairs_shortest_path_length(routers_graph(net)))
    for source in range(net.nodes):
        for destination in range(net.nodes):
            found = ways(net, source, destination)
            assert sum(probability for probability, _ in found) == pytest.approx(1)
            for _, way in found:
                check_way(links, lanes, source, destination, way)
                if claims["minimal"]:
                    shortest = lengths[links[way[0][0]]["to"]][links[way[-1][0]]["from"]]
                    assert len(way) - 2 == shortest
    if claims["deadlock_free"]:
        assert nx.is_directed_acyclic_graph(waiting(net))


@pytest.mark.parametrize(
    "config",
    [
        {"topology": "torus", "radix": 4, "dimensions": 2, "dateline": "none"},
        {"topology": "ring", "nodes": 5, "dateline": "none"},
        {"topology": "ring", "nodes": 5, "routing": "shortest-path"},
        {"topology": "torus", "extents": [4, 4], "routing": "valiant", "base": "shortest-path"},
        {"topology": "graph", "links": [[0, 1], [1, 2], [2, 0]], "directed": True, "routing": "shortest-path"},
        {"topology": "ring", "nodes": 3, "routing": "table", "table": ROUND},
    ],
    ids=named,
)
def test_routings_known_to_deadlock_do_not_claim_otherwise(config: Config) -> None:
    net = network.build_network(config)
    assert not net.routing["deadlock_free"]
    assert not nx.is_directed_acyclic_graph(waiting(net))


def test_dragonfly_takes_one_global_link_at_most_and_no_detour() -> None:
    net = network.build_network({"topology": "dragonfly", "p": 1, "a": 4, "h": 2})
    links = net.links
    for source in range(net.nodes):
        for destination in range(net.nodes):
            ((_, way),) = ways(net, source, destination)
            kinds = [links[link]["dimension"] for link, _ in way[1:-1]]
            assert kinds in ([], [0], [1], [0, 1], [1, 0], [0, 1, 0])
            assert (1 in kinds) == (source // 4 != destination // 4)


FAILURES: list[tuple[Config, int]] = [  # and how many ordered pairs of living nodes cannot be routed
    ({"topology": "torus", "extents": [4, 4], "routing": "up-down", "failed_links": [[0, 1], [5, 9]]}, 0),
    ({"topology": "hypercube", "dimension": 4, "routing": "shortest-path", "failed_routers": [3, 6]}, 0),
    ({"topology": "hypercube", "dimension": 3, "failed_links": [[0, 1]]}, -1),
    ({"topology": "ring", "nodes": 6, "routing": "up-down", "failed_links": [[0, 1], [3, 4]]}, 18),
    ({"topology": "k-ary-n-tree", "radix": 2, "levels": 3, "failed_links": [[0, 4]]}, 0),
    ({"topology": "k-ary-n-tree", "radix": 2, "levels": 3, "up": "random", "failed_routers": [4, 9]}, 0),
    ({"topology": "k-ary-n-tree", "radix": 2, "levels": 3, "up": "adaptive", "failed_links": [[4, 8]]}, 0),
    ({"topology": "dragonfly", "p": 1, "a": 3, "h": 1, "routing": "valiant", "failed_links": [[0, 1]]}, 0),
    ({"topology": "dragonfly", "p": 1, "a": 3, "h": 1, "routing": "ugal", "failed_links": [[0, 3]]}, 0),
    ({"topology": "hyperx", "extents": [3, 3], "routing": "ugal", "failed_routers": [4]}, 0),
    ({"topology": "crossbar", "nodes": 4, "failed_nodes": [2]}, 0),
    ({"topology": "butterfly", "radix": 2, "stages": 3, "failed_routers": [5]}, -1),
]


@pytest.mark.parametrize(
    ("config", "lost"), FAILURES, ids=lambda value: named(value) if isinstance(value, dict) else ""
)
def test_failed_parts_are_avoided_or_the_message_is_unroutable(config: Config, lost: int) -> None:
    net = network.build_network(config)
    links, failed = net.links, set(net.failed_nodes)
    cut = 0
    graph = nx.DiGraph()
    for source in set(range(net.nodes)) - failed:
        for destination in set(range(net.nodes)) - failed - {source}:
            ended = [way for _, way in ways(net, source, destination)]
            assert not any(links[link]["failed"] for way in ended for link, _ in way)
            whole = [way for way in ended if way and links[way[-1][0]]["kind"] == "ejection"]
            cut += not whole
            for way in whole:
                check_way(links, 64, source, destination, way)
                nx.add_path(graph, [tuple(hop) for hop in way])
            if net.routing["selection"] != "first":
                assert len(whole) in (0, len(ended)), "a choice that leads nowhere was offered"
    assert cut == lost if lost >= 0 else cut > 0
    if net.routing["deadlock_free"]:
        assert nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize("arrangement", ["absolute", "relative"])
@pytest.mark.parametrize("sizes", [(1, 2, 1, 3), (2, 4, 3, 4), (1, 3, 7, 3), (1, 3, 4, 2), (2, 4, 2, 5)])
def test_a_dragonfly_takes_the_nearest_of_the_links_between_two_groups(
    sizes: tuple[int, int, int, int], arrangement: str
) -> None:
    """By the definition: counted on from the destination's number, the first of those with fewest hops beside it."""
    p, a, h, groups = sizes
    net = network.build_network(
        {"topology": "dragonfly", "p": p, "a": a, "h": h, "groups": groups, "arrangement": arrangement}
    )
    links = net.links
    parallel: dict[tuple[int, int], list[int]] = {}
    for number, link in enumerate(links):
        ends = (link["from"] // a, link["to"] // a)
        if link["kind"] == "network" and ends[0] != ends[1]:
            parallel.setdefault(ends, []).append(number)
    for source in range(net.nodes):
        for destination in range(net.nodes):
            target = destination // p
            ((_, way),) = ways(net, source, destination)
            for (before, _), (taken, _) in itertools.pairwise(way):
                router = links[before]["to"]
                if router // a == target // a:
                    continue
                between = parallel[router // a, target // a]
                turned = [between[(destination + i) % len(between)] for i in range(len(between))]
                best = min(turned, key=lambda link: (links[link]["from"] != router) + (links[link]["to"] != target))
                assert links[taken]["to"] == (
                    links[best]["to"] if links[best]["from"] == router else links[best]["from"]
                )
                assert links[best]["from"] != router or taken == best
