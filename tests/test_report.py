"""The report as a person meets it: in a browser, on a phone, on paper, as Markdown, in a terminal of 80 columns."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assay.document.json_form import from_json, to_json
from assay.document.reported_figure import Headline
from assay.document.run_document import Document
from assay.report.derive.document import document
from assay.report.judge import bounds
from assay.report.render import page, runs_page, runs_table, summary, tables
from assay.report.render.markdown import markdown as as_markdown
from assay.report.render.terminal import show
from assay.report.units import human, params
from assay.store import Run
from command_line import assay
from described_echo import MACHINE
from made_documents import document as made_document
from made_documents import figure, headline, section

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A described machine's echo: every figure of it is known beforehand."""
    folder = tmp_path_factory.mktemp("report")
    machine = folder / "constant.toml"
    machine.write_text(MACHINE)
    answer = assay("run", "echo", "--on", str(machine), "--out", str(folder / "run"), "--json")
    assert answer.status == 0, answer.err
    return Run.open(folder / "run")


@pytest.fixture(scope="module")
def whole(run: Run) -> Document:
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
def written(run: Run, whole: Document) -> Path:
    return page.write(run, whole)


class Opened:
    """A page in the browser, with what went wrong on it and what it asked for."""

    def __init__(self, browser: Any, page: Path, **context: Any) -> None:
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(page.as_uri())

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def open_all(self) -> None:
        """Open every block, and wait until what is in them is drawn."""
        self.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        drawn = "[...document.querySelectorAll('.plot')].every(each => each.dataset.drawn === 'done')"
        self.page.wait_for_function(
            f"{drawn} && [...document.querySelectorAll('.cases')].every(e => e.querySelector('tr'))"
        )

    def says(self, script: str) -> Any:
        return self.page.evaluate(script)


