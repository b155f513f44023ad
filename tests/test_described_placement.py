"""`--placement`: a job's ranks on named nodes of a described machine, or on those that a rule chooses."""

from __future__ import annotations

import csv
import itertools
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.described.machine_file import DescribedMachine
from assay.described.placed import listed, nodes_for
from assay.described.shipped import open_described
from command_line import Answer, assay


def echo(folder: Path, on: str, *words: str) -> list[dict[str, Any]]:
    """Figures of echoes of 1024 bytes."""
    answer = run(folder, "echo", "--on", on, "--set", "bytes=1024", *words)
    assert answer.status == 0, answer.err
    found: list[dict[str, Any]] = answer.document["figures"]
    return [each for each in found if each["name"] == "half_round_trip"]


def run(folder: Path, *words: str) -> Answer:
    return assay("run", *words, "--out", str(folder), "--json")


def test_two_ranks_on_named_nodes_echo_as_the_partner_so_many_hops_away_does(tmp_path: Path) -> None:
    """Nodes 5 and 126 of a 7-cube differ in 6 bits: two ranks there take what a partner 6 hops from rank 0 does."""
    usual = {each["params"]["hops"]: each["value"] for each in echo(tmp_path / "all", "ipsc860", "-n", "128")}
    for nodes, hops in (("5,126", (5 ^ 126).bit_count()), ("0,1", 1), ("127,0", 7)):
        (figure,) = echo(tmp_path / nodes, "ipsc860", "--placement", nodes)
        assert (figure["params"]["hops"], figure["value"]) == (hops, usual[hops])


def test_ranks_fill_each_node_in_the_order_of_the_list(tmp_path: Path) -> None:
    """Two ranks on each of two nodes of unlike leaves: within the node, and two hops away."""
    tree = ("--set", "machine.network.children=[4,4]", "--set", "machine.network.parents=[4]")
    found = echo(tmp_path / "run", "fat-tree-hdr", "--placement", "3,12", "--ppn", "1", *tree)
    assert [each["params"]["hops"] for each in found] == [2]
    two = ("--ppn", "2", "--set", "machine.node.processors=2")
    found = echo(tmp_path / "pairs", "fat-tree-hdr", "--placement", "12,3,13", *tree, *two)
    seen = {(each["params"]["hops"], each["params"]["placement"]) for each in found}
    assert seen == {(0, "same node"), (0, "other node"), (2, "other node")}


def test_where_ranks_are_is_written_and_a_slow_pair_is_named_by_its_nodes(tmp_path: Path) -> None:
    """Leaves of four nodes: the link from the third one, of nodes 8 to 11, to a spine is a tenth slower."""
    given_words = {"network.children": "[4,8]", "network.parents": "[4]"}
    given_words["network.links"] = "[{routers=[10,3], slower=1.1, one_way=true}]"
    tree = [word for key, value in given_words.items() for word in ("--set", f"machine.{key}={value}")]
    answer = run(tmp_path / "run", "tournament", "--on", "fat-tree-hdr", "--placement", "8-23", *tree)
    assert answer.status == 0, answer.err
    document = answer.document
    assert "placed on nodes 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23" in document["notes"]
    (slow,) = document["tournament"]["slow"]
    assert (slow["kind"], slow["link"]) == ("link", "router 10 to 3")


@settings(max_examples=60, deadline=None)
@given(
    extents=st.lists(st.integers(1, 5), min_size=1, max_size=3).filter(lambda each: math.prod(each) > 1),
    data=st.data(),
)
def test_a_submesh_is_a_block_of_least_size_and_then_of_least_surface(extents: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(1, math.prod(extents)))
    machine = DescribedMachine.model_validate(
        {"name": "m", "network": {"topology": "mesh", "extents": extents, "cycle": "1 ns", "flit_bytes": 8.0}}
        | {"protocol": [{"startup": "1 us"}]}
    )
    nodes = nodes_for(machine, "submesh", count, 1)
    places = []
    for node in nodes:
        place = []
        for extent in extents:
            node, at = divmod(node, extent)
            place.append(at)
        places.append(place)
    sides = [max(axis) - min(axis) + 1 for axis in zip(*places, strict=True)]
    shapes = [
        shape for shape in itertools.product(*(range(1, each + 1) for each in extents)) if math.prod(shape) >= count
    ]
    least = min(map(math.prod, shapes))
    assert len(set(nodes)) == count and nodes == sorted(nodes)
    assert math.prod(sides) <= least  # a block that is not filled may need less of its last side

    def surface(shape: tuple[int, ...]) -> float:
        return sum(math.prod(shape) / side for side in shape)

    best = min((shape for shape in shapes if math.prod(shape) == least), key=surface)
    if least == count:
        assert surface(tuple(sides)) == pytest.approx(surface(best))


