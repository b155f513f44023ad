"""A link of a described fat tree that is a tenth slower: in the JSON, on the terminal, in Markdown and on the page."""

from __future__ import annotations

import base64
import gzip
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described
from assay.described.ways import ways
from assay.document.json_form import from_json, to_json
from assay.document.tournament import TournamentFound
from assay.report.judge.verdict import verdict
from assay.report.sections.pairs import pair_tables
from assay.report.sections.pairs.tournament import tournaments
from assay.store import Run
from command_line import Answer, assay
from made_documents import document, section
from slow_link_trials import tree

TREE = {"machine.network.children": "[4,4]", "machine.network.parents": "[4]"}
SLOW = "link router 6 to 3: messages of 256 KiB take 8.3% longer"  # a tenth of 10.49 us on the wire, of 12.58 in all


def described() -> DescribedMachine:
    return open_described("fat-tree-hdr", {key.removeprefix("machine."): value for key, value in TREE.items()})


def test_ways_are_those_of_d_mod_k() -> None:
    """Between leaves by the spine of the destination's number; within a leaf by the nodes' links alone."""
    found, layout = ways(described(), range(16)), tree(4, 4)
    assert found is not None and layout.links is not None
    names = [(each["from"], each["to"]) for each in found.ends]
    network = np.array([each["kind"] == "network" for each in found.ends])
    for source, target, way in zip(layout.source, layout.target, layout.links, strict=True):
        row = found.links[source * 16 + target]
        assert [names[at] for at in row if at >= 0 and network[at]] == [
            tuple(layout.ends[at][2:]) for at in way if at >= 0
        ]
        kinds = [found.ends[at]["kind"] for at in row if at >= 0]
        assert (kinds[0], kinds[-1]) == ("injection", "ejection")


