"""The pages of docs/: none is long, every link leads to a file and a heading, and splitting a page loses nothing."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.described.shipped import shipped
from assay.document.split_pages import read, split, write
from assay.machine import catalogue
from assay.network.study import file
from assay.network.study.results import Results
from assay.validation.coverage import page as coverage
from assay.validation.coverage.items import reports
from assay.validation.ghosh import page as ghosh
from assay.validation.machines import page as machines

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
MOST = 60_000  # bytes of a page
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def prose(path: Path) -> str:
    """A page's text without what is in code."""
    return re.sub(r"```.*?^```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """What a link may name of a page: its headings, as forges and the site spell them."""
    found = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_is_short_and_its_links_lead_somewhere(page: Path) -> None:
    assert page.stat().st_size <= MOST
    for target, anchor in LINK.findall(prose(page)):
        aim = page.parent / target if target else page
        assert aim.exists(), f"{target} in {page.name}"
        assert not anchor or anchor in anchors(aim), f"{target}#{anchor} in {page.name}"


@pytest.mark.parametrize("folder", ["machines", "ghosh", "coverage", "benchmarks"])
def test_every_part_of_a_long_page_is_listed_in_its_overview(folder: str) -> None:
    listed = {target for target, _ in LINK.findall(prose(DOCS / f"{folder}.md")) if target.startswith(f"{folder}/")}
    assert {target for target in listed if target.endswith(".md")} == {
        f"{folder}/{path.name}" for path in (DOCS / folder).glob("*.md")
    }


def test_every_page_is_in_one_group_of_the_site_s_navigation() -> None:
    order: dict[str, list[str]] = runpy.run_path(str(DOCS / "site" / "conf.py"))["ORDER"]
    pages = [str(path.relative_to(DOCS))[:-3] for path in (*DOCS.glob("*.md"), *DOCS.glob("tasks/*.md"))]
    assert sorted([page for group in order.values() for page in group] + ["index"]) == sorted(pages)


BLOCKS = st.sampled_from(["a line", "[a](x.svg)", "[b](part/y.svg)", "```", "# in code", "## A", "## No", "### D"])


@given(st.lists(BLOCKS, max_size=12))
def test_each_line_is_on_one_page_and_each_link_leads_where_it_led(blocks: list[str]) -> None:
    """Whatever the order of headings, blocks of code and text."""
    names = iter("abcdefghijkl")
    pages = split("\n".join(["# Title", "", *blocks]), "part", lambda text, _: None if text == "No" else next(names))
    lines = [(path, line) for path, made in pages.items() for line in made.splitlines()]
    plain = ("a line", "```", "# in code")
    assert sorted(line for _, line in lines if line in plain) == sorted(line for line in blocks if line in plain)
    aims = [Path("/docs", path).parent / target for path, line in lines for target, _ in LINK.findall(line)]
    led = [str(aim.resolve()) for aim in aims if aim.suffix == ".svg"]
    assert sorted(led) == sorted(f"/docs/{link[4:-1]}" for link in blocks if link.startswith("["))


def test_two_parts_of_one_name_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="two parts"):
        split("## A\n\n## A\n", "part", lambda text, _: text)


def test_each_machine_study_and_report_has_a_page_of_its_own() -> None:
    """By the headings that the writers give them."""
    study = Results(file.load("fig13"), [], [])
    assert "ghosh/fig13.md" in ghosh.pages("\n".join(ghosh.page([study])))
    for report in reports():
        title = catalogue.load().papers[report.paper].title
        assert f"coverage/{report.paper}.md" in coverage.pages(f"# Items\n\n## {title}\n")
    for name in set(shipped()) - {"constant"}:
        assert f"machines/{name}.md" in machines.pages(f"# Machines\n\n## Machine by machine\n\n### It (`{name}`)\n")
        assert (DOCS / "machines" / f"{name}.md").is_file()


def test_an_overview_and_its_pages_are_read_as_one_text(tmp_path: Path) -> None:
    write(tmp_path, split("# T\n\n## A\n\none\n\n## B\n\ntwo\n", "t", lambda heading, _: heading.lower()))
    assert (tmp_path / "t" / "a.md").read_text() == "# A\n\nPart of [T](../t.md).\n\none\n"
    assert {"one", "two"} <= set(read(tmp_path, "t").splitlines())
    assert read(tmp_path, "absent") == ""
