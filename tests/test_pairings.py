"""What a page shows of random pairings: a picture by case, what each figure is, and nothing that was not sampled."""

from __future__ import annotations

import html as entities
from pathlib import Path

from assay.report.render.page import html
from assay.report.sections import pairings
from command_line import assay
from made_documents import document, figure, section

FIGURES = {"effective": 6e9, "low": 5e9, "high": 7e9, "slowest_pair": 2e9, "alone": 11e9}


def test_a_line_for_each_case_from_its_tenth_to_its_ninetieth_percentile() -> None:
    figures = [
        figure(name, value * scale, "B/s", bytes=length)
        for length, scale in ((1024, 0.5), (65536, 1.0))
        for name, value in FIGURES.items()
    ]
    (plot,) = pairings.plots(section("bisection", figures))
    spread, mean, slowest, alone = plot["data"]
    assert spread["x"] == [2.5e9, 3.5e9, None, 5e9, 7e9, None]
    assert mean["x"] == [3e9, 6e9] and slowest["x"] == [1e9, 2e9] and alone["x"] == [5.5e9, 11e9]
    assert len(set(mean["y"])) == 2 and [y for y in spread["y"] if y] == [y for y in mean["y"] for _ in range(2)]
    assert plot["layout"]["xaxis"]["ticksuffix"] == "B/s"
    assert pairings.plots(section("bisection", figures[:-1])) != [] != figures  # the second case lacks one: left out
    assert pairings.plots(section("echo", [each for each in figures if each["name"] != "low"])) == []


def test_the_page_says_what_the_figures_are_and_marks_no_code_by_backticks() -> None:
    figures = [figure(name, value, "B/s", bytes=65536) | {"help": f"help on {name}"} for name, value in FIGURES.items()]
    made = document(section("bisection", figures, cost="`exchanges` messages of `bytes`", transport=["shm"]))
    page = html(made)
    assert "<dt>slowest pair</dt><dd>help on slowest_pair</dd>" in page
    assert "Cost: <code>exchanges</code> messages of <code>bytes</code>." in page and "Transport: shm." in page


def test_a_simulated_page_shows_nothing_that_was_not_sampled(tmp_path: Path) -> None:
    made = assay("run", "bisection", "--on", "dragonfly-slingshot", "-n", "8", "--out", str(tmp_path / "run"), "-q")
    assert made.status == 0 and assay("report", str(tmp_path / "run"), "-q").status == 0
    page = entities.unescape((tmp_path / "run" / "report.html").read_text().partition('id="pack"')[0])
    spread = page.partition("where the spread comes from")[2].partition("</details>")[0]
    assert spread.count("<tr>") == 2 and "pairing" in spread  # the head, and the one metric with several readings
    assert "Transport" not in page and "Binding" not in page
    assert 'class="range"' not in page.partition('id="findings"')[0]  # one launch has none
