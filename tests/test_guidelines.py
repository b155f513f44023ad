"""Guidelines of collectives: a planted broken one is named and seen where people read, none where all hold."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from assay.analysis.guidelines import mockups
from assay.document.choice import ChoiceWanted
from assay.document.json_form import from_json, to_json
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.judge import findings
from assay.report.render import page, page_parts, terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import guidelines
from command_line import assay
from made_documents import document, figure, section

WANTED = {"figure": "time", "across": "algorithm", "own": "library"}
ROOT = Path(__file__).resolve().parent.parent
RANKS, A, B = 8, 1e-5, 1e-9
BLOCKS = (64, 512)


def seconds(operation: str, n: int, p: int = RANKS) -> float:
    """Times of a library that keeps every guideline: a message costs A + B n, trees and rings in the right places."""
    m = n * p
    return {
        "barrier": 3 * A,
        "broadcast": 3 * (A + B * n),
        "reduce": 3 * (A + B * n),
        "allreduce": 5 * (A + B * n),
        "gather": 3 * A + B * m,
        "scatter": 3 * A + B * m,
        "allgather": 4 * A + B * m,
        "reduce-scatter": 4 * A + 2 * B * m,
        "alltoall": (p - 1) * (A + B * n),
    }[operation]


OPERATIONS = ("broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "reduce-scatter", "alltoall")
MEASURED = {operation: set(BLOCKS) for operation in OPERATIONS} | {"barrier": {8}}


def made(
    slow: Mapping[tuple[str, int], float], launches: int = 30, noise: float = 0.03, seed: int = 3
) -> list[dict[str, Any]]:
    random = np.random.default_rng(seed)
    together = random.normal(0, 0.01, launches)
    found = []
    for operation, blocks in MEASURED.items():
        for block in sorted(blocks):
            value = seconds(operation, block) * slow.get((operation, block), 1.0)
            values = value * np.exp(together + random.normal(0, noise, launches))
            about = {"algorithm": "library", "operation": operation, "bytes": block, "ranks": RANKS, "root": 0}
            one = figure("time", float(np.median(values)), "s", **about)
            found.append(one | {"by_launch": [[i, v] for i, v in enumerate(values.tolist())], "better": "lower"})
    return found


def section_of(figures: list[dict[str, Any]]) -> Section:
    known = [from_json(ReportedFigure, each) for each in figures]
    judged = guidelines.guidelines(known, from_json(ChoiceWanted, WANTED), described=False)
    more = {"choice": WANTED, "guidelines": [to_json(each) for each in judged], "part": "messages"}
    return section("collective", figures, title="Collectives", **more)


def test_a_planted_slow_scatter_breaks_what_a_broadcast_of_all_blocks_would_keep() -> None:
    """scatter of 64 B by a broadcast of 512 B takes 3 (A + B 512) = 31.5 us; it is made to take twice as long."""
    planted = 2 * seconds("broadcast", 512) / seconds("scatter", 64)
    found = section_of(made({("scatter", 64): planted}))
    (rule,) = [each for each in found.guidelines or () if each.broken and each.kind == "instead"]
    assert (rule.params["operation"], rule.params["bytes"], rule.text) == ("scatter", 64, "broadcast of 512 B")
    assert rule.ci95 is not None
    assert rule.ci95[0] < 2 < rule.ci95[1]
    longer = [each for each in found.guidelines or () if each.broken and each.kind == "longer"]
    assert [(each.params["bytes"], each.text) for each in longer] == [(64, "scatter of 512 B")]


def test_a_broken_guideline_is_seen_in_findings_tables_page_and_json() -> None:
    found = section_of(made({("reduce", 512): 4.0}))
    whole = document(found)
    (line,) = [each for each in findings.findings(whole, [], []) if "guideline" in each.text]
    assert line.text.startswith("guideline broken: your library's reduce of 512 B on 8 ranks takes 2.")
    assert "times as long as allreduce of 512 B, 2." in line.text
    table = guidelines.table(found)
    assert table is not None
    assert table.rows[0][3:4] + table.rows[0][-1:] == ("allreduce of 512 B", "broken")
    assert table.rows[-1][-1] == "not shown broken"
    out = io.StringIO()
    terminal.show(whole, Console(file=out, width=160))
    assert "Guidelines: what an operation should not be slower than" in out.getvalue()
    assert "not shown broken" in as_markdown(whole)
    assert "guidelines broken beyond the margin" in page.html(whole)
    (block,) = page_parts.parts(whole)[0][0].blocks
    assert table in block.tables
    assert from_json(Section, to_json(found)) == found


def test_a_library_that_keeps_them_all_is_hardly_ever_accused() -> None:
    """Reduce and allreduce of equal cost, twice: 5% of the runs may accuse; two of eight would be beyond chance."""
    equal = {(operation, block): 1e-5 / seconds(operation, block) for operation in OPERATIONS[1:3] for block in BLOCKS}
    runs = [[f for f in made(equal, 12, 0.1, seed) if f["params"]["operation"] in OPERATIONS[1:3]] for seed in range(8)]
    found = [section_of(run).guidelines or [] for run in runs]
    assert all(len(run) == 6 for run in found)  # two of reduce by allreduce, and of each one longer and one split
    assert sum(any(g.broken for g in run) for run in found) <= 1


def test_few_launches_break_nothing() -> None:
    assert not any(each.broken or each.ci95 for each in section_of(made({("reduce", 512): 4.0}, 5)).guidelines or ())


lengths = st.sets(st.integers(1, 200).map(lambda words: 8 * words), max_size=5)


@given(
    ranks=st.integers(2, 33),
    blocks=st.fixed_dictionaries(dict.fromkeys(OPERATIONS, lengths)),
    a=st.floats(0, 1),
    b=st.floats(0, 1),
)
def test_a_library_that_builds_everything_of_the_others_breaks_none(
    ranks: int, blocks: dict[str, set[int]], a: float, b: float
) -> None:
    """Every operation takes the same affine time of all the bytes it has to do with: the guidelines follow from that.

    With w the blocks that an operation works on, t = a + b w n grows with n, and no right side does less.
    """
    known = {operation: some for operation, some in blocks.items() if some} | {"barrier": {8}}
    gathers = ("gather", "scatter", "allgather", "reduce-scatter", "alltoall")
    time = lambda operation, n: a + b * n * (ranks if operation in gathers else 1) * (operation != "barrier")  # noqa: E731
    for each in mockups(known, ranks):
        right = each.repeated * sum(time(*side) for side in each.right)
        assert time(each.operation, each.block) <= right * (1 + 1e-12), each
        assert all(block in known[operation] for operation, block in (*each.right, (each.operation, each.block)))


def test_guidelines_of_a_described_library_are_tested_by_a_run(tmp_path: Path) -> None:
    """MPICH 1.2's allreduce is by recursive doubling, its reduce by a tree, which is no slower: nothing varies."""
    words = ("--set", "operation=reduce,allreduce,broadcast", "--set", "algorithm=library", "--set", "bytes=64,6400")
    run = assay("run", "collective", "--on", "sgi-l1200-cluster", *words, "-n", "4", "--out", str(tmp_path), "--json")
    found = {(g["params"]["operation"], g["params"]["bytes"], g["text"]): g for g in run.document["guidelines"]}
    assert ("reduce", 64, "allreduce of 64 B") in found
    assert ("allreduce", 6400, "reduce of 6.25 KiB and broadcast of 6.25 KiB") in found
    times = {(f["params"]["operation"], f["params"]["bytes"]): f["value"] for f in run.document["figures"]}
    for (operation, block, text), each in found.items():
        assert each["value"] == times[operation, block]
        assert each["broken"] == (each["ratio"] > 1.03), text


