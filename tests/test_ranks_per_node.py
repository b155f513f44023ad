"""Several ranks per node: each has its main figure by its number; a run of one stands beside a run of several."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.report.derive.ranks_per_node import unlike
from assay.report.judge import main_figures
from command_line import assay
from made_documents import document, figure, headline, section

SGI = "sgi-l1200-cluster"


def ran(folder: Path, benchmark: str, *words: str, on: str = SGI) -> dict[str, Any]:
    """The document of a run in a folder."""
    answer = assay("run", benchmark, "--on", on, *words, "--out", str(folder), "--json")
    assert answer.status == 0, answer.err
    found: dict[str, Any] = answer.document
    return found


@pytest.fixture(scope="module")
def pairings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bisection") / "run"
    ran(folder, "bisection", "--ppn", "1,2")
    return folder


def test_each_number_has_a_main_figure_that_names_it(pairings: Path, tmp_path: Path) -> None:
    """Of two ranks on a node each has half of the node's channel; what a run of one number says is said of it."""
    lines = assay("report", str(pairings), "--json").document["summary"]["lines"]
    assert [each["title"] for each in lines] == [
        f"Pair in random pairings of all (64 KiB), {ppn} per node" for ppn in (1, 2)
    ]
    one, two = (each["value"] for each in lines)
    assert two < 0.6 * one
    for ppn, value in ((1, one), (2, two)):
        alone = ran(tmp_path / str(ppn), "bisection", "--ppn", str(ppn))
        (line,) = alone["headlines"]
        assert (line["title"], line["value"]) == (
            "Pair in random pairings of all (64 KiB)",
            pytest.approx(value, rel=1e-2),
        )
        assert alone["ppn"] == ppn
    plain = " ".join(assay("report", str(pairings)).out.split())
    assert "1 per node" in plain and "2 per node" in plain


def titles(*values: float) -> list[str]:
    """Of the lines for main figures of 1, 2, … ranks per node."""
    every = [(f"rate, {ppn} per node", value, {"ppn": ppn}) for ppn, value in enumerate(values, start=1)]
    of = section("b", [], headlines=[headline(title, value, "B/s", params=params) for title, value, params in every])
    return [line.title for line in main_figures.lines(document(of), [])]


def test_the_first_screen_has_the_best_and_the_worst_and_says_once_what_is_alike() -> None:
    assert titles(5.0, 3.0) == ["rate, 1 per node", "rate, 2 per node"]
    assert titles(5.0, 2.0, 7.0, 3.0) == ["rate, 2 per node", "rate, 3 per node"]
    assert titles(5.0, 5.0, 5.0) == ["rate, 1, 2 and 3 per node"]
    assert titles(5.0) == ["rate, 1 per node"]


def compared(*folders: Path) -> Any:
    answer = assay("compare", *map(str, folders), "--json")
    assert answer.status == 0, answer.err
    return json.loads(answer.out)["comparisons"][0]


def test_a_run_of_one_number_stands_beside_one_of_several(pairings: Path, tmp_path: Path) -> None:
    """Figure by figure the case of its number, from either side, and in the report of both."""
    one = ran(tmp_path / "one", "bisection", "--ppn", "2", on=f"{SGI}:ethernet")
    medians = [each for each in one["figures"] if each["statistic"] == "median"]
    for pair in ((pairings, tmp_path / "one"), (tmp_path / "one", pairings)):
        rows = compared(*pair)["rows"]
        assert len(rows) == len(medians) > 0
        assert {row["params"]["ppn"] for row in rows} == {2}
        mine = {row["a" if pair[1] == pairings else "b"]["value"] for row in rows}
        assert mine == {each["value"] for each in medians}
    both = " ".join(assay("report", str(pairings), str(tmp_path / "one")).out.split())
    assert "differs" in both


def test_where_nothing_can_be_matched_the_reason_and_the_remedy_are_said(pairings: Path, tmp_path: Path) -> None:
    ran(tmp_path / "silent", "bisection", "-n", "8")
    silent = assay("compare", str(pairings), str(tmp_path / "silent"))
    assert silent.status == 0
    assert "no figure in common: " in silent.out and "records no ranks per node: run it again with" in silent.out
    told, other = (
        document(section("b", [figure("rate", 1.0, "B/s", ppn=ppn) for ppn in of], ppn=None)) for of in ((1, 2), (4,))
    )
    assert unlike(told, other) == "they have 1, 2 and 4 ranks per node: run one again with --ppn of the other"
    single = document(section("b", [figure("rate", 1.0, "B/s")], ppn=2))
    assert unlike(told, single) is None