def test_scattered_nodes_are_drawn_by_the_seed_and_others_begin_at_0() -> None:
    machine, cube = open_described("fat-tree-hdr"), open_described("ipsc860")
    drawn = [nodes_for(machine, "scattered", 16, seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(len(set(each)) == 16 and min(each) >= 0 and max(each) < 800 and each == sorted(each) for each in drawn)
    assert nodes_for(machine, "contiguous", 5, 1) == nodes_for(cube, "subcube", 5, 1) == [0, 1, 2, 3, 4]
    assert listed("3, 8-10 ,1") == [3, 8, 9, 10, 1]


def test_contiguous_is_what_no_placement_gives(tmp_path: Path) -> None:
    words = ("collective", "--on", "sgi-l1200-cluster", "-n", "6", "--ppn", "2", "--set", "operation=allreduce")
    values = [
        [(each["params"], each["value"]) for each in run(tmp_path / str(at), *words, *more).document["figures"]]
        for at, more in enumerate(((), ("--placement", "contiguous")))
    ]
    assert values[0] == values[1]


def traced(folder: Path, *words: str) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The timeline and the matrix of an all-to-all of six ranks."""
    folder.mkdir()
    files = ("--timeline", str(folder / "t.json"), "--matrix", str(folder / "m.csv"))
    answer = run(folder / "run", "alltoall", "-n", "6", "--set", "bytes=64", *words, *files)
    assert answer.status == 0, answer.err
    events: list[dict[str, Any]] = json.loads((folder / "t.json").read_text())["traceEvents"]
    with (folder / "m.csv").open() as file:
        return events, list(csv.DictReader(file))


def test_the_timeline_and_the_matrix_of_placed_ranks_are_by_rank_and_name_their_nodes(tmp_path: Path) -> None:
    """Contiguous ones are what no placement gives; others send as much, from rank to rank, over other distances."""
    usual = traced(tmp_path / "usual", "--on", "paragon-mp")
    assert traced(tmp_path / "contiguous", "--on", "paragon-mp", "--placement", "contiguous") == usual
    events, matrix = traced(tmp_path / "listed", "--on", "paragon-mp", "--placement", "20,3,17,5,11,1")
    nodes = (20, 3, 17, 5, 11, 1)
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert names == {f"rank {rank} on node {node}" for rank, node in enumerate(nodes)}
    sent = Counter((event["tid"] - 1, "s") for event in events if event["ph"] == "s")
    assert set(sent) == {(rank, "s") for rank in range(6)}
    by_pair = {(int(row["source"]), int(row["destination"])): row for row in matrix}
    usual_pairs = {(int(row["source"]), int(row["destination"])): row for row in usual[1]}
    assert list(by_pair) == sorted(by_pair) == list(usual_pairs)
    for (source, to), row in by_pair.items():
        assert (row["source_node"], row["destination_node"]) == (str(nodes[source]), str(nodes[to]))
        assert all(row[key] == usual_pairs[source, to][key] for key in ("messages", "bytes"))


def test_two_ranks_on_a_node_have_one_node_and_io_nodes_have_none(tmp_path: Path) -> None:
    """Ranks of a job that writes files, and the I/O nodes that serve it, which come after the ranks."""
    words = ("--on", "sgi-l1200-cluster", "--ppn", "2", "--placement", "6,2,4")
    assert {row["source_node"] for row in traced(tmp_path / "pairs", *words)[1]} == {"6", "2", "4"}
    words = ("file-rate", "--on", "delta", "-n", "3", "--set", "io_nodes=2", "--matrix")
    pairs = []
    for name, more in (("usual", ()), ("placed", ("--placement", "9,8,7"))):
        file = tmp_path / f"{name}.csv"
        assert run(tmp_path / name, *words, str(file), *more).status == 0
        rows = list(csv.DictReader(file.read_text().splitlines()))
        pairs.append([(row["source"], row["destination"]) for row in rows])
    assert pairs[0] == pairs[1]
    nodes = {row["source"]: row["source_node"] for row in rows}
    assert nodes == {"0": "9", "1": "8", "2": "7"} | {name: "" for name in nodes if int(name) > 2} and len(nodes) > 3


def test_an_evaluation_places_ranks_and_its_report_says_where(own_folder: None) -> None:
    words = ("evaluate", "--on", "fat-tree-hdr", "--only", "messages", "--launches", "1", "--placement", "5,9,200,201")
    answer = assay(*words, "--out", "run", "-q")
    assert answer.status == 0, answer.err
    document = assay("report", "run", "--json").document
    assert "placed on nodes 5, 9, 200, 201" in document["benchmarks"][0]["notes"]
    assert {stated["placement"] for stated in document["provenance"].values()} == {"5,9,200,201"}
    (said,) = [fact["text"] for fact in document["summary"]["facts"] if fact["name"] == "placed"]
    assert said == "ranks on nodes 5,9,200,201"
    assert said in Path("run", "report.html").read_text().partition('id="pack"')[0]
    alone = assay(
        "run", "barrier", "--on", "fat-tree-hdr", "--placement", "5,9,200,201", "--out", "alone", "--json"
    ).document
    left_out = {each["benchmark"]: each["reason"] for each in document["left_out"]}
    assert left_out["forced"].startswith("not described by fat-tree-hdr: [forced]")
    (barrier,) = [each for each in document["benchmarks"] if each["benchmark"] == "barrier"]
    both = [{str(each["params"]): each["value"] for each in made["figures"]} for made in (barrier, alone)]
    assert both[0] == both[1] and len(both[0]) > 1


@pytest.mark.parametrize("verb", ["evaluate", "plan"])
@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (("--on", "delta", "--placement", "here"), "is no placement; got 'here'"),
        (("--on", "delta", "--placement", "1,512"), "names node 512, which delta does not have"),
        (("--on", "delta", "--placement", "1,2", "-N", "3"), "names 2 nodes, and -N is 3"),
        (("--on", "delta", "--placement", "subcube"), "needs a hypercube, and delta is mesh"),
        (("--placement", "1,2"), "places ranks on a described machine; got '1,2', expected --on"),
        (("--on", "ksr1", "--placement", "1,2"), "ksr1"),
    ],
)
def test_an_evaluation_refuses_what_a_run_does(verb: str, words: tuple[str, ...], seen: str, own_folder: None) -> None:
    ended = assay(verb, *words)
    assert ended.status == 2 and seen in " ".join(ended.err.split()), ended.err
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (
            ("--on", "delta", "--placement", "here"),
            "is no placement; got 'here', expected contiguous, scattered, sub",
        ),
        (("--on", "delta", "--placement", "1,-2"), "is no placement"),
        (("--on", "delta", "--placement", "9-3"), "is no range of nodes; got '9-3', expected FIRST-LAST"),
        (("--on", "delta", "--placement", "4,4"), "names node 4 twice; got '4,4', expected each node once"),
        (("--on", "delta", "--placement", "1,512"), "names node 512, which delta does not have"),
        (("--on", "delta", "--placement", "1,2", "-n", "3"), "names 2 nodes, and the ranks fill 3"),
        (("--on", "delta", "--placement", "1,2", "-N", "3"), "names 2 nodes, and -N is 3"),
        (
            ("--on", "delta", "--placement", "subcube", "-n", "4"),
            "needs a hypercube, and delta is mesh; got 'subcube', expected contiguous, scattered, submesh, or nodes",
        ),
        (
            ("--on", "ipsc860", "--placement", "submesh", "-n", "4"),
            "needs a mesh or torus of up to three dimensions, and ipsc860 is hypercube; got 'submesh', expected "
            "contiguous, scattered, subcube, or nodes",
        ),
        (
            ("--on", "fat-tree-hdr", "--placement", "submesh", "-n", "4"),
            "got 'submesh', expected contiguous, scattered, or nodes",
        ),
        (("--placement", "1,2"), "places ranks on a described machine; got '1,2', expected --on"),
        (
            ("--on", "delta", "--matrix", "nosuch/m.csv"),
            "--matrix: is in no folder that is there; got 'nosuch/m.csv'",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    words: tuple[str, ...], seen: str, own_folder: None
) -> None:
    ended = assay("run", "echo", *words)
    assert ended.status == 2 and seen in " ".join(ended.err.split()), ended.err
    assert ended.err.count("\n") == 1 and not Path("runs").exists()


def test_what_a_program_refuses_is_the_users_to_mend_there_too(tmp_path: Path) -> None:
    ended = run(tmp_path / "run", "echo", "--on", "delta", "--placement", "1,2", "--set", "partner=9")
    assert ended.status == 2 and "partner: no such rank; got '9', expected 0 (by hops) to 1" in ended.err
