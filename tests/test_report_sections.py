"""Sections of a report: one file adds one, and what shows a run names none."""

from __future__ import annotations

import ast
import base64
import gzip
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from assay.document.json_form import to_json
from assay.document.run_document import Document
from assay.published.tables import registry as published_tables
from assay.report import registry
from assay.report.derive.document import document as derive
from assay.report.judge.verdict import verdict
from assay.report.render.markdown import markdown
from assay.report.render.page import html
from assay.report.render.terminal import show
from assay.store import Run
from made_documents import document, figure, section
from test_document import block, launch

SOURCE = Path(registry.__file__).parent
RENDERED = ("render/page.py", "render/page_parts.py", "render/markdown.py", "render/terminal.py", "render/summary.py")

TOY = '''
"""A toy: what a section can show, in one file."""

from assay.document.grid import grid
from assay.document.run_verdict import Finding
from assay.report.registry import BenchmarkView, Derived, ReportSection, RunPlace, RunView


def table(title):
    return grid(title, ("toy", "value"), [("toys", "42")])


SECTION = ReportSection(
    order=1000,
    derive=lambda source: Derived(values={"toy": {"launches": len(source.lines.launches)}}, notes=["a toy's note"]),
    findings=lambda document: [Finding(weight=99, kind="odd", text="the toy found it", advice="")],
    of_benchmark=BenchmarkView(
        tables=lambda document, section: [table(f"Toy of {section.benchmark}")],
        lines=lambda section: ["a line of the toy"],
        plots=lambda section: [{"data": [], "layout": {"title": {"text": "the toy, drawn"}}}],
    ),
    of_run=RunView(
        place=RunPlace.PART,
        title=lambda document: "Toys of the run",
        anchor="toys",
        tables=lambda document: [table("All toys")],
    ),
)
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One file in a folder of sections."""
    folder = tmp_path / "toy_sections"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "toy.py").write_text(TOY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "FOLDERS", (*registry.FOLDERS, "toy_sections"))
    yield
    for name in ("toy_sections", "toy_sections.toy"):
        sys.modules.pop(name, None)


def terminal(whole: Document) -> str:
    out = io.StringIO()
    show(whole, Console(file=out, width=100_000))
    return out.getvalue()


def test_one_file_adds_a_section_everywhere(toy: None) -> None:
    whole = document(section("stream", [figure("rate", 1e9, "B/s", kernel="triad")]))
    for text in (html(whole), markdown(whole), terminal(whole)):
        for said in ("Toy of stream", "a line of the toy", "All toys", "the toy found it"):
            assert said in text, said
    page = html(whole)
    assert 'href="#toys"' in page and 'id="toys"' in page
    (packed,) = re.findall(r'id="pack">(.*?)</script>', page, re.DOTALL)
    plots = json.loads(gzip.decompress(base64.b64decode(packed)))["plots"]
    assert "the toy, drawn" in [plot["layout"]["title"]["text"] for plot in plots.values()]
    assert verdict(whole).findings[0].text == "the toy found it"


def test_what_a_section_derives_is_in_the_json(toy: None, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    launch(run, 0, [block(8, [1e-6] * 30)])
    (part,) = to_json(derive(run))["benchmarks"]
    assert part["derived"] == {"toy": {"launches": 1}} and "a toy's note" in part["notes"]


def test_without_it_nothing_of_it_is_there() -> None:
    whole = document(section("stream", [figure("rate", 1e9, "B/s", kernel="triad")]))
    assert "toy" not in markdown(whole) + terminal(whole) and "toys" not in html(whole).partition('id="pack"')[0]


@pytest.mark.parametrize("name", RENDERED)
def test_what_shows_a_run_imports_no_section(name: str) -> None:
    """Nor one of the published tables: both come from their registries."""
    tree = ast.parse((SOURCE / name).read_text(encoding="utf-8"))
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert [module for module in imported if ".sections" in module or ".published" in module] == []


def test_every_file_of_the_folder_is_a_section() -> None:
    files = {path.stem for path in (SOURCE / "sections").iterdir() if not path.name.startswith("__")}
    assert set(registry.sections()) == files
    orders = [each.order for each in registry.sections().values()]
    assert len(set(orders)) == len(orders), "two sections of one place"


def test_every_module_with_tables_of_a_run_is_an_entry() -> None:
    folder = Path(published_tables.__file__).parent
    having = [path.stem for path in folder.glob("*.py") if "\ndef tables(document: Document)" in path.read_text()]
    assert len(published_tables.published()) == len(having) > 10


PREPOSITIONS = {"against", "beside", "between", "by", "of", "per", "where", "with", "within", "over"}
TERMS = {"published", "described"}  # as the rooms of these names


def test_modules_are_named_by_nouns() -> None:
    """No preposition, and no participle: a module is a thing. Ranks per node is the field's own term."""
    names = {path.stem for path in SOURCE.rglob("*.py")} - {"__init__", "ranks_per_node"}
    words = {word for name in names for word in name.split("_")} - TERMS
    assert {word for word in words if word in PREPOSITIONS or word.endswith(("ed", "ting"))} == set()