@pytest.mark.browser
def test_the_page_draws_without_an_error_and_fetches_nothing(browser: Any, written: Path) -> None:
    with Opened(browser, written) as opened:
        assert opened.page.inner_text("h1") == "constant" and "73.2 µs" in opened.page.inner_text("#reached")
        assert opened.says("document.querySelectorAll('.js-plotly-plot').length") == 0  # nothing is drawn unasked
        opened.page.click("#part-messages > summary")
        opened.page.wait_for_selector("#part-messages > .plots .scatterlayer")
        opened.open_all()
        assert opened.errors == [] and opened.says("document.querySelectorAll('.undrawn').length") == 0
        assert [url for url in opened.asked if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.browser
def test_a_link_to_what_is_inside_a_block_opens_it(browser: Any, written: Path) -> None:
    with Opened(browser, written) as opened:
        opened.page.click("#reached a")
        opened.page.wait_for_selector("#echo .cases tbody tr")
        assert opened.says("document.querySelector('#part-messages').open")


@pytest.mark.browser
def test_axes_switch_and_machines_are_laid_over(browser: Any, written: Path) -> None:
    with Opened(browser, written) as opened:
        opened.open_all()
        plot = "document.querySelector('[data-plot=echo-0] .js-plotly-plot')"
        assert opened.says(f"{plot}.layout.xaxis.type") == "log"
        assert "8 B" in opened.says(f"{plot}.layout.xaxis.ticktext") and "MB/s" in opened.says(
            f"{plot}.layout.yaxis.ticktext.join(' ')"
        )
        opened.page.locator("[data-plot='echo-0'] .switch button", has_text="linear").last.click()
        assert opened.says(f"{plot}.layout.xaxis.type") == "linear"
        assert opened.says(f"{plot}.layout.yaxis.ticktext")[0] == "0"
        names = opened.says(f"{plot}.data.map(t => [t.name, t.visible])")
        quoted = [name for name, visible in names if "quoted" in name and not visible]
        assert any("ipsc860, 1 hop" in name for name in quoted)
        opened.page.locator("[data-plot='echo-0'] figcaption button", has_text="published machines").click()
        assert all(
            visible for name, visible in opened.says(f"{plot}.data.map(t => [t.name, t.visible])") if name in quoted
        )


@pytest.mark.browser
def test_a_fit_stands_once_in_the_legend_and_the_legend_above_the_axes(browser: Any, written: Path) -> None:
    with Opened(browser, written) as opened:
        opened.open_all()
        for key in ("echo-1", "echo-2"):
            plot = f"document.querySelector('[data-plot={key}]')"
            shown = opened.says(f"[...{plot}.querySelectorAll('.legendtext')].map(each => each.textContent)")
            assert len(shown) == len(set(shown)) > 1
            legend = opened.says(f"{plot}.querySelector('.legend').getBoundingClientRect().bottom")
            axes = opened.says(f"{plot}.querySelector('.gridlayer').getBoundingClientRect().top")
            assert legend <= axes + 8


@pytest.mark.browser
def test_the_buttons_of_a_plot_are_hidden_at_once_and_lie_below_data_and_legend(browser: Any, written: Path) -> None:
    with Opened(browser, written) as opened:
        opened.open_all()
        buttons = "document.querySelector('[data-plot=echo-1] .modebar-group')"
        opened.page.mouse.move(1, 1)
        hidden = opened.says(f"[getComputedStyle({buttons}).opacity, getComputedStyle({buttons}).transitionDuration]")
        assert hidden == ["0", "0s"]
        opened.page.hover("[data-plot=echo-1] .canvas")
        assert opened.says(f"getComputedStyle({buttons}).opacity") == "1"
        top = opened.says(f"{buttons}.getBoundingClientRect().top")
        titles = opened.says(
            "[...document.querySelectorAll('[data-plot=echo-1] .modebar-btn')].map(e => e.dataset.title)"
        )
        assert len(titles) == 4 and not any("Share" in title for title in titles)  # no data leave the page
        for what in (".legend", ".gridlayer"):
            drawn = f"document.querySelector('[data-plot=echo-1] {what}').getBoundingClientRect().bottom"
            assert opened.says(drawn) <= top


@pytest.mark.browser
def test_cases_are_filtered_and_sorted(browser: Any, written: Path) -> None:
    with Opened(browser, written) as opened:
        opened.page.goto(written.as_uri() + "#echo")
        opened.page.wait_for_selector("#echo .cases tbody tr")
        rows = (
            "[...document.querySelectorAll('#echo .cases tbody tr')].map(r => [...r.children].map(c => c.textContent))"
        )
        opened.page.fill("#echo .cases input", "RATE clean")
        assert opened.says(rows) and all(row[0].startswith("rate") for row in opened.says(rows))
        opened.page.fill("#echo .cases input", "half round trip")
        opened.page.locator("#echo .cases th button", has_text="bytes").click()
        lengths = [row[1] for row in opened.says(rows)]
        assert lengths[0] == "8 B" and lengths[-1] == "4 MiB"  # as numbers: 16 B before 4 MiB
        opened.page.locator("#echo .cases th button", has_text="bytes").click()
        assert [row[1] for row in opened.says(rows)] == lengths[::-1]


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone(browser: Any, written: Path, scheme: str) -> None:
    with Opened(browser, written, viewport={"width": 390, "height": 844}, color_scheme=scheme) as opened:
        assert opened.says("document.documentElement.scrollWidth") <= 390
        opened.open_all()
        assert opened.says("document.documentElement.scrollWidth") <= 390
        edges = opened.says(
            "[...document.querySelectorAll('#echo .cases td .state')].map(e => e.getBoundingClientRect().right)"
        )
        assert edges and max(edges) <= 390 and opened.errors == []  # no scrolling to see the state of a case


@pytest.mark.browser
def test_a_wide_table_of_runs_scrolls_in_its_block_on_a_phone(browser: Any, whole: Document, tmp_path: Path) -> None:
    beside = runs_page.write(runs_table.side_by_side([whole] * 4), tmp_path / "beside.html")
    with Opened(browser, beside, viewport={"width": 390, "height": 844}) as opened:
        opened.says("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        assert opened.says("document.documentElement.scrollWidth") <= 390
        scrolled = "(e => { e.scrollLeft = 1e6; return e.scrollLeft + e.clientWidth - e.scrollWidth })"
        ends = opened.says(f"[...document.querySelectorAll('.wide')].map({scrolled})")
        last = "[...document.querySelectorAll('.wide tr')].map(e => e.lastElementChild.getBoundingClientRect().right)"
        assert len(ends) == 3 and max(map(abs, ends)) <= 1  # each can be moved to its end
        assert max(opened.says(last)) <= 390 and opened.errors == []  # where its last column is seen
        shaded = "getComputedStyle(document.querySelector('.wide')).backgroundAttachment"
        assert opened.says(shaded) == "local, local, scroll, scroll"


@pytest.mark.browser
def test_dark_is_dark_in_the_plots_too(browser: Any, written: Path) -> None:
    with Opened(browser, written, color_scheme="dark") as opened:
        opened.open_all()
        page, ink = (opened.says(f"getComputedStyle(document.body).{key}") for key in ("backgroundColor", "color"))
        brightness = {
            name: sum(map(int, re.findall(r"\d+", text)[:3])) for name, text in (("page", page), ("ink", ink))
        }
        assert brightness["page"] < 120 < 600 < brightness["ink"]
        tick = opened.says("getComputedStyle(document.querySelector('.xtick text')).fill")
        assert sum(map(int, re.findall(r"\d+", tick)[:3])) > 600


@pytest.mark.browser
def test_on_paper_the_verdict_stands_and_what_is_clicked_goes(browser: Any, written: Path) -> None:
    with Opened(browser, written) as opened:
        opened.page.emulate_media(media="print")
        assert opened.says("getComputedStyle(document.querySelector('#nav')).display") == "none"
        assert opened.page.is_visible("#reached") and opened.page.pdf()[:4] == b"%PDF"


@pytest.mark.browser
def test_a_browser_that_cannot_unpack_says_so_and_shows_the_verdict(browser: Any, written: Path) -> None:
    with Opened(browser, written) as opened:
        opened.page.add_init_script("delete window.DecompressionStream")
        opened.page.reload()
        opened.says("location.hash = '#echo'")
        opened.page.wait_for_function("document.querySelector('.plot').textContent.includes('report.md')")
        assert "73.2 µs" in opened.page.inner_text("#reached") and opened.errors == []


@pytest.mark.browser
def test_samples_and_figures_can_be_taken_from_the_page(browser: Any, written: Path, run: Run) -> None:
    with Opened(browser, written) as opened:
        opened.page.goto(written.as_uri() + "#provenance")
        links = dict(
            opened.says(
                "[...document.querySelectorAll('.download a')].map(a => [a.textContent, a.getAttribute('href')])"
            )
        )
        assert (run.folder / links["samples.parquet"]).is_file() and (run.folder / links["launches"]).is_dir()
        with opened.page.expect_download() as taken:
            opened.page.click("#figures")
        figures = json.loads(Path(taken.value.path()).read_text(encoding="utf-8"))
        assert figures["benchmarks"][0]["benchmark"] == "echo"


def crowded() -> Document:
    """As large as a quick run of everything: thirty-six benchmarks of sixty cases each, with curves and warnings."""
    sections = []
    for i in range(36):
        made = [
            figure("time", 1e-6 * (i + 1) * n, "s", bytes=n, kind=kind) | {"headline": True}
            for n in (2**k for k in range(20))
            for kind in ("one", "two", "three")
        ]
        part = ("processor", "memory", "threads", "kernels", "messages", "files", "applications")[i % 7]
        main = headline(f"figure {i}", 1e-6 * (i + 1), "s")
        words = [f"launch {k}: readings rise by 5% after 68% of the launch and stay there" for k in range(9)]
        about = {"part": part, "title": f"Benchmark {i}", "headlines": [main], "warnings": words, "notes": words}
        sections.append(section(f"b{i}", made, **about))
    return made_document(*sections)


@pytest.mark.browser
def test_a_whole_quick_run_is_small_and_short_until_its_blocks_are_opened(browser: Any, tmp_path: Path) -> None:
    page_file = tmp_path / "report.html"
    page_file.write_text(page.html(crowded()), encoding="utf-8")
    assert page_file.stat().st_size < 3_000_000
    with Opened(browser, page_file, viewport={"width": 1400, "height": 1000}) as opened:
        assert opened.says("document.documentElement.scrollHeight") < 3000  # of the 8,000 that it may be
        assert opened.page.is_visible("#nav") and opened.says("document.querySelectorAll('svg').length") == 0
        for name in ("reached", "machine", "quality", "findings"):
            assert opened.says(f"document.querySelector('#{name}').getBoundingClientRect().top") < 1000
        opened.page.click("#part-memory > summary")
        opened.page.wait_for_selector("#part-memory .main-svg")
        assert opened.says("scrollTo(0, 600), scrollY") == 600
        assert opened.says("document.querySelector('#nav').getBoundingClientRect().top") == 0  # it stays in view


def test_text_from_outside_cannot_break_the_page(whole: Document) -> None:
    hostile = "</script><script>alert(1)</script>"
    made = page.html(replace(whole, machine=hostile, warnings=[hostile]))
    assert "<script>alert(1)" not in made


def test_a_unit_that_opens_a_script_or_a_comment_leaves_the_page_whole(whole: Document) -> None:
    unit = "<!--<script>&\u2028\u2029</script>"
    spoilt = json.loads(json.dumps(to_json(whole)).replace('"unit": "s"', f'"unit": {json.dumps(unit)}'))
    text = page.html(from_json(Document, spoilt))
    assert "<!--<script>" not in text and text.count("<script") == 3 and "\u2028" not in text.partition('id="pack"')[2]
    (packed,) = re.findall(r'<script type="text/plain" id="pack">(.*?)</script>', text, re.DOTALL)
    assert (
        "<!--<script>"
        in json.loads(gzip.decompress(base64.b64decode(packed)))["document"]["benchmarks"][0]["figures"][1]["unit"]
    )


def test_markdown_holds_the_same_numbers(whole: Document) -> None:
    text = as_markdown(whole)
    for each in whole.benchmarks:
        for row in tables.figures(each).rows:
            assert all(cell in text for cell in row)
    assert re.search(r"^\| :--- \|", text, re.MULTILINE)


def test_the_terminal_is_not_wider_than_80_columns(whole: Document) -> None:
    out = io.StringIO()
    show(whole, Console(file=out, width=80, force_terminal=False))
    assert max(len(line.rstrip()) for line in out.getvalue().splitlines()) <= 80
    assert (
        "73.2 µs" in out.getvalue() and "Fits of Echo\n  T = 70 µs + 400 ns/B x N over 8 B to 4 MiB" in out.getvalue()
    )


def test_a_run_of_one_benchmark_opens_with_what_it_reached(whole: Document) -> None:
    lines = summary.brief(whole)
    assert lines[0].startswith("constant · ") and "simulated: the same at every repetition of its seed" in " ".join(
        lines[:2]
    )
    assert any("73.2 µs" in line for line in lines)  # 70 us + 8 x 0.4 us


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (1.2e-6, "s", "1.2 µs"),
        (0.5, "s", "500 ms"),
        (120.0, "s", "120 s"),
        (2e9, "B/s", "2 GB/s"),
        (4 * 2**20, "B", "4 MiB"),
        (4e-7, "s/B", "400 ns/B"),
        (9.999999e-10, "s/B", "1 ns/B"),
        (None, "s", "–"),
        (0.0, "s", "0 ps"),
        (1.895e7, "1/s", "18.95 M/s"),
        (0.5, "1/s", "0.5 /s"),
        (10789.0, "DMIPS", "10,789 DMIPS"),
        (0.0312, "%", "3.12%"),
        (12345.0, "1", "12,340"),
        (999999999.0, "", "1,000,000,000"),
        (1e9, "1", "1e+09"),
        (1234.0, "1", "1234"),
    ],
)
def test_people_read_peoples_units(value: float | None, unit: str, said: str) -> None:
    assert human(value, unit) == said


