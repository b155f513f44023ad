"""Curves of the paper's lost figures with a run's own data: which points are drawn, and that a browser draws them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from assay.report.render import page
from assay.report.sections import euroben_plots
from command_line import assay
from made_documents import document as made_document
from made_documents import figure, section

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
WAYS = ("naive", "tree", "library")


def dots() -> list[dict[str, object]]:
    return [
        figure("rate", 1e6 * ranks * ppn + i, "flop/s", implementation=way, ranks=ranks, ppn=ppn, length=8)
        for ppn in (1, 2)
        for ranks in (1, 2, 4)
        for i, way in enumerate(WAYS)
    ]


def test_a_line_for_each_implementation_and_the_best_of_them() -> None:
    made = euroben_plots.plots(section("distributed-dot", dots()))
    titles = [plot["layout"]["title"]["text"] for plot in made]
    assert titles == [
        "dot product by ranks, 1 per node (figures 6.1, 6.3 and 6.6)",
        "dot product by ranks, 2 per node (figures 6.1, 6.3 and 6.6)",
        "best implementation of the dot product (figure 6.10)",
    ]
    assert [(t["name"], t["x"], t["y"]) for t in made[1]["data"]] == [
        (way, [1, 2, 4], [2e6 + i, 4e6 + i, 8e6 + i]) for i, way in enumerate(WAYS)
    ]
    assert [t["y"] for t in made[2]["data"]] == [[1e6 + 2, 2e6 + 2, 4e6 + 2], [2e6 + 2, 4e6 + 2, 8e6 + 2]]


def test_patterns_stand_side_by_side_on_four_ranks_in_the_papers_order() -> None:
    rates = [
        figure("rate", ranks * size * (3 - ppn), "B/s", pattern=pattern, ranks=ranks, ppn=ppn, bytes=size)
        for pattern in ("broadcast", "pingpong")
        for ranks in (4, 8)
        for ppn in (1, 2)
        for size in (1000, 2000)
    ]
    (made,) = euroben_plots.plots(section("patterns", rates))
    assert [(t["name"], t["x"], t["y"]) for t in made["data"]] == [
        ("1 per node", ["pingpong", "broadcast"], [16000, 16000]),
        ("2 per node", ["pingpong", "broadcast"], [8000, 8000]),
    ]
    ticks = made["layout"]["yaxis"]["tickvals"]
    assert ticks[0] == 0 and len(ticks) > 3  # a bar's length is its rate, and can be read from its foot on


def test_one_number_of_ranks_makes_no_line() -> None:
    one = [figure("rate", 1e6, "flop/s", implementation=way, ranks=4, length=8) for way in WAYS]
    assert euroben_plots.plots(section("distributed-dot", one)) == []


def test_numbers_of_ranks_are_swept_in_one_run(tmp_path: Path) -> None:
    """Every rank has a fourth of the work, and the sum costs latency: the rate is that of each number alone."""
    given = ("--set", "length=1000000", "--set", "implementation=tree", "-n", "4", "--on", "sgi-l1200-cluster")
    made = assay("run", "distributed-dot", *given, "--set", "ranks=1,2,4", "--out", str(tmp_path / "run"), "--json")
    assert made.status == 0, made.err
    rates = {f["params"]["ranks"]: f["value"] for f in made.document["figures"] if f["name"] == "rate"}
    alone = assay("run", "distributed-dot", *given, "--json")
    assert sorted(rates) == [1, 2, 4] and rates[1] < rates[2] < rates[4]
    assert [f["value"] for f in alone.document["figures"] if f["name"] == "rate"] == [pytest.approx(rates[4])]


@pytest.mark.browser
def test_a_browser_draws_them(tmp_path: Path) -> None:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    patterns = [figure("rate", 1e6 * (i + 1), "B/s", pattern=name, ranks=4, bytes=8)
                for i, name in enumerate(("pingpong", "broadcast", "collect"))]  # fmt: skip
    written = tmp_path / "page.html"
    shown_sections = (
        section("distributed-dot", dots(), part="messages"),
        section("patterns", patterns, part="messages"),
    )
    written.write_text(page.html(made_document(*shown_sections)))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        shown = chromium.new_page(viewport={"width": 1200, "height": 1600})
        errors: list[str] = []
        shown.on("pageerror", lambda error: errors.append(str(error)))
        shown.goto(written.as_uri())
        shown.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        shown.wait_for_function("[...document.querySelectorAll('.plot')].every(e => e.dataset.drawn === 'done')")
        lines = "document.querySelector('[data-plot=distributed-dot-0] .js-plotly-plot')"
        names = shown.evaluate(f"{lines}.data.map(t => t.name)")
        bars = shown.evaluate("document.querySelectorAll('[data-plot=patterns-0] .bars .point').length")
        if "ASSAY_SCREENSHOT" in os.environ:
            shown.screenshot(path=os.environ["ASSAY_SCREENSHOT"])
        chromium.close()
    assert errors == [] and names == list(WAYS) and bars == 3
