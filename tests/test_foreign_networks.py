"""Networks in the formats of BookSim2 and SimGrid: each agrees with a description by hand; the rest is refused by name.

The projects' own examples are read where `ASSAY_BOOKSIM` and `ASSAY_SIMGRID` name checkouts; none is part of this one.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.network.foreign.anynet import read_anynet
from assay.network.foreign.platform import read_platform
from assay.network.foreign.read import assumptions
from command_line import assay as command

TRAFFIC = {"traffic.load": 0.1, "traffic.flits": 4, "method.warmup_cycles": 500, "method.cycles": 6000}
ANYNET = """\
router 0 node 0 node 1 node 2 router 1
router 1 node 3 node 4 node 5
router 2 node 6 node 7 node 8 router 1 router 0
"""
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="c" prefix="n-" suffix=".x" speed="1Gf" bw="125MBps" lat="50us" {}/>
  </zone>
</platform>
"""


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def values(network: Any) -> list[tuple[Any, ...]]:
    found = assay.simulate(network, TRAFFIC)
    return [(each["name"], each["statistic"], each["value"]) for each in found.figures]


def platform(folder: Path, about: str) -> Path:
    return written(folder, "platform.xml", PLATFORM.format(about))


# --- BookSim2 ---------------------------------------------------------------------------------------------------------
def test_an_anynet_file_is_the_graph_with_its_shortest_ways(tmp_path: Path) -> None:
    file = written(tmp_path, "net.anynet", ANYNET)
    triangle = assay.Network.from_graph(
        nx.complete_graph(3), nodes=[0] * 3 + [1] * 3 + [2] * 3, routing="shortest-path"
    )
    assert values(file) == values(triangle)
    assert values(written(tmp_path, "anynet_file", ANYNET)) == values(triangle)  # as BookSim2's own example is called


def test_latencies_of_an_anynet_file_are_those_of_its_links_and_choose_the_ways(tmp_path: Path) -> None:
    """Router 0 reaches 2 over 1, in 2 + 3 cycles instead of 9; the way back is the direct one, which takes 1."""
    text = "router 0 node 0 router 1 2 router 2 9\nrouter 1 node 1 router 2 3\nrouter 2 node 2\n"
    found = assay.Network.read(written(tmp_path, "net.anynet", text))
    ways = {(row["source"], row["destination"], row["router"]): row["next"] for row in found.routing_table()}
    assert ways[0, 2, 0] == 1 and ways[0, 2, 1] == 2 and ways[2, 0, 2] == 0
    one = [(0, 0, 2, 1), (500, 2, 0, 1), (1000, 0, 1, 1)]
    arrived = assay.simulate(found, messages=one).samples
    heads = [head - sent for head, (sent, *_) in zip(arrived["head"].to_pylist(), one, strict=True)]
    assert heads == [1 + 2 + 3, 1 + 1, 1 + 2]  # injection, links; `head`: when it begins to cross its last link


def test_the_ways_of_an_anynet_file_are_as_long_as_dijkstra_s_of_networkx(tmp_path: Path) -> None:
    graph = nx.connected_watts_strogatz_graph(12, 4, 0.5, seed=3)
    for number, (a, b) in enumerate(graph.edges):
        graph[a][b]["weight"] = 1 + number % 5
    lines = [f"router {a} node {a} " for a in graph]
    for a, b, about in graph.edges(data=True):
        lines[a] += f"router {b} {about['weight']} "
        lines[b] += f"router {a} {about['weight']} "
    found = assay.Network.read(written(tmp_path, "net.anynet", "\n".join(lines)))
    length: dict[tuple[int, int], int] = {}
    for row in found.routing_table():
        pair = (row["source"], row["destination"])
        length[pair] = length.get(pair, 0) + graph[row["router"]][row["next"]]["weight"]
    wanted = dict(nx.all_pairs_dijkstra_path_length(graph))
    assert length == {(a, b): wanted[a][b] for a in graph for b in graph if a != b}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "router 0 node 0\nrouter 1 node 0\n",
            ":2: is no anynet line; got 'node 0 at router 1', expected one router a node",
        ),
        ("router 0 node 0 node 2\n", ": numbers its nodes with gaps"),
        ("router 0 node 0 router 2\n", ": numbers its routers with gaps"),
        ("router 0 nod 0\n", ":1: is no anynet line; got 'nod'"),
        ("router 0 node\n", ":1: is no anynet line; got 'node'"),
        ("router 0 node 0 x\n", ":1: is no anynet line; got 'x'"),
        (
            "node 0 router 0 3\n",
            ":1: is no anynet line; got '3', expected the latency of a node's link on its router",
        ),
        ("node 0 node 1\n", ":1: is no anynet line; got 'node 0 node 1'"),
        ("router 0 node 0 2 node 1\n", ": node: gives the links of nodes different latencies"),
        ("router 0 node 0 node 1 router 0\n", ":1: is no anynet line; got 'router 0 router 0'"),
        ("router 0 node 0 router 1 1\nrouter 2 node 1 router 3\nrouter 1 node 2\n", "leaves no way|has no row"),
    ],
)
def test_an_anynet_file_that_is_wrong_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    file = written(tmp_path, "net.anynet", text)
    answer = command("simulate", str(file))
    assert answer.status == 2 and answer.err.count("\n") == 1 + answer.err.count("assumed: ")
    assert re.search(said, answer.err) and str(file) in answer.err


