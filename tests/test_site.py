"""The documentation site in a browser, from disk and without a network: search, phone width, dark, no error."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
SEARCHED = {"bisection": "benchmarks/bisection.html", "wormhole": "network.html", "tournament": "tasks/slow-node.html"}
VISITED = ("index", "tasks/slow-node", "benchmarks/bisection", "machines/ipsc860", "ghosh/fig4", "glossary", "gallery")


def missing(what: str) -> NoReturn:
    """Skip the test; under CI, which installs what is needed, fail."""
    (pytest.fail if "CI" in os.environ else pytest.skip)(f"needs {what}")


@pytest.fixture(scope="module")
def site() -> Path:
    made = subprocess.run([ROOT / "x", "docs", "--check"], capture_output=True, text=True)
    if made.returncode and not any((ROOT / "build" / "site-tools").glob(".stamp")):
        missing("Sphinx, which could not be installed")
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.splitlines()[-1]).parent


class References(HTMLParser):
    """What a page asks a browser to load, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        for key in ("src", "srcset"):
            self.loaded += [value] if (value := found.get(key)) else []
        if tag == "link" and found.get("rel") not in ("canonical",):
            self.loaded += [value] if (value := found.get("href")) else []
        if tag == "a":
            self.links += [value] if (value := found.get("href")) else []


def test_nothing_is_loaded_from_a_network_and_every_link_leads_to_a_file(site: Path) -> None:
    pages = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    assert len(pages) > 150
    for page in pages:
        found = References()
        found.feed(page.read_text(encoding="utf-8"))
        for target in found.loaded:
            assert target.startswith(("data:", "#")) or "://" not in target, (page.name, target)
        for target in (*found.loaded, *found.links):
            name = target.partition("#")[0].partition("?")[0]
            assert not name or "://" in name or (page.parent / name).exists(), (page.name, target)


def test_what_is_not_ours_is_in_its_notice(site: Path) -> None:
    """Scripts, styles and pictures: the file of each is listed here with its project, and that in NOTICE."""
    notice = (site / "NOTICE").read_text()
    projects = {
        "Sphinx": "basic.css doctools.js documentation_options.js file.png language_data.js minus.png plus.png "
        "searchtools.js sphinx_highlight.js",
        "Pygments": "pygments.css",
        "Snowball": "base-stemmer.js english-stemmer.js",
        "furo": "furo.css furo.css.map furo-extensions.css furo-extensions.css.map furo.js furo.js.map "
        "furo.js.LICENSE.txt furo-extensions.js",
        "sphinx-basic-ng": "debug.css skeleton.css",
    }
    ours = {path.name for path in (ROOT / "docs" / "site" / "static").iterdir()}
    known = {name for names in projects.values() for name in names.split()}
    assert {path.name for path in (site / "_static").rglob("*") if path.is_file()} <= known | ours
    assert all(project in notice for project in projects)
    assert (site / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        missing("Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def opened(chromium: Any) -> Iterator[Any]:
    """An offline page, whose complaints fail the test."""
    context = chromium.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page, wrong = context.new_page(), list[str]()
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    yield page
    context.close()
    assert not wrong


@pytest.mark.browser
@pytest.mark.parametrize(("word", "page"), SEARCHED.items())
def test_search_finds(word: str, page: str, site: Path, opened: Any) -> None:
    opened.goto((site / "index.html").as_uri())
    opened.fill("input[name=q]", word)
    opened.press("input[name=q]", "Enter")
    opened.wait_for_selector(f"#search-results a[href*='{page}']", state="attached")  # they come one by one
    links = opened.eval_on_selector_all("#search-results a", "all => all.map(each => each.href)")
    assert any(f"/{page}" in link for link in links), links


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_the_screen_in_light_and_dark(width: int, scheme: str, site: Path, opened: Any) -> None:
    opened.emulate_media(color_scheme=scheme)
    opened.set_viewport_size({"width": width, "height": 844})
    for name in VISITED:
        opened.goto((site / f"{name}.html").as_uri())
        assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
        assert opened.evaluate("[...document.images].every(each => !each.complete || each.naturalWidth > 0)"), name
        colour = opened.evaluate("getComputedStyle(document.body).backgroundColor")
        lightness = sum(int(part) for part in colour[4:-1].split(",")[:3]) / 765
        assert (lightness < 0.3) if scheme == "dark" else (lightness > 0.9), colour