def test_figures_of_unlike_ranks_per_node_are_never_compared() -> None:
    """With two ranks a node all takes half the time; with one scatter breaks a guideline, as it does measured alone.

    Were the two pooled, a test would take an operation's figure from one and its mock-up's from the other.
    """
    planted = {("scatter", 64): 2 * seconds("broadcast", 512) / seconds("scatter", 64)}
    alone = section_of(made(planted, noise=0)).guidelines or []
    spread = {(operation, block): 0.5 for operation, blocks in MEASURED.items() for block in blocks}
    both = [(1, made(planted, noise=0)), (2, made(spread, noise=0))]
    found = section_of([one | {"params": one["params"] | {"ppn": ppn}} for ppn, figures in both for one in figures])
    tests = found.guidelines or []
    assert len(tests) == 2 * len(alone)
    for ppn, factor in ((1, planted), (2, spread)):
        of = [each for each in tests if each.params["ppn"] == ppn]
        assert len(of) == len(alone)
        for each in of:
            key = str(each.params["operation"]), int(each.params["bytes"])
            assert np.isclose(each.value, seconds(*key) * factor.get(key, 1), rtol=0.01), each
    broken = [each for each in tests if each.broken]
    told = {(each.params["operation"], each.params["bytes"], each.text) for each in alone if each.broken}
    assert {each.params["ppn"] for each in broken} == {1}
    assert {(each.params["operation"], each.params["bytes"], each.text) for each in broken} == told
    (line,) = [each for each in findings.findings(document(found), [], []) if "guideline" in each.text]
    assert "scatter of 64 B on 8 ranks, 1 per node takes 2 times as long as " in line.text
    table = guidelines.table(found)
    assert table is not None and table.rows[0][1] == "8, 1 per node"
    assert {row[1] for row in table.rows} == {"8, 1 per node", "8, 2 per node"}