def test_cases_are_written_short() -> None:
    assert params({"bytes": 4096, "hops": None, "cache": "same"}) == "bytes 4 KiB, cache same"
    assert params({"bytes": 1025}) == "bytes 1025 B"


def test_a_share_is_of_the_bound_and_says_what_the_bound_rests_on() -> None:
    host = {"frequency": 2.5e9, "flags": ["avx2", "fma"]}
    main = from_json(Headline, headline("h", 20e9, "flop/s", bound="peak_float64"))
    found = bounds.share(main, made_document(host=host))
    assert found is not None and found.value == 2.5e9 * 4 * 2 * 2 and found.share == 0.5
    assert "stated" in found.basis
    assert bounds.share(replace(main, bound=None), made_document(host=host)) is None


@pytest.mark.parametrize("started", [True, False])
def test_open_shows_the_page_in_the_browser_or_says_where_it_is(
    started: bool, echo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: (shown.append(address), started)[1])
    page_file, run = tmp_path / "page.html", tmp_path / "run"
    shutil.copytree(echo_run, run)
    answer = assay("report", str(run), "--out", str(page_file), "--open", "--quiet")
    assert answer.status == 0 and shown == [page_file.as_uri()] and page_file.stat().st_size > 1000
    assert ("no browser could be started" in answer.err) != started
    assert assay("report", str(run), "--json").status == 0 and len(shown) == 1  # only where it is asked for
