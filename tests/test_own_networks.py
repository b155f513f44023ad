"""Networks and machines built in Python: graphs, routing tables and messages of one's own; their files and back."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay._core import network as core
from assay.errors import InputError
from assay.network import description
from test_network_fuzz import SMALL, dumped

EXTENTS = [3, 3, 3]
TRAFFIC = {"load": 0.2, "flits": 4}
METHOD = {"warmup_cycles": 500, "cycles": 8000}
SAME = ("topology", "routing")


def torus(**keys: Any) -> assay.Network:
    return assay.Network("torus", extents=EXTENTS, lanes=2, traffic=TRAFFIC, method=METHOD, **keys)


def grid() -> nx.Graph:
    return nx.grid_graph(dim=EXTENTS, periodic=True)


def values(found: assay.CommandResult) -> list[tuple[Any, ...]]:
    return [(each["name"], each["statistic"], each["value"], each["ci95"]) for each in found.figures]


# --- a torus of one's own is the built-in one ------------------------------------------------------------------------
def latency(found: assay.CommandResult) -> dict[str, Any]:
    (mean,) = [each for each in found.figures if each["name"] == "header_latency" and each["statistic"] == "mean"]
    return mean


@pytest.mark.parametrize("extents", [[3, 3, 3], [4, 5]])
def test_a_torus_of_networkx_gives_the_figures_of_the_built_in_one(extents: list[int]) -> None:
    """The same links in the same order and the same routing table: the same figures, bit for bit, by one engine."""
    keys = {"traffic": TRAFFIC, "method": METHOD, "engine": "flit"}
    built_in = assay.Network("torus", extents=extents, lanes=2, **keys)
    links = core.build_network(built_in.description().fabric()).links
    graph = nx.DiGraph([(each["from"], each["to"]) for each in links if each["kind"] == "network"])
    numbered = nx.convert_node_labels_to_integers(nx.grid_graph(dim=extents, periodic=True))
    assert set(map(frozenset, numbered.edges)) == set(map(frozenset, graph.edges))
    own = assay.Network.from_graph(graph, routes=built_in.routing_table(), **keys)
    assert own.nodes == built_in.nodes and own.deadlock_free
    assert values(assay.simulate(own)) == values(assay.simulate(built_in))


def test_every_form_of_the_torus_carries_what_the_built_in_one_carries() -> None:
    """In another order of links another message may go first of two that ask at once: latencies within intervals."""
    built_in = torus()
    routes, wanted = built_in.routing_table(), latency(assay.simulate(built_in))
    numbered = nx.convert_node_labels_to_integers(grid())
    ways: list[Any] = [grid(), nx.to_numpy_array(numbered), [(b, a) for a, b in numbered.edges], numbered.to_directed()]
    for graph in ways:
        own = assay.Network.from_graph(graph, routes=pandas.DataFrame(routes), traffic=TRAFFIC, method=METHOD)
        found = latency(assay.simulate(own))
        assert found["ci95"][0] < wanted["ci95"][1] and wanted["ci95"][0] < found["ci95"][1]
        assert own.routing_table() == routes


def test_messages_of_an_array_arrive_as_on_the_built_in_torus(tmp_path: Path) -> None:
    dice = np.random.default_rng(7)
    sent = np.column_stack([np.sort(dice.integers(0, 400, 300)), dice.integers(0, 27, (300, 2)), np.full(300, 5)])
    sent = sent[sent[:, 1] != sent[:, 2]]
    own = assay.Network.from_graph(grid(), routes=torus().routing_table())
    one, other = assay.simulate(own, messages=sent), assay.simulate(torus(), messages=sent)
    assert one.samples.equals(other.samples) and values(one) == values(other)
    table = one.samples
    assert table.column_names == ["id", "cycle", "source", "destination", "flits", "head", "tail", "hops"]
    assert min(table["hops"].to_pylist()) >= 1 and one.document["delivered"] == len(sent)
    columns = dict(zip(("cycle", "source", "destination", "flits"), sent.T, strict=True))
    frame = pandas.DataFrame(columns)
    for given_ in (
        frame,
        pyarrow.table(columns),
        frame.to_dict("records"),
        np.column_stack([np.arange(len(sent)), sent]),
    ):
        assert assay.simulate(own, messages=given_).samples.equals(table)
    mean = np.mean(
        [head - cycle for head, cycle in zip(table["head"].to_pylist(), table["cycle"].to_pylist(), strict=True)]
    )
    (latency,) = [each["value"] for each in one.figures if each["name"] == "header_latency"]
    assert latency == pytest.approx(
        (mean + 1) * 5e-8
    )  # the head is inside a cycle after it begins to cross the last link


def test_what_are_no_messages_is_refused() -> None:
    for wrong, said in (
        (np.zeros((3, 2)), r"^messages: are no messages; got \(3, 2\)"),
        (np.array([[0.5, 0, 1, 1]]), r"^cycle: is no column of whole numbers"),
        (pandas.DataFrame({"cycle": [1]}), r"^messages: a column is missing; got 'source'"),
        (np.array([[0, 0, 99, 1]]), r"^destination: is wrong; got '99', expected an integer from 0 to 26"),
    ):
        with pytest.raises(InputError, match=said):
            assay.simulate(torus(), messages=wrong)


# --- routing tables ---------------------------------------------------------------------------------------------------
def shortest(graph: nx.Graph) -> dict[Any, dict[Any, list[Any]]]:
    return dict(nx.all_pairs_shortest_path(graph))


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 12), st.integers(0, 10**6))
def test_the_routes_of_a_table_are_its_rows_and_deadlock_is_judged_as_by_networkx(size: int, seed: int) -> None:
    """Paths of networkx over a random graph come back hop by hop; a cycle among waiting links is the danger."""
    graph = nx.connected_watts_strogatz_graph(size, 2 + 2 * (size > 6), 0.4, seed=seed)
    paths = shortest(graph)
    own = assay.Network.from_graph(graph, routes=paths)
    found: dict[tuple[int, int], list[int]] = {}
    for row in own.routing_table():
        found.setdefault((row["source"], row["destination"]), [row["router"]]).append(row["next"])
    assert found == {(a, b): path for a, of in paths.items() for b, path in of.items() if a != b}
    waiting = nx.DiGraph()
    for path in found.values():
        nx.add_path(waiting, list(itertools.pairwise(path)))
    assert own.deadlock_free == nx.is_directed_acyclic_graph(waiting)


RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
ROUND = {(at, to): (at + 1) % 4 for at in range(4) for to in range(4) if at != to}


def test_a_deadlock_of_an_unsafe_table_is_reported() -> None:
    """All go one way round a ring on one lane: they come to wait for one another; a second lane breaks the circle."""
    keys = {"traffic": {"load": 0.9, "flits": 16}, "method": {"warmup_cycles": 0, "cycles": 20000}}
    unsafe = assay.Network.from_graph(RING, routes=ROUND, **keys)
    assert not unsafe.deadlock_free
    found = assay.simulate(unsafe)
    assert found.document["deadlocked"] == 1 and all(each["state"] == "invalid" for each in found.figures)
    rows = [{"router": at, "destination": to, "next": over, "lane": int(to < at)} for (at, to), over in ROUND.items()]
    rows = [row | {"source": source} for row in rows for source in range(4) if source != row["destination"]]
    for row in rows:  # lane 1 once the way has led over router 0
        row["lane"] = int(row["router"] < row["source"])
    safe = assay.Network.from_graph(RING, routes=rows, **keys)
    assert safe.deadlock_free and assay.simulate(safe).document["deadlocked"] == 0


@pytest.mark.parametrize(
    ("routes", "said"),
    [
        (
            {key: over for key, over in ROUND.items() if key != (1, 3)},
            "has no row for the way from node 0 to node 3 at router 1",
        ),
        (ROUND | {(1, 3): 0}, "leads from node 0 to node 3 in a circle, back to router 0"),
        (ROUND | {(1, 3): 3}, "line 7: no link leads from router 1 to 3"),
        ("router,destination,nxt\n0,1,1\n", r'line 1: column "nxt", accepted are router,destination,next'),
        ("router,destination\n0,1\n", "line 1: no column next"),
        ("router,destination,next\n0,1\n", "line 2: 2 fields, the first line has 3"),
        ("router,destination,next\n0,9,1\n", 'line 2: destination "9", accepted is an integer from 0 to 3'),
        ("router,destination,next\n0,1,1\n\n0,1,1\n", "line 4: the same router and way as line 2"),
        ("router,destination,next,lane\n0,1,1,64\n", 'line 2: lane "64", accepted is an integer from 0 to 63'),
    ],
)
def test_a_table_that_is_wrong_is_refused_in_one_line(routes: Any, said: str) -> None:
    with pytest.raises(InputError, match=rf"^network\.table: {said}"):
        _ = assay.Network.from_graph(RING, routes=routes).nodes


def test_a_table_s_file_is_found_beside_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inline = assay.Network.from_graph(RING, routes=ROUND, traffic={"load": 0.1, "flits": 2}, method=METHOD)
    (tmp_path / "routes.csv").write_text(inline.network["table"])
    (tmp_path / "ring.toml").write_text(inline.but({"network.table": "routes.csv"}).to_toml())
    monkeypatch.chdir(Path(__file__).parent)
    assert values(assay.simulate(tmp_path / "ring.toml")) == values(assay.simulate(inline))
    assert assay.Network.read(tmp_path / "ring.toml").nodes == 4
    (tmp_path / "routes.csv").write_text("router,destination,next\n0,0,5\n")
    with pytest.raises(InputError, match=r"ring\.toml:\d+: network\.table: .*routes\.csv:2: next \"5\""):
        assay.simulate(tmp_path / "ring.toml")


# --- graphs -----------------------------------------------------------------------------------------------------------
def test_channels_and_delays_of_edges_are_those_of_the_links() -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", channels=2, delay=3)
    graph.add_edge("b", "c")
    own = assay.Network.from_graph(graph, nodes=["a", "a", "c"], head_ticks=2)
    assert own.labels == ("a", "b", "c") and own.network["nodes"] == [0, 0, 2]
    links = {
        (each["from"], each["to"]): (each["channels"], each["head_ticks"], each["body_ticks"])
        for each in core.build_network(own.description().fabric()).links
        if each["kind"] == "network"
    }
    assert links == {(0, 1): (2, 5, 4), (1, 0): (2, 5, 4), (1, 2): (1, 2, 1), (2, 1): (1, 2, 1)}
    parallel = nx.MultiDiGraph([(0, 1), (0, 1), (1, 0)])
    assert assay.Network.from_graph(parallel).network["link_channels"] == [2, 1]
    with pytest.raises(InputError, match=r"^channels: is wrong; got 1\.5, expected a whole number from 1 to 65535$"):
        assay.Network.from_graph([(0, 1, 1.5)])
    with pytest.raises(InputError, match=r"^there is no such router; got 'd', expected 'a', 'b', 'c', …$"):
        assay.Network.from_graph(graph, nodes=["d"])
    with pytest.raises(InputError, match=r"^network\.link_channels: has 1 numbers, accepted are as many as links, 2"):
        _ = assay.Network("graph", links=[[0, 1], [1, 2]], link_channels=[1]).nodes


# --- files and back ---------------------------------------------------------------------------------------------------
@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(SMALL)), st.floats(0.01, 0.5), st.integers(1, 64), st.none() | st.sampled_from([3.5, 9.0])
)
def test_an_object_is_the_same_after_its_file_and_back(name: str, load: float, flits: int, mean: float | None) -> None:
    keys = {"topology": name, **SMALL[name]}
    length: Any = flits if mean is None else {"geometric_mean": int(mean)}
    made = assay.Network.of({"network": keys, "traffic": {"load": load, "flits": length}, "method": {"seed": flits}})
    text = made.to_toml()
    tree = tomllib.loads(text)
    assert tree.pop("version") == 1 and assay.Network.of(tree) == made
    assert description.parse(tree, made.description().source).key() == made.description().key()


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10**6), st.booleans())
def test_a_graph_with_routes_is_the_same_after_its_file_and_back(size: int, seed: int, routed: bool) -> None:
    graph = nx.random_labeled_tree(size, seed=seed)
    made = assay.Network.from_graph(graph, routes=shortest(graph) if routed else None)
    tree = tomllib.loads(made.to_toml())
    tree.pop("version")
    again = assay.Network.of(tree)
    assert again == made and again.routing_table() == made.routing_table()


def test_errors_are_those_of_a_file(tmp_path: Path) -> None:
    """Every tree that the fuzzer's file form refuses is refused as an object in the same words."""
    for network, traffic in (
        ({"topology": "torus", "extent": [3]}, {}),
        ({"topology": "torrus", "extents": [3]}, {}),
        ({"topology": "torus", "extents": "3"}, {}),
        ({"topology": "ring", "nodes": 4}, {"load": -1}),
        ({"topology": "ring", "nodes": 4}, {"pattern": "unifrom"}),
        ({"topology": "ring", "nodes": 4, "acknowledgement": 3}, {}),
        ({"extents": [3]}, {}),
    ):
        file = tmp_path / "n.toml"
        file.write_text(dumped({"network": network, "traffic": traffic}))
        with pytest.raises(InputError) as of_file:
            description.load(file)
        with pytest.raises(InputError) as of_object:
            assay.Network.of({"network": network, "traffic": traffic})
        place = str(of_file.value).removeprefix(f"{file}:").partition(": ")
        assert str(of_object.value) == (place[2] if place[0].isdigit() else str(of_file.value))


def test_a_machine_is_the_same_after_its_file_and_back_and_runs(tmp_path: Path) -> None:
    from assay.described.shipped import shipped

    for name in shipped():
        made = assay.Machine.read(name)
        made.write(tmp_path / f"{name}.toml")
        assert assay.Machine.read(tmp_path / f"{name}.toml") == made
    own = assay.Machine("constant", nodes=4, messages={"startup": "10 us", "per_byte": "1 ns/B"})
    found = assay.run("echo", on=own, parameters={"bytes": 1000}, ranks=2, out=tmp_path / "run")
    (half,) = [
        each["value"] for each in found.figures if each["name"] == "half_round_trip" and each["statistic"] == "median"
    ]
    assert half == pytest.approx(11e-6)
    assert [each["value"] for each in assay.open(found.folder).figures] == [each["value"] for each in found.figures]
    with pytest.raises(InputError, match=r"^messages\.startup: "):
        assay.Machine("wrong", messages={"startup": "10 bananas", "per_byte": "1 ns/B"})
