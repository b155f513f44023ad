"""Whom the echo's rank 0 exchanges with on a described machine: one rank for each distance that there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.document.json_form import from_json
from assay.document.reported_figure import ReportedFigure
from assay.report.derive.document import _headlines
from command_line import assay
from made_documents import figure

TREE = ("--on", "fat-tree-hdr", "--set", "machine.network.children=[4,4]", "--set", "machine.network.parents=[2]")
TWO = ("--set", "machine.node.processors=2")
Distance = tuple[int | None, str | None]


def distances(folder: Path, *words: str) -> tuple[dict[Distance, float], dict[str, Any]]:
    """Half round trips of 1024 bytes by hops and placement, and the run's document."""
    answer = assay("run", "echo", *words, "--set", "bytes=1024", "--out", str(folder), "--json")
    assert answer.status == 0, answer.err
    found = [each for each in answer.document["figures"] if each["name"] == "half_round_trip"]
    by = {(each["params"]["hops"], each["params"]["placement"]): each["value"] for each in found}
    assert len(by) == len(found)
    return by, answer.document


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((*TREE, "-n", "16"), {(0, None), (2, None)}),
        ((*TREE, "-n", "4"), {(0, None)}),
        ((*TREE, *TWO, "-n", "32", "--ppn", "2"), {(0, "same node"), (0, "other node"), (2, "other node")}),
        ((*TREE, *TWO, "-n", "2", "--ppn", "2"), {(0, "same node")}),
        (("--on", "sgi-l1200-cluster", "-n", "8", "--ppn", "1"), {(0, None)}),
        (("--on", "sgi-l1200-cluster", "-n", "8", "--ppn", "2"), {(0, "same node"), (0, "other node")}),
        (("--on", "ipsc860", "-n", "8"), {(1, None), (2, None), (3, None)}),
        (("--on", str(Path(__file__).parent.parent / "examples" / "constant.toml"), "-n", "4"), {(None, None)}),
    ],
)
def test_there_is_one_partner_for_each_distance(
    words: tuple[str, ...], expected: set[Distance], tmp_path: Path
) -> None:
    assert distances(tmp_path / "run", *words)[0].keys() == expected


def test_each_takes_what_two_ranks_alone_take_there(tmp_path: Path) -> None:
    found, _ = distances(tmp_path / "all", *TREE, *TWO, "-n", "32", "--ppn", "2")
    for distance, where in (
        ((0, "same node"), ("--placement", "0", "--ppn", "2")),
        ((0, "other node"), ("--placement", "0,3", "--ppn", "1")),
        ((2, "other node"), ("--placement", "0,4", "--ppn", "1")),
    ):
        (alone,) = distances(tmp_path / str(where[1]), *TREE, *TWO, *where)[0].values()
        assert alone == pytest.approx(found[distance], rel=1e-4)


def test_of_partners_within_and_beyond_the_node_the_first_screen_has_those_beyond() -> None:
    figures = [
        figure("half_round_trip", value, "s", bytes=8, hops=None, placement=place) | {"better": "lower"}
        for place, value in (("same socket", 2e-7), ("same node", 4e-7), ("same switch", 2e-6), ("other node", 3e-6))
    ]
    known = [from_json(ReportedFigure, each) for each in figures]
    for given, value in ((known, 2e-6), (known[:2], 2e-7)):
        (line,) = _headlines(benchmark("echo"), given, False)
        assert line.figure.value == value
