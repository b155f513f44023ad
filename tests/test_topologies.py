"""Topologies: sizes, degrees and distances against closed forms, and the messages about wrong keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from assay._core import DescriptionError, network


def test_hypercube_links_are_numbered_as_its_record_says() -> None:
    cube = network.build_network({"topology": "hypercube", "dimension": 4})
    links = cube.links
    for router in range(16):
        for dimension in range(4):
            link = links[router * 4 + dimension]
            assert (link["from"], link["to"], link["kind"]) == (router, router ^ 1 << dimension, "network")
    assert [links[64 + node]["kind"] for node in range(16)] == ["injection"] * 16
    assert [links[80 + node]["to"] for node in range(16)] == list(range(16))


@pytest.mark.parametrize(
    ("keys", "key", "says"),
    [
        ({"topology": "moebius"}, "network.topology", "hypercube"),
        ({"topology": "hypercube"}, "network.dimension", "is missing"),
        ({"topology": "hypercube", "dimension": 0}, "network.dimension", "from 1 to 22"),
        ({"topology": "hypercube", "dimension": 3, "colour": 1}, "network.colour", "no such key"),
        ({"topology": "mesh", "extents": [3, -1]}, "network.extents", "of integers from 1"),
        ({"topology": "torus", "radix": 4, "tie": "up"}, "network.tie", '"alternate"'),
        ({"topology": "mesh", "radix": 4, "routing": "e-cube"}, "network.routing", "hypercubes only"),
        ({"topology": "torus", "radix": 4, "lanes": 1}, "network.lanes", "needs 2"),
        ({"topology": "mesh", "radix": 4, "failed_links": [[0, 5]]}, "network.failed_links", "no link joins"),
    ],
)
def test_wrong_keys_are_named(keys: dict[str, object], key: str, says: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        network.build_network(keys)
    error = caught.value
    assert error.key == key
    assert says in f"{error.problem} {error.expected}"


@pytest.mark.parametrize("dimension", [23, 24])
def test_a_cube_that_is_simulated_without_tables_is_no_larger_than_its_record_says(dimension: int) -> None:
    """Dimensions 23 and 24 were simulated, for minutes, where the file's reference and the refusal of 25 say 22."""
    cube = next(record for record in network.topologies() if record["name"] == "hypercube")
    accepted = next(parameter["accepts"] for parameter in cube["parameters"] if parameter["name"] == "dimension")
    assert accepted == "an integer from 1 to 22"
    keys = {"topology": "hypercube", "dimension": dimension}
    method = {"cycles": 1, "warmup_cycles": 0}
    wanted = ("not-accepted", "network.dimension", dimension, accepted)
    with pytest.raises(DescriptionError) as caught:
        network.simulate({"network": keys, "traffic": {"load": 1e-6}, "method": method})
    assert (caught.value.code, caught.value.key, caught.value.value, caught.value.expected) == wanted
    with pytest.raises(DescriptionError) as caught:
        network.build_network(keys)
    assert (caught.value.code, caught.value.key, caught.value.value, caught.value.expected) == wanted


@pytest.mark.parametrize(
    ("keys", "twin"),
    [
        ({"topology": "hypercube", "dimension": 4}, nx.hypercube_graph(4)),
        ({"topology": "mesh", "extents": [4, 3, 2]}, nx.grid_graph([4, 3, 2])),
        ({"topology": "torus", "extents": [5, 3]}, nx.grid_graph([5, 3], periodic=True)),
        ({"topology": "ring", "nodes": 7}, nx.cycle_graph(7)),
        ({"topology": "star", "nodes": 7}, nx.star_graph(6)),
        ({"topology": "hyperx", "extents": [5]}, nx.complete_graph(5)),
        ({"topology": "hyperx", "extents": [3, 4]}, nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(4))),
        ({"topology": "dragonfly", "p": 1, "a": 1, "h": 4}, nx.complete_graph(5)),
        ({"topology": "fat-tree", "children": [2, 3], "parents": [4]}, nx.complete_bipartite_graph(3, 4)),
    ],
    ids=lambda value: value["topology"] if isinstance(value, dict) else "",
)
def test_topologies_are_the_graphs_that_networkx_builds(keys: dict[str, Any], twin: nx.Graph) -> None:
    net = network.build_network(keys)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(net.routers))
    graph.add_edges_from((link["from"], link["to"]) for link in net.links if link["kind"] == "network")
    assert nx.is_isomorphic(graph, twin.to_directed())


