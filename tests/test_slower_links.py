"""[[network.links]]: one link slower than the others of its kind, in every engine; what is wrong there is one line."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from command_line import assay
from test_network_fuzz import dumped

RING = {"topology": "ring", "nodes": 4, "routing": "dimension-order", "flit_ticks": 10, "body_ticks": 10}
RING |= {"head_ticks": 10}
HOW: dict[str, dict[str, Any]] = {
    "packet": {"switching": "cut-through", "header_flits": 1, "credit_ticks": 3},
    "worm": {"switching": "wormhole", "lanes": 1, "buffer_flits": 8, "dateline": "none"},
    "flit": {"switching": "wormhole", "lanes": 2, "buffer_flits": 4},
    "circuit": {"switching": "circuit", "dateline": "none"},
}
MESSAGES = [(0, 0, 1, 100), (7, 1, 2, 40), (40, 0, 2, 70), (55, 3, 1, 90), (60, 2, 1, 25), (20_000, 1, 0, 100)]


def delivered(folder: Path, network: dict[str, Any], messages: list[tuple[int, int, int, int]]) -> dict[int, int]:
    """Cycle of each message's tail at its destination."""
    (folder / "n.toml").write_text(dumped({"network": network}))
    rows = [f"{i},{','.join(map(str, each))}\n" for i, each in enumerate(messages)]
    (folder / "m.csv").write_text("id,cycle,source,destination,flits\n" + "".join(rows))
    answer = assay("replay", str(folder / "n.toml"), str(folder / "m.csv"), "-o", str(folder / "o.csv"))
    assert answer.status == 0, answer.err
    with (folder / "o.csv").open() as file:
        return {int(row["id"]): int(row["tail"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("how", HOW)
def test_all_links_slower_are_a_slower_network(how: str, tmp_path: Path) -> None:
    """Entries for every link, each 1.2 times as slow, are the network whose flits take 1.2 times as many ticks."""
    links = [{"routers": [at, (at + 1) % 4], "slower": 1.2} for at in range(4)]
    links += [{"node": at, "slower": 1.2} for at in range(4)]
    base = RING | HOW[how]
    slower = delivered(tmp_path, base | {"links": links}, MESSAGES)
    assert slower == delivered(tmp_path, base | {"flit_ticks": 12, "body_ticks": 12}, MESSAGES)
    assert slower != delivered(tmp_path, base, MESSAGES)


@pytest.mark.parametrize("how", HOW)
def test_one_slow_link_holds_up_those_that_cross_it_and_nobody_else(how: str, tmp_path: Path) -> None:
    """One message at a time, flits of 10 ticks, 13 over the slow link: all flits but the first leave it 3 ticks later
    each than the one before did, and the last is across 3 ticks later: 3 ticks a flit.
    """
    apart = [(at * 20_000, a, b, 100) for at, (a, b) in enumerate([(0, 1), (1, 0), (2, 3), (3, 0)])]
    base = RING | HOW[how]
    entry = {"routers": [0, 1], "slower": 1.3, "one_way": True}
    before, after = delivered(tmp_path, base, apart), delivered(tmp_path, base | {"links": [entry]}, apart)
    flits = 100 + base.get("header_flits", 0)
    late = {number: after[number] - before[number] for number in before}
    assert late[1] == late[2] == late[3] == 0
    assert late[0] == 3 * flits
    both = delivered(tmp_path, base | {"links": [entry | {"one_way": False}]}, apart)
    assert both[1] - before[1] == late[0]


def test_a_slow_node_of_a_described_machine(tmp_path: Path) -> None:
    """A long message of ranks 0 and 1 goes at the pace of rank 1's link; a flit of 64 bytes takes 2.56 ns else."""

    def time(*words: str) -> float:
        answer = assay("run", "echo", "--on", "fat-tree-hdr", "-n", "2", "--set", "bytes=4194304", "--json", *words)
        assert answer.status == 0, answer.err
        found = [each for each in json.loads(answer.out)["figures"] if each["name"] == "half_round_trip"]
        return float(found[0]["value"])

    usual = time()
    slow = time("--set", "machine.network.links=[{node = 1, slower = 1.1}]")
    wire = 4194304 / 64 * 2.56e-9
    assert slow - usual == pytest.approx(0.1 * wire, rel=0.05)
    assert time("--set", "machine.network.links=[{node = 5, slower = 1.1}]") == usual


WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"routers": [0, 2], "slower": 1.1},
        "network.links.0.routers: names 0 to 2, which no link joins; got [0, 2], expected "
        "two routers that a link of this topology joins",
    ),
    ({"routers": [0, 9], "slower": 1.1}, "network.links.0.routers: names 9, but there are 0 to 3"),
    ({"node": 4, "slower": 1.1}, "network.links.0.node: names 4, but there are 0 to 3"),
    ({"node": 1, "slower": 1.01}, "network.links.0.slower: makes 10 ticks 10.1, accepted is a factor"),
    ({"node": 1, "slower": 0.5}, "network.links.0.slower: "),
    ({"node": 1, "slow": 2}, "network.links.0.slow: there is no such key"),
    ({"slower": 2}, "network.links.0: must name one place; expected routers = [A, B], or node = N"),
    ({"node": 1, "routers": [0, 1], "slower": 2}, "network.links.0: must name one place"),
]


@pytest.mark.parametrize(("entry", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_is_wrong_in_an_entry_is_one_line(entry: dict[str, Any], words: str, tmp_path: Path) -> None:
    file = tmp_path / "n.toml"
    network = dumped({"network": RING | HOW["packet"]})
    file.write_text(network + "\n[[network.links]]\n" + dumped({"x": entry}).partition("\n")[2])
    answer = assay("simulate", str(file), "--set", "method.cycles=100")
    assert (answer.status, answer.out) == (2, "")
    (line,) = answer.err.splitlines()
    assert line.startswith(f"assay: {file}:") and words in line, line


def test_a_link_named_twice_is_refused_and_a_graph_has_both_kinds(tmp_path: Path) -> None:
    twice = [{"node": 1, "slower": 2.0}, {"node": 1, "slower": 3.0}]
    (tmp_path / "n.toml").write_text(dumped({"network": RING | HOW["packet"] | {"links": twice}}))
    answer = assay("simulate", str(tmp_path / "n.toml"), "--set", "method.cycles=100")
    assert answer.status == 2 and "names a link that an entry before it names" in answer.err
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n")
    graph: dict[str, Any] = {"topology": "graph", "file": "edges.txt", "flit_ticks": 10, "body_ticks": 10}
    graph |= {"switching": "cut-through"}
    slow = delivered(tmp_path, graph | {"links": [{"routers": [1, 2], "slower": 2.0}]}, [(0, 0, 2, 50), (0, 1, 0, 50)])
    usual = delivered(tmp_path, graph, [(0, 0, 2, 50), (0, 1, 0, 50)])
    assert slow[0] > usual[0] and slow[1] == usual[1]