# --- SimGrid ----------------------------------------------------------------------------------------------------------
FLOW = {"flit_bytes": 64, "channel_rate": 125e6, "buffer_flits": 0}
LATENCY = {"head_ticks": 98, "body_ticks": 98}  # 50 us of 0.512 us
BY_HAND: dict[str, tuple[str, dict[str, Any]]] = {
    "crossbar": ('radical="0-7"', {"topology": "crossbar", "nodes": 8, **LATENCY}),
    "backbone": (
        'radical="0,2-4" bb_bw="2.25GBps" bb_lat="500us"',
        {"topology": "bus", "nodes": 4, "channel_rate": 2.25e9, "node_flit_ticks": 18, "node_head_ticks": 1758,
         "node_body_ticks": 1758, "head_ticks": 17578, "body_ticks": 17578},
    ),
    "torus": (
        'radical="0-11" topology="TORUS" topo_parameters="4,3" loopback_bw="100MBps" loopback_lat="0"',
        {"topology": "torus", "extents": [4, 3], "tie": "plus", "injection_channels": 4, "ejection_channels": 4,
         "node_head_ticks": 1, "node_body_ticks": 1, **LATENCY},
    ),
    "fat tree": (
        'radical="0-15" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2"',
        {"topology": "fat-tree", "children": [4, 4], "parents": [2], "level_channels": [2], **LATENCY},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_HAND)
def test_a_cluster_is_the_network_that_describes_it_by_hand(tmp_path: Path, name: str) -> None:
    about, keys = BY_HAND[name]
    file = platform(tmp_path, about)
    assert values(file) == values(assay.Network(**(FLOW | keys)))
    assert assay.Network.read(file).deadlock_free


def test_a_dragonfly_has_the_links_and_the_ways_of_simgrid(tmp_path: Path) -> None:
    """Groups of 3 x 4 blades: green links in a chassis, black ones between chassis, a blue one for two groups."""
    groups, chassis, blades, nodes = 3, 3, 4, 2
    about = f'radical="0-{groups * chassis * blades * nodes - 1}" topology="DRAGONFLY" topo_parameters="3,2;3,1;4,3;2"'
    found = assay.Network.read(platform(tmp_path, about))
    network = found.network
    links = [tuple(pair) for pair in network["links"]]
    channels = dict(zip(links, network["link_channels"], strict=True))
    place = {number: divmod(number, chassis * blades) for number in range(groups * chassis * blades)}
    kind = {
        (a, b): "blue" if place[a][0] != place[b][0] else "green" if a // blades == b // blades else "black"
        for a, b in links
    }
    counts = {colour: sum(each == colour for each in kind.values()) for colour in ("green", "black", "blue")}
    assert counts == {"green": groups * chassis * 6, "black": groups * blades * 3, "blue": 3}
    assert {kind[link]: count for link, count in channels.items()} == {"green": 3, "black": 1, "blue": 2}
    graph = nx.Graph(links)
    assert nx.is_connected(graph) and found.deadlock_free
    letter = {"green": "G", "black": "K", "blue": "B"}
    colour = {pair: letter[each] for (a, b), each in kind.items() for pair in ((a, b), (b, a))}
    ways: dict[tuple[int, int], str] = {}
    for row in found.routing_table():
        pair = (row["source"], row["destination"])
        ways[pair] = ways.get(pair, "") + colour[row["router"], row["next"]]
    assert max(map(len, ways.values())) == 5
    assert all(re.fullmatch("(G?K?B)?G?K?", way) for way in ways.values())


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ('radical="0-7" sharing_policy="SHARED"', r":5: cluster sharing_policy: has no counterpart; got 'SHARED'"),
        (
            'radical="0-7" bb_bw="1GBps" bb_sharing_policy="FATPIPE"',
            ":5: cluster bb_sharing_policy: has no counterpart",
        ),
        ('radical="0-7" topology="STAR"', ":5: cluster topology: has no counterpart; got 'STAR'"),
        ('radical="0-7" colour="red"', ":5: cluster colour: has no counterpart"),
        ('radical="7-0"', ":5: cluster radical: names no hosts"),
        (
            'radical="0-7" topology="TORUS" topo_parameters="3,2"',
            ":5: cluster radical: names 8 hosts, but the topology has 6",
        ),
        (
            'radical="0-7" topology="FAT_TREE" topo_parameters="1;8;2;1"',
            "joins a node to several switches: no counterpart",
        ),
        ('radical="0-7"/><host id="h" speed="1f"', ":5: host: has no counterpart"),
        ('radical="0-7"/><cluster id="d"', ":5: cluster: is a second cluster"),
        ('radical="0-7"/><x', "no counterpart"),
        ("radical=", "is not XML"),
    ],
)
def test_what_has_no_counterpart_is_refused_by_name(tmp_path: Path, about: str, said: str) -> None:
    file = platform(tmp_path, about)
    answer = command("simulate", str(file))
    assert answer.status == 2 and answer.err.count("\n") == 1 and f"assay: {file}" in answer.err
    assert re.search(said, answer.err), answer.err