def test_dragonfly_joins_every_two_groups_once() -> None:
    for arrangement in ("absolute", "relative"):
        net = network.build_network({"topology": "dragonfly", "p": 2, "a": 4, "h": 2, "arrangement": arrangement})
        assert (net.nodes, net.routers) == (72, 36)
        far = [(link["from"], link["to"]) for link in net.links if link["dimension"] == 1]
        assert len(far) == 72 == len({(a // 4, b // 4) for a, b in far})
        assert {(b, a) for a, b in far} == set(far)
        assert all(sum(a == router for a, _ in far) == 2 for router in range(36))


def test_k_ary_n_tree_has_full_bisection() -> None:
    net = network.build_network({"topology": "k-ary-n-tree", "radix": 2, "levels": 3})
    assert (net.nodes, net.routers) == (8, 12)
    graph = nx.DiGraph()
    for link in net.links:
        name = {"injection": ("node", "router"), "ejection": ("router", "node"), "network": ("router", "router")}[
            link["kind"]
        ]
        graph.add_edge((name[0], link["from"]), (name[1], link["to"]), capacity=1)
    for node in range(4):
        graph.add_edge("left", ("node", node), capacity=1)
        graph.add_edge(("node", node + 4), "right", capacity=1)
    assert nx.maximum_flow_value(graph, "left", "right") == 4


def test_io_network_of_figure_2() -> None:
    keys = {"topology": "hypercube", "dimension": 7, "injection_channels": 9, "ejection_channels": 9}
    net = network.build_network(keys | {"io": {"b": 2, "m": 8, "n": 3, "r": 5}})
    links = net.links
    assert (net.nodes, net.processors, net.routers) == (144, 128, 144)
    between = [link for link in links if link["kind"] == "network" and link["from"] >= 128]
    assert sorted(link["channels"] for link in between) == [2] * 64 + [3] * 16
    into = {(link["from"], link["to"]): link["channels"] for link in links if link["kind"] == "injection"}
    assert into[0, 0] == 9
    assert (into[129, 7], into[129, 129]) == (8, 5)
    # a reply from the I/O node at PE 0 to PE 6, local to the I/O node at PE 7: r, I/O network, n, one hop, k
    ((_, way),) = net.routes(128, 6)
    assert [links[link]["channels"] for link, _ in way] == [5, 2, 3, 1, 9]
    # to PE 4, which is local to it: m, one hop, k
    ((_, way),) = net.routes(128, 4)
    assert [links[link]["channels"] for link, _ in way] == [8, 1, 9]


def test_graph_files(tmp_path: Path) -> None:
    edges = tmp_path / "edges.txt"
    edges.write_text("# a triangle with a tail\n0 1\n1 2 4\n2 0\n\n2 3\nnode 0\nnode 3\nnode 3\n")
    table = tmp_path / "graph.toml"
    table.write_text("nodes = [0, 3, 3]\nlinks = [[0, 1], # first\n [1, 2, 4],\n [2, 0], [2, 3],]\ndirected = false\n")
    first, second = (network.build_network({"topology": "graph", "file": str(path)}) for path in (edges, table))
    assert first.links == second.links
    assert (first.nodes, first.routers) == (3, 4)
    assert {link["channels"] for link in first.links if {link["from"], link["to"]} == {1, 2}} == {4}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.txt", "0 1\n1 x\n", ':2: "x"'),
        ("a.txt", "0 1\n\n1\n", ":3: "),
        ("a.txt", "0 1 0\n", ":1: 0 channels"),
        ("a.txt", "0 99999999999999999999\n", ":1: "),
        ("a.txt", "", "holds no router"),
        ("a.txt", "1 1\n", "with itself"),
        ("a.txt", "0 1\n1 0\n", "twice"),
        ("a.toml", "links = [[0, 1]\n", ":2: ']' is missing"),
        ("a.toml", "links = [[0, 1]]\ncolour = 1\n", ':2: key "colour"'),
        ("a.toml", "links = [[0]]", "a link of 1 numbers"),
        ("a.toml", "links = [[0, 1]]\nlinks = [[0, 1]]", "second time"),
        ("a.toml", "links = [[0, -1]]", ':1: "-1", accepted is an integer from 0'),
        ("a.toml", 'links = [[0, 1], [1, "x"]]', ':1: ""x"", accepted is an integer from 0'),
        ("a.toml", "links = [[0, 1], [,]]", ":1: ',' where a number is expected"),
        ("a.txt", "0 1\n2 3\n", "no way from node 0 (router 0) to node 2 (router 2)"),
        ("a.txt", "0 1\nnode 1\nnode 5\n", "to node 1 (router 5); no link joins router 5"),
        ("a.toml", "links = [[0, 1], [0, 2]]\ndirected = true", "from node 1 (router 1) to node 0 (router 0)"),
    ],
)
def test_wrong_graph_files_are_named_to_the_line(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError) as caught:
        network.build_network({"topology": "graph", "file": str(path)})
    assert str(caught.value).startswith("network.file: ")
    assert says in str(caught.value)
