"""On how many nodes of a described machine ranks are, and that none but a run over a network is called exact to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.described.shipped import open_described, shipped
from assay.document.section import NodesUsed
from assay.report.derive.node_count import words
from command_line import assay

EXACT = "exact to the flit"
NETWORKED = [name for name in shipped() if open_described(name).network]


def simulated(*given: str) -> tuple[dict[str, Any], str]:
    """One run's document and what the terminal shows of it."""
    ended = assay("run", *given, "--set", "bytes=64", "--out", "here")
    assert ended.status == 0, ended.err
    return assay("report", "here", "--json").document, " ".join(ended.out.split())


@pytest.mark.parametrize("machine", NETWORKED)
@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("placed", [False, True])
def test_what_crosses_no_network_is_not_called_exact_to_it(
    machine: str, spread: bool, placed: bool, own_folder: None
) -> None:
    """Two ranks on one node, where it has room and the description says what that takes; and on two of them.

    Messages are counted in the same way where the nodes are named.
    """
    node = open_described(machine).node
    together = not spread and node is not None and node.processors > 1
    ended = assay(
        *("run", "echo", "--on", machine, "-n", "2", "--ppn", "2" if together else "1"),
        *(("--placement", "0" if together else "0,1") if placed else ()),
        *("--set", "bytes=64", "--out", "here"),
    )
    whole = assay("report", "here", "--json").document if ended.status == 0 else {"benchmarks": []}
    if not whole["benchmarks"]:
        pytest.skip(f"{machine} does not describe it")
    (used,) = whole["benchmarks"][0]["nodes"]
    processors = 1 if node is None else node.processors
    nodes = 1 if together else 2
    assert used == {"ranks": 2, "nodes": nodes, "per_node": 2 // nodes, "processors": processors, "crossed": nodes > 1}
    shown = " ".join(ended.out.split())
    where = f"2 ranks on 1 node of {processors} processors" if together else "2 ranks on 2 nodes, 1 each"
    assert where in shown
    assert (EXACT in shown) == (nodes > 1) and ("no message crossed the network" in shown) == together
    (fact,) = [each["text"] for each in whole["summary"]["facts"] if each["name"] == "simulated"]
    assert where in fact and (EXACT in fact) == (nodes > 1)


WIDE = ("compaq-alphaserver-sc", "--set", "machine.node.processors=64")  # nodes of four


def test_as_many_ranks_as_a_node_has_processors_are_on_one(own_folder: None) -> None:
    whole, shown = simulated("alltoall", "--on", *WIDE, "-n", "64")
    assert "64 ranks on 1 node of 64 processors" in shown and EXACT not in shown
    assert whole["benchmarks"][0]["nodes"][0]["crossed"] is False


def test_a_placement_spreads_ranks_as_it_says(own_folder: None) -> None:
    whole, shown = simulated("alltoall", "--on", *WIDE, "-n", "64", "--ppn", "16", "--placement", "scattered")
    assert "64 ranks on 4 nodes, 16 each" in shown and EXACT in shown and "ranks scattered" in shown
    assert whole["benchmarks"][0]["nodes"] == [
        {"ranks": 64, "nodes": 4, "per_node": 16, "processors": 64, "crossed": True}
    ]


def test_ranks_that_are_placed_on_one_node_use_no_network(own_folder: None) -> None:
    whole, shown = simulated("alltoall", "--on", *WIDE, "-n", "8", "--ppn", "8", "--placement", "3")
    assert "8 ranks on 1 node of 64 processors" in shown and EXACT not in shown and "ranks on nodes 3" in shown
    (used,) = whole["benchmarks"][0]["nodes"]
    assert "no message crossed the network" in shown and (used["nodes"], used["crossed"]) == (1, False)


@pytest.mark.parametrize(
    ("ranks", "nodes", "per", "text"),
    [
        (1, 1, 1, "1 rank on 1 node of 8 processors"),
        (7, 4, 2, "7 ranks on 4 nodes, at most 2 each"),
        (8, 2, 4, "8 ranks on 2 nodes, 4 each"),
    ],
)
def test_the_words_are_even_only_where_nodes_are(ranks: int, nodes: int, per: int, text: str) -> None:
    used = NodesUsed(ranks=ranks, nodes=nodes, per_node=per, processors=8, crossed=None)
    assert words([used]) == text
    assert words([used, NodesUsed(ranks=0, nodes=0, per_node=1, processors=8, crossed=None)]) == f"up to {text}"
    assert words([]) == "" and not Path("here").exists()