def test_what_was_assumed_is_printed_and_in_the_document(tmp_path: Path) -> None:
    file = platform(tmp_path, 'radical="0-15" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2" limiter_link="1GBps"')
    words = ["--set", "traffic.load=0.1", "--set", "method.cycles=3000", "--set", "method.warmup_cycles=300"]
    answer = command("simulate", str(file), *words, "--json")
    said = answer.document["assumptions"]
    assert answer.err.splitlines() == [f"assumed: {text}" for text in said] and tuple(said) == assumptions(file)
    assert any("a flit is 64 B" in text for text in said) and any("left out: limiter_link" in text for text in said)
    assert any("not used, as no part of the network: speed" in text for text in said)
    assert "assumed" not in command("simulate", str(file), *words, "--quiet").err


WORDS = st.sampled_from(["router", "node", "0", "1", "2", "3", "-1", "x", "\n", "99999999999", "²", "1.5"])
VALUES = st.sampled_from(
    [
        "0",
        "3,2",
        "2;4,4;1,2;1,2",
        "2,1;2,1;2,1;1",
        "0-7",
        "7",
        "1e99MBps",
        "125MBps",
        "1..5Bps",
        "50us",
        "1e99h",
        "-3",
        "²",
        "TORUS",
        "FAT_TREE",
        "DRAGONFLY",
        "FLAT",
        "1000000,1000000",
        "9999999999999999999,1;1,1;1,1;1",
        "nan",
        "1e-99Bps",
        "0-99999999",
        "99999999999999999999-0",
        "1;1;1;1",
    ]
)
KEYS = st.sampled_from(["radical", "bw", "lat", "topology", "topo_parameters", "bb_bw", "bb_lat", "sharing_policy"])


@settings(max_examples=400, deadline=None)
@given(st.lists(WORDS, max_size=24))
def test_any_words_are_an_anynet_file_or_refused_in_one_line(words: list[str]) -> None:
    with contextlib.suppress(InputError):
        found = read_anynet(Path("net.anynet"), " ".join(words).replace(" \n ", "\n"))
        assay.Network.of(found.tables)


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=6), st.integers(0, 400))
def test_any_attributes_are_a_platform_or_refused_in_one_line(given_: dict[str, str], cut: int) -> None:
    about = {"radical": "0-7", "bw": "1GBps", "lat": "1us"} | given_
    text = "<platform><cluster " + " ".join(f'{key}="{value}"' for key, value in about.items()) + "/></platform>"
    with contextlib.suppress(InputError):
        found = read_platform(Path("platform.xml"), text[:cut] if cut < len(text) else text)
        assay.Network.of(found.tables)


def checkout(variable: str) -> Path:
    if variable not in os.environ:
        pytest.skip(f"{variable} names no checkout")
    return Path(os.environ[variable])


def test_booksim2_s_own_example_loads(tmp_path: Path) -> None:
    file = checkout("ASSAY_BOOKSIM") / "src" / "examples" / "anynet" / "anynet_file"
    by_hand = assay.Network.from_graph(nx.complete_graph(3), nodes=[0] * 3 + [1] * 3 + [2] * 3, routing="shortest-path")
    assert values(file) == values(by_hand)


def test_simgrid_s_own_clusters_load() -> None:
    """Each is a network that carries messages, or is refused by the name of what has no counterpart."""
    folder = checkout("ASSAY_SIMGRID")
    loads, refused = set(), {}
    for file in sorted([*folder.glob("examples/platforms/*.xml"), *folder.glob("teshsuite/platforms/*.xml")]):
        try:
            if assay.Network.read(file).nodes <= 1000:
                found = assay.simulate(file, TRAFFIC | {"method.cycles": 60000})
                assert found.document["messages"] > 0 and found.document["deadlocked"] == 0
            loads.add(file.stem)
        except InputError as error:
            refused[file.stem] = str(error)
    assert loads >= {
        "cluster_backbone", "cluster_crossbar", "cluster_dragonfly", "cluster_fat_tree", "cluster_torus", "one_cluster",
        "cluster_dragonfly_noncontiguous_rad", "cluster_fat_tree_noncontiguous_rad", "cluster_torus_noncontiguous_rad",
    }  # fmt: skip
    assert all(
        re.search("no counterpart|second cluster|has no cluster|is no platform|is not XML", each)
        for each in refused.values()
    )
