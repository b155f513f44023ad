"""The report as a person meets it: in a browser, on a phone, on paper, as Markdown, in a terminal of 80 columns."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assay.report import bounds, page, tables
from assay.report.document import document
from assay.report.terminal import show
from assay.report.units import human, params
from assay.report.verdict import verdict
from assay.store import Run
from command_line import assay

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A described machine's echo: every figure of it is known beforehand."""
    folder = tmp_path_factory.mktemp("report")
    machine = folder / "constant.toml"
    machine.write_text('name = "constant"\nnodes = 2\n[messages]\nstartup = "70 us"\nper_byte = "0.4 us/B"\n')
    answer = assay("run", "echo", "--on", str(machine), "--out", str(folder / "run"), "--json")
    assert answer.status == 0, answer.err
    return Run.open(folder / "run")


@pytest.fixture(scope="module")
def whole(run: Run) -> dict[str, Any]:
    return document(run)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def written(run: Run, whole: dict[str, Any]) -> Path:
    return page.write(run, whole)


@pytest.mark.browser
def test_the_page_draws_without_an_error_and_fetches_nothing(browser: Any, written: Path) -> None:
    opened = browser.new_page()
    errors: list[str] = []
    asked: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(written.as_uri())
    opened.wait_for_selector(".js-plotly-plot .scatterlayer")
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert "70 µs" in opened.inner_text("#echo") or "73.2 µs" in opened.inner_text("#main-figures")
    assert opened.inner_text("#verdict").startswith("constant, as described and simulated")
    opened.close()


@pytest.mark.browser
def test_axes_switch_and_machines_are_laid_over(browser: Any, written: Path) -> None:
    opened = browser.new_page()
    opened.goto(written.as_uri())
    opened.wait_for_selector(".js-plotly-plot .scatterlayer")
    plot = "document.querySelector('#plot-0-0')"
    assert opened.evaluate(f"{plot}.layout.xaxis.type") == "log"
    opened.locator("#plot-0-0 .updatemenu-button", has_text="linear").last.click()
    assert opened.evaluate(f"{plot}.layout.xaxis.type") == "linear"
    names = opened.evaluate(f"{plot}.data.map(t => [t.name, t.visible])")
    quoted = [name for name, visible in names if "quoted" in name and visible == "legendonly"]
    assert any("ipsc860, 1 hop" in name for name in quoted)
    index = [name for name, _ in names].index(quoted[0])
    opened.evaluate(f"Plotly.restyle({plot}, {{visible: true}}, [{index}])")
    assert opened.evaluate(f"{plot}.data[{index}].visible") is True
    opened.close()


@pytest.mark.browser
def test_the_page_fits_a_phone(browser: Any, written: Path) -> None:
    opened = browser.new_page(viewport={"width": 390, "height": 844})
    opened.goto(written.as_uri())
    opened.wait_for_selector(".js-plotly-plot .scatterlayer")
    assert opened.evaluate("document.documentElement.scrollWidth") <= 392
    opened.close()


@pytest.mark.browser
def test_samples_and_figures_can_be_taken_from_the_page(browser: Any, written: Path, run: Run) -> None:
    opened = browser.new_page()
    opened.goto(written.as_uri())
    packed = opened.get_attribute("#samples", "href").split(",", 1)[1]
    lines = gzip.decompress(base64.b64decode(packed)).decode().splitlines()
    rows = run.connect().execute("SELECT count(*) FROM samples").fetchone()
    assert rows is not None and len(lines) == rows[0] + 1
    figures = json.loads(opened.inner_text("#document") or opened.text_content("#document"))
    assert figures["benchmarks"][0]["benchmark"] == "echo"
    opened.close()


def test_text_from_outside_cannot_break_the_page(whole: dict[str, Any]) -> None:
    hostile = "</script><script>alert(1)</script>"
    made = page.html({**whole, "machine": hostile, "warnings": [hostile]})
    assert "<script>alert(1)" not in made


def test_a_unit_that_opens_a_script_or_a_comment_leaves_every_plot_readable(whole: dict[str, Any]) -> None:
    unit = "<!--<script>&\u2028\u2029</script>"
    spoilt = json.loads(json.dumps(whole).replace('"unit": "s"', f'"unit": {json.dumps(unit)}'))
    text = page.html(spoilt)
    held = re.findall(r'<script type="application/json" id="data-[^"]*">(.*?)</script>', text, re.DOTALL)
    assert held and not any(character in each for each in held for character in "<>&\u2028\u2029")
    assert any("<!--<script>" in str(json.loads(each)) for each in held)


def test_markdown_holds_the_same_numbers(whole: dict[str, Any]) -> None:
    text = page.markdown(whole)
    for section in whole["benchmarks"]:
        for row in tables.figures(section).rows:
            assert row[2] in text
    assert re.search(r"^\| :--- \|", text, re.MULTILINE)


def test_the_terminal_is_not_wider_than_80_columns(whole: dict[str, Any]) -> None:
    out = io.StringIO()
    show(whole, Console(file=out, width=80, force_terminal=False))
    assert max(len(line.rstrip()) for line in out.getvalue().splitlines()) <= 80
    assert "half round trip" in out.getvalue()


def test_the_verdict_names_the_machine_and_what_it_does(whole: dict[str, Any]) -> None:
    said = verdict(whole)
    assert "passes 8 bytes between two ranks in 73.2 µs" in said  # 70 us + 8 x 0.4 us
    assert "Nothing disturbed" in said


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (1.2e-6, "s", "1.2 µs"),
        (0.5, "s", "500 ms"),
        (120.0, "s", "120 s"),
        (2e9, "B/s", "2 GB/s"),
        (4 * 2**20, "B", "4 MiB"),
        (4e-7, "s/B", "400 ns/B"),
        (None, "s", "–"),
        (0.0, "s", "0 ps"),
        (1.895e7, "1/s", "18.95 M/s"),
        (0.5, "1/s", "0.5 /s"),
        (10789.0, "DMIPS", "10,789 DMIPS"),
    ],
)
def test_people_read_peoples_units(value: float | None, unit: str, said: str) -> None:
    assert human(value, unit) == said


def test_cases_are_written_short() -> None:
    assert params({"bytes": 4096, "hops": None, "cache": "same"}) == "bytes 4 KiB, cache same"
    assert params({"bytes": 1025}) == "bytes 1025 B"


def test_a_share_is_of_the_bound_and_says_what_the_bound_rests_on() -> None:
    host = {"frequency": 2.5e9, "flags": ["avx2", "fma"]}
    figure = {"value": 20e9, "unit": "flop/s", "better": "higher", "bound": "peak_float64"}
    found = bounds.share(figure, {}, {"host": host, "benchmarks": []})
    assert found is not None and found.value == 2.5e9 * 4 * 2 * 2 and found.share == 0.5
    assert bounds.share({**figure, "bound": None}, {}, {"host": host}) is None