def test_links_that_only_some_of_several_ways_cross_are_left_out() -> None:
    machine = open_described(
        "fat-tree-hdr", {"network.children": "[2,2]", "network.parents": "[2]", "network.up": "random"}
    )
    found = ways(machine, range(4))
    assert found is not None
    kinds = [found.ends[at]["kind"] for at in found.links[0 * 4 + 3] if at >= 0]
    assert kinds == ["injection", "ejection"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """The document of a run with the slow link, and its folder."""
    folder = tmp_path_factory.mktemp("tournament") / "run"
    given = {**TREE, "machine.network.links": "[{routers=[6,3], slower=1.1, one_way=true}]", "bytes": "262144"}
    words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    answer = assay("run", "tournament", "--on", "fat-tree-hdr", "-n", "16", *words, "--out", str(folder), "--json")
    assert answer.status == 0, answer.err
    return answer.document, folder


def test_the_slow_link_alone_is_named_in_the_json(run: tuple[dict[str, Any], Path]) -> None:
    found = from_json(TournamentFound, run[0]["tournament"])
    (slow,) = found.slow
    assert (slow.kind, slow.link, slow.bytes, slow.readings) == ("link", "router 6 to 3", 262144, 12)
    wire, usual = 262144 / 64 * 2.56e-9, found.lengths[0].median
    assert slow.slower == pytest.approx(0.1 * wire / usual, rel=0.02)
    assert (found.nodes, found.passes, found.routes, found.too_many) == (16, 6, True, 0)


def test_the_map_shows_the_pairs_whose_messages_cross_the_link(run: tuple[dict[str, Any], Path]) -> None:
    """From leaves 0 to 2 to node 14, whose number over 4 leaves 2: spine 6. What shared a link may hide one of them."""
    found = section("tournament", [], tournament=run[0]["tournament"])
    (plot,) = pair_tables.plots(found)
    drawn = plot["data"][0]["z"]
    crossing = {(source, 14) for source in range(12)}
    red = {(a, b) for a, row in enumerate(drawn) for b, more in enumerate(row) if (more or 0) > 0.07}
    assert red <= crossing and len(red) >= 10
    assert [row[at] for at, row in enumerate(drawn)] == [None] * 16


def test_terminal_markdown_and_page_say_the_same(run: tuple[dict[str, Any], Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    told = assay("report", str(run[1]), "-o", str(page))
    assert told.status == 0, told.err
    assert SLOW in " ".join(told.out.split()) and "Slow pairs, nodes and links" in told.out
    assert SLOW in " ".join(assay("report", str(run[1]), "--markdown").out.split())
    text = page.read_text()
    assert SLOW in re.sub(r"\s+", " ", text)
    assert "Slow pairs, nodes and links" in text
    (packed,) = re.findall(r'<script type="text/plain" id="pack">(.*?)</script>', text, re.DOTALL)
    unpacked = gzip.decompress(base64.b64decode(packed)).decode()
    assert "pairs, 256 KiB: longer than comparable pairs" in unpacked
    assert f"slow: {SLOW}" in run[0]["notes"]


def test_amounts_are_said_as_people_do() -> None:
    assert pair_tables.longer(0.086, (0.08, 0.09)) == ("8.6% longer", "8.0% to 9.0%")
    assert pair_tables.longer(2.0, (1.5, 3.0)) == ("3 times as long", "2.5 to 4")
    assert pair_tables.longer(2.0, (-0.5, 30.0)) == ("3 times as long", "by how much is not sure")
    assert pair_tables.longer(0.5, (0.5, 0.5)) == ("50.0% longer", "")


def test_a_node_that_may_only_be_further_away_is_no_matter_of_its_own_cable(run: tuple[dict[str, Any], Path]) -> None:
    whole = run[0]["tournament"]
    (link,) = whole["slow"]

    def advised(**more: Any) -> list[str]:
        node = link | {"kind": "node", "link": None, "text": "node 3: messages of 256 KiB take 8% longer"} | more
        of = section("tournament", [], tournament=whole | {"slow": [node]})
        return [each.advice for each in verdict(document(of)).findings if each.text == f"slow: {node['text']}"]

    assert advised() == ["look at that cable, its ports and that node; the part on messages draws all pairs"]
    (said,) = advised(but_for=["4"])
    assert said.startswith("it may only be further away, on another switch than most") and "its ports" not in said
    found = section("tournament", [], tournament=whole | {"slow": [link | {"but_for": ["4", "5", "6", "7"]}]})
    (table,) = pair_tables.tables(found)
    assert "but not with 4, 5, 6 …" in table.markdown()


@pytest.mark.nightly
def test_where_a_mesh_makes_messages_wait_nothing_is_called_slow(tmp_path: Path) -> None:
    """128 nodes of the DELTA, no link slower than another: parts of its middle and rows wait, and are no fault."""
    given = ("--on", "delta", "-n", "128", "--seed", "2", "--set", "bytes=512", "--out", str(tmp_path / "run"))
    answer = assay("run", "tournament", *given)
    assert answer.status == 0, answer.err
    report = assay("report", str(tmp_path / "run"), "--json").document
    (of,) = [each for each in report["benchmarks"] if each["benchmark"] == "tournament"]
    found = from_json(TournamentFound, of["tournament"])
    assert found.slow and all(each.shared for each in found.slow)
    assert found.text[-1].startswith("nothing slow: ") and not any(text.startswith("slow:") for text in found.text)
    waits = f"all pairs at once: {found.slow[0].text}"
    assert re.search(r"% longer, [\d.]+% to [\d.]+%, only where they share links with others$", waits)
    lines = report["summary"]["findings"]
    (line,) = [each for each in lines if each["text"].startswith(waits)]
    assert line["kind"] == "limit" and found.slow[0].alone > 0
    assert line["advice"].startswith("no message that had its way to itself took longer")
    never = to_json(found)
    never["slow"][0]["alone"] = 0  # then that says nothing
    whole = section("tournament", [], tournament=never)
    (advice,) = [each.advice for each in verdict(document(whole)).findings if each.text.startswith(waits)]
    assert advice.startswith("no message had its way to itself there") and "took longer" not in advice
    assert not [each for each in lines if each["text"].startswith("slow:")]
    plain = " ".join(answer.out.split())
    assert "Where messages wait for others that share their links" in plain and "Slow pairs" not in plain


SLOW_NODE = ("--set", "machine.network.links=[{node=3,slower=1.5}]")


def _told(answer: Answer) -> list[TournamentFound]:
    """What a run's JSON has of its tournaments: the only one, or all of them."""
    assert answer.status == 0, answer.err
    only = answer.document.get("tournament")
    return from_json(list[TournamentFound], [only] if only else answer.document["tournaments"])


def test_ranks_per_node_are_judged_apart_each_with_its_label(tmp_path: Path) -> None:
    """A slow node 3 of eight: a run of one rank a node and of two says of each what a run of it alone says."""
    given = ("run", "tournament", "--on", "sgi-l1200-cluster", "-n", "8", *SLOW_NODE)
    (one,) = _told(assay(*given, "--ppn", "1", "--out", str(tmp_path / "one"), "--json"))
    both = assay(*given, "--ppn", "1,2", "--out", str(tmp_path / "both"), "--json")
    first, second = _told(both)
    assert (one.params, one.label, one.nodes, one.passes) == (None, None, 8, 6)
    assert [(each.params, each.label) for each in (first, second)] == [
        ({"ranks": 8, "ppn": 1}, "1 per node"),
        ({"ranks": 8, "ppn": 2}, "2 per node"),
    ]
    assert [(each.nodes, each.launches, each.passes) for each in (first, second)] == [(8, 1, 6), (4, 1, 6)]
    assert [(each.kind, each.nodes, each.bytes) for each in one.slow] == [("node", ["3"], 262144)]
    assert [(each.kind, each.nodes, each.bytes) for each in first.slow] == [("node", ["3"], 262144)]
    assert [each.median for each in first.lengths] == [each.median for each in one.lengths]


def test_the_slow_node_of_one_placement_is_seen_with_its_label_everywhere(tmp_path: Path) -> None:
    given = ("--ppn", "1,2", "--on", "sgi-l1200-cluster", "-n", "8", *SLOW_NODE, "--out", str(tmp_path / "run"))
    made = assay("run", "tournament", *given)
    assert made.status == 0, made.err
    page = tmp_path / "page.html"
    told = assay("report", str(tmp_path / "run"), "-o", str(page))
    plain = " ".join(told.out.split())
    assert "slow: node 3, 1 per node: messages of 256 KiB take 49" in plain
    assert "Slow pairs, nodes and links, 1 per node" in plain and "nothing slow, 2 per node: " in plain
    markdown = " ".join(assay("report", str(tmp_path / "run"), "--markdown").out.split())
    assert "Slow pairs, nodes and links, 1 per node" in markdown
    text = page.read_text()
    assert "Slow pairs, nodes and links, 1 per node" in text
    (packed,) = re.findall(r'<script type="text/plain" id="pack">(.*?)</script>', text, re.DOTALL)
    unpacked = gzip.decompress(base64.b64decode(packed)).decode()
    titles = [f"pairs, {ppn} per node, {size}: longer than" for ppn in (1, 2) for size in ("256 KiB", "8 B")]
    assert all(title in unpacked for title in titles)
    summary = assay("report", str(tmp_path / "run"), "--json").document["summary"]["findings"]
    assert [each for each in summary if each["text"].startswith("slow: node 3, 1 per node: messages of 256 KiB")]


def test_more_ranks_than_one_placement_has_nodes_are_no_error(tmp_path: Path) -> None:
    """Sixteen ranks on eight nodes and eight: what is alike of the one has no place in the other."""
    found = _told(assay("run", "tournament", "--on", "sgi-l1200-cluster", "--ppn", "2,1", "--json"))
    assert [(each.label, each.ranks, each.nodes) for each in found] == [
        ("8 ranks, 1 per node", 8, 8),
        ("16 ranks, 2 per node", 16, 8),
    ]
    assert all(len(length.seconds) == each.ranks for each in found for length in each.lengths)


def test_passes_of_two_mpis_are_not_pooled(run: tuple[dict[str, Any], Path], tmp_path: Path) -> None:
    """The launch of a run, told to be of two MPIs in turn: each has the passes that it was measured in."""
    kept = Run.open(run[1])
    ((about, file),) = [each for each in kept.tasks() if each[0].benchmark == "tournament"]
    two = [replace(about, factors={"mpi": name, "transport": "default"}) for name in ("mpich", "openmpi")]
    kept.tasks = lambda *_, **__: iter([(each, file) for each in two])  # type: ignore[method-assign]
    found = tournaments(kept, "tournament")
    assert [(each.label, each.passes, each.launches) for each in found] == [("mpich", 6, 1), ("openmpi", 6, 1)]
    assert [[thing.text for thing in each.slow] for each in found] == [
        [SLOW.replace(": messages", f", {name}: messages")] for name in ("mpich", "openmpi")
    ]
