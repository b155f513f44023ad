"""Fewer nodes than a benchmark needs ranks: several per node, said; a victim and an aggressor on each of two nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.execute.run_request import RunRequest
from command_line import assay

FOUR = ("--on", "fat-tree-hdr", "--set", "machine.node.processors=4", "--set", "machine.node.ranks=1")
QUICK = ("--set", "victim=latency", "--set", "aggressor=incast")


@pytest.mark.parametrize(
    ("nodes", "ppn", "ranks", "said"),
    [
        (1, (), 4, "interference needs 4 ranks: 4 on each of 1 node"),
        (2, (), 4, "interference needs 4 ranks: 2 on each of 2 nodes"),
        (3, (), 6, "interference needs 4 ranks: 2 on each of 3 nodes"),
        (4, (), 4, None),
        (2, (3,), 6, None),
        (2, (1, 2, 3), 4, None),
    ],
)
@pytest.mark.parametrize("on", [None, "fat-tree-hdr"])
def test_so_many_ranks_go_on_each_node_as_it_takes(
    on: str | None, nodes: int, ppn: tuple[int, ...], ranks: int, said: str | None
) -> None:
    machine = {"node.processors": "4", "node.ranks": "1"} if on else {}
    request = RunRequest(names=("interference",), on=on, nodes=nodes, ppn=ppn, machine=machine)
    sizes = request._sizes(benchmark("interference"))
    assert sizes[0].ranks == ranks and len(sizes) == max(1, len([each for each in ppn if each * nodes >= 4]))
    assert request.raised() == ([] if said is None else [said])


def test_two_nodes_have_a_victim_and_an_aggressor_each(tmp_path: Path) -> None:
    answer = assay("run", "interference", *FOUR, "-N", "2", *QUICK, "--out", str(tmp_path / "run"))
    assert answer.status == 0 and "interference needs 4 ranks: 2 on each of 2 nodes" in answer.err
    launch = next((tmp_path / "run" / "launches").glob("*.jsonl")).read_text()
    events = [json.loads(line) for line in launch.splitlines()]
    (load,) = (event for event in events if event.get("metric") == "load")
    assert load["case"]["ranks"] == 4 and load["values"][0] > 0
    # the same ranks as --ppn says it
    other = assay(
        "run", "interference", *FOUR, "-n", "4", "--ppn", "2", *QUICK, "--out", str(tmp_path / "other"), "--json"
    )
    first = assay("report", str(tmp_path / "run"), "--json").document["benchmarks"][0]
    assert [each["value"] for each in other.document["figures"]] == [each["value"] for each in first["figures"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            (*FOUR, "-N", "2", "--ppn", "1"),
            "interference -N 2 --ppn: is too few for its 4 ranks; got '1', expected 2",
        ),
        (
            ("--on", "delta", "-N", "2"),
            "interference -N: is too few for its 4 ranks; got 2, expected 4 or more, as delta",
        ),
    ],
)
def test_what_is_too_few_is_refused_in_one_line(words: tuple[str, ...], said: str, own_folder: None) -> None:
    ended = assay("run", "interference", *words)
    assert ended.status == 2 and said in ended.err and ended.err.count("\n") == 1 and not Path("runs").exists()
