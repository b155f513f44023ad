"""Where a described machine's file is silent about what a benchmark needs, it says so and gives no figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described
from command_line import assay
from remarked import texts
from started import play

LINE = {"topology": "ring", "nodes": 8, "cycle": "1 ns", "flit_ticks": 4, "head_ticks": 50}
SILENT: dict[str, Any] = {"name": "m", "network": LINE, "protocol": [{"startup": "20 us"}]}
STORED = SILENT | {"network": {**LINE, "switching": "store-and-forward"}}
CASES = [
    (SILENT, "self", "[[self]], what a message within a node takes", {"self": [{"startup": "2 us"}]}),
    (SILENT, "host", "[[host]], what a message between host and node takes", {"host": [{"startup": "2 us"}]}),
    (SILENT, "forced", "[forced], what a message takes whose receive is known", {"forced": {}}),
    (SILENT, "overlap", "[progress], how a node answers while", {"progress": {"kind": "hardware"}}),
    (STORED, "spin", "[node.forwarding], what a message", {"node": {"forwarding": {"startup": "5 us"}}}),
    (STORED, "routing-echo", "[node.forwarding]", {"node": {"forwarding": {"startup": "5 us"}}}),
    (SILENT | {"node": {"processors": 2}}, "echo", "it has no [[self]]", {"self": [{"startup": "2 us"}]}),
]  # fmt: skip


def said(table: dict[str, Any], program: str) -> tuple[list[str], int]:
    """Notes of a launch, and how many blocks it sampled."""
    described = DescribedMachine.model_validate(table).for_core()
    words = ["--set", "partner=1"] if program == "echo" else []
    ranks = 1 if program == "host" else 8
    events = [json.loads(line) for line in play(program, described, ranks, words).splitlines()]
    assert events[-1] == {"event": "done"}
    return texts(events), sum(e["event"] == "block" for e in events)


@pytest.mark.parametrize(("table", "program", "missing", "described"), CASES)
def test_what_the_file_does_not_say_gives_no_figure(
    table: dict[str, Any], program: str, missing: str, described: dict[str, Any]
) -> None:
    notes, blocks = said(table, program)
    assert blocks == 0 and [note for note in notes if note.startswith("left out: not described by m: ")]
    assert any(missing in note for note in notes)
    node = {**table.get("node", {}), **described.get("node", {})}
    notes, blocks = said(table | described | ({"node": node} if node else {}), program)
    assert blocks > 0 and not any("not described" in note for note in notes)


@pytest.mark.parametrize("name", ["ipsc1", "ipsc2", "ncube6400", "paragon-mp", "fat-tree-hdr"])
def test_ready_messages_have_no_figure_where_no_paper_says_what_they_take(name: str, tmp_path: Path) -> None:
    """They took what ordinary messages take, under the name of a measurement."""
    made = assay("run", "forced", "--on", name, "--out", str(tmp_path / "run"), "--json")
    assert made.status == 2 and made.document["figures"] == []
    (skipped,) = made.document["left_out"]
    assert skipped["reason"].startswith(f"not described by {name}: [forced], what a message takes whose receive")


def test_a_person_reads_not_described_and_no_zero(tmp_path: Path) -> None:
    made = assay("run", "self", "--on", "delta", "--out", str(tmp_path / "run"), "--json")
    assert made.status == 2 and made.document["figures"] == []
    (skipped,) = made.document["left_out"]
    assert made.err.splitlines()[-1] == f"assay: self: nothing was measured: {skipped['reason']}"
    assert skipped["reason"] == "not described by delta: [[self]], what a message within a node takes"
    shown = assay("run", "self", "--on", "delta", "--out", str(tmp_path / "again"))
    assert "not described by delta" in " ".join((shown.out + shown.err).split())


@pytest.mark.parametrize("program", ["fan-in", "fan-out"])
def test_behind_switches_the_nearest_serve_as_neighbours(program: str) -> None:
    """Nobody is one hop away in a fat tree: those under other leaves, two hops away, are the nearest nodes."""
    described = open_described("fat-tree-hdr").for_core()
    words = ["--set", "bytes=64", "--set", "neighbours=2"]
    events = [json.loads(line) for line in play(program, described, 128, words).splitlines()]
    assert [e["case"]["neighbours"] for e in events if e["event"] == "block"] == [2]
    assert any("those 2 hops away serve as neighbours" in e["text"] for e in events if e["event"] == "note")


def test_a_machine_that_says_nothing_of_a_barrier_makes_it_of_messages() -> None:
    table = {"name": "m", "messages": {"startup": "70 us", "per_byte": "1 us/B"}}
    lines = play("barrier", DescribedMachine.model_validate(table).for_core(), 8, ["--set", "algorithm=library"])
    blocks = [event for event in map(json.loads, lines.splitlines()) if event["event"] == "block"]
    times = {event["case"]["ranks"]: event["values"][0] for event in blocks}
    assert times == {ranks: pytest.approx(70e-6 * rounds) for ranks, rounds in ((2, 1), (4, 2), (8, 3))}


def test_shipped_machines_are_silent_only_where_their_papers_are() -> None:
    silent = {
        (name, program)
        for name in ("ipsc1", "ipsc2", "ipsc860", "ncube3200", "ncube6400", "delta", "paragon-mp")
        for program, key in (("self", "self_path"), ("host", "host"), ("overlap", "progress"))
        if not getattr(open_described(name), key)
    }
    assert silent == {
        ("delta", "self"), ("delta", "host"), ("paragon-mp", "self"), ("paragon-mp", "host")
    }  # fmt: skip
