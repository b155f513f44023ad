"""A laboratory's hosts, cables and routes against definitions of the topologies, and what is refused."""

from __future__ import annotations

from pathlib import Path

import networkx
import pytest

from assay.described.machine_file import load
from assay.errors import InputError
from assay.laboratory import raising
from assay.laboratory.layout import layout
from assay.laboratory.specification import Specification, specification
from assay.laboratory.twin import text
from command_line import assay

GRAPHS = {
    "hypercube:3": (networkx.hypercube_graph(3), 8),
    "mesh:3x3": (networkx.grid_2d_graph(3, 3), 9),
    "torus:4x4": (networkx.grid_2d_graph(4, 4, periodic=True), 16),
    "ring:6": (networkx.cycle_graph(6), 6),
    "star:8": (networkx.star_graph(7), 8),
}


def way(topology: str, source: str, target: str) -> list[str]:
    """The vertices that a frame crosses, by the routes of each."""
    made, at = layout(topology), [source]
    while at[-1] != target:
        ends = made.cables[made.routes[at[-1]][target]].ends
        at.append(ends[1] if ends[0] == at[-1] else ends[0])
        assert len(at) < 20, at
    return at


@pytest.mark.parametrize("topology", GRAPHS)
def test_cables_and_ways_are_those_of_the_graph(topology: str) -> None:
    graph, nodes = GRAPHS[topology]
    made = layout(topology)
    built = networkx.Graph([each.ends for each in made.cables])
    assert made.nodes == nodes
    assert len(made.cables) == graph.number_of_edges()
    assert networkx.is_isomorphic(built, graph)
    shortest = dict(networkx.all_pairs_shortest_path_length(built))
    for a, source in enumerate(made.hosts):
        for b, target in enumerate(made.hosts):
            hops = len(way(topology, source, target)) - 1
            assert hops == shortest[source][target] == made.hops[a][b]


def test_a_fat_tree_has_switches_and_its_ways_go_up_and_down() -> None:
    made = layout("fat-tree:2x4")
    assert (made.nodes, made.switches) == (8, [f"s{number}" for number in range(6)])
    assert len(made.cables) == 8 + 4 * 2
    assert way("fat-tree:2x4", "n0", "n1") == ["n0", "s0", "n1"]
    assert [each[0] for each in way("fat-tree:2x4", "n0", "n7")] == ["n", "s", "s", "s", "n"]


REFUSED = [
    (("mesh:3",), "topology: no such topology; got 'mesh:3'"),
    (("hypercube:9",), "topology: no such topology"),
    (("torus:40x40",), "topology: has 1600 hosts"),
    (("cube",), "topology: no such topology; got 'cube'"),
    (("star:8", "--rate", "fast"), "--rate: is no rate; got 'fast'"),
    (("star:8", "--rate", "10Gbit"), "--rate: is out of range; got '10Gbit'"),
    (("star:8", "--delay", "3"), "--delay: is no time; got '3'"),
    (("star:8", "--slow", "n0-n9=0.5"), "--slow: no such link; got 'n0-n9'"),
    (("star:8", "--slow", "n0-n1"), "--slow: slows no link; got 'n0-n1'"),
    (("star:8", "--slow", "n0-n1=2"), "--slow: slows no link; got 'n0-n1=2'"),
    (("star:8", "--slow", "n0-n1=0.5", "--slow", "n1-n0=0.4"), "--slow: names a link twice"),
    (("star:8", "--name", "My Lab"), "--name: is no name; got 'My Lab'"),
    (("star:8", "--twin", "nowhere/twin.toml"), "--twin: is in no folder that is there"),
    ((), "lab up: needs a topology"),
]


@pytest.mark.parametrize(("words", "line"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_a_wrong_request_is_one_line(words: tuple[str, ...], line: str) -> None:
    answer = assay("lab", "up", *words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"assay: {line}"), answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [("down", "--name", "nosuch"), ("list", "star:8"), ("down", "--rate", "1Mbit"), ("go",)]
)
def test_a_wrong_action_is_one_line(words: tuple[str, ...]) -> None:
    answer = assay("lab", *words)
    assert answer.status == 2
    assert answer.err.count("\n") == 1


def test_where_namespaces_are_missing_it_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "unshare").write_text(
        "#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n"
    )
    (tmp_path / "unshare").chmod(0o755)
    for tool in ("nsenter", "ip"):
        (tmp_path / tool).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    why = "user and network namespaces are not available: unshare: unshare failed: Operation not permitted"
    assert raising.obstacle() == why
    with pytest.raises(InputError, match="no laboratory can be built here: user and network"):
        raising.check(specification("absent", "star:8", "1Mbit", None, []))


@pytest.mark.parametrize("topology", [*GRAPHS, "fat-tree:2x4"])
def test_a_specification_survives_its_text_and_its_twin_is_a_machine(topology: str, tmp_path: Path) -> None:
    first = layout(topology).cables[0].name
    made = specification("lab", topology, "10Mbit", "1ms", [f"{first}=0.5"])
    assert Specification.of_text(made.to_text()) == made
    (tmp_path / "twin.toml").write_text(text(made))
    assert load(tmp_path / "twin.toml").network_description() is not None


@pytest.mark.parametrize(("hops", "partner"), [(1, 1), (2, 3), (3, 7)])
def test_the_twin_plays_store_and_forward(hops: int, partner: int, tmp_path: Path) -> None:
    """[m' + 90 ceil(m'/1448) + (h - 1) frame] 8/R + h HOP + start-ups, m' = m + 8 (docs/laboratory.md)."""
    from assay.laboratory.twin import ASSUMED

    (tmp_path / "twin.toml").write_text(text(specification("lab", "hypercube:3", "10Mbit", None, [])))
    for length in (8, 1024, 1448, 10001):
        words = ("-n", "8", "--set", f"partner={partner}", "--set", f"bytes={length}")
        answer = assay(
            "run", "echo", "--on", str(tmp_path / "twin.toml"), *words, "--out", str(tmp_path / f"{length}"), "--json"
        )
        [figure] = [each for each in answer.document["figures"] if each["name"] == "half_round_trip"]
        whole, frames = length + 8, -(-(length + 8) // 1448)
        last = whole - 1448 * (frames - 1)
        frame = (1448 if frames > 1 else last) + 90
        expected = (whole + 90 * frames + (hops - 1) * frame) * 0.8e-6 + hops * ASSUMED.hop + 2 * ASSUMED.end
        if frames % 2 == 0:  # the answer waits for the last frame's acknowledgement
            expected += (90 * 0.8e-6 - 2 * ASSUMED.end) / 2
        assert figure["value"] == pytest.approx(expected, rel=4e-3)  # and 1 ns a byte in and out of a node
