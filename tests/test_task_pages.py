"""Each page shows what its commands print: run one after the other in a folder that has the page's files."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from compiled import own_cache
from console_blocks import ROOT, SITE_PAGES, Block, answers, blocks, titles

SHOWING = [page for page in SITE_PAGES if blocks(page)]
MEASURING = [page for page in SHOWING if any(block.measured for block in blocks(page))]
NIGHTLY = [page for page in MEASURING if page.parent.name == "benchmarks"]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT / "docs"))


def holds(page: Path, folder: Path, measure: bool) -> None:
    for block, answer in answers(page, folder, measure):
        wrong = 2 if block.output.startswith("assay: ") else 0
        missed = "--margin" in block.words or {"accept", "--run"} <= set(block.words)
        assert answer.status == (3 if missed else wrong), answer.err
        printed = (answer.out or answer.err).replace(f"{folder}/", "")
        assert block.agrees(printed), f"{name(page)}: {' '.join(block.words)}\n{block.shown(printed)}"


def test_pages_show_outputs() -> None:
    assert len(SHOWING) >= 11 and sum(len(blocks(page)) for page in SHOWING) >= 30


@pytest.mark.parametrize("page", SHOWING, ids=name)
def test_a_page_shows_what_its_commands_print(page: Path, tmp_path: Path) -> None:
    holds(page, tmp_path, measure=False)


def test_a_benchmark_s_table_has_the_figures_of_its_record() -> None:
    """Also where it is measured, which is done every night; a line that begins otherwise continues the one before.

    Another table begins with a title: one line without columns. Most tables list figures, or one figure by case; in
    those of other forms, title and heads name at least one figure, parameter or value of a parameter.
    """
    for page in NIGHTLY:
        record = benchmark(page.stem)
        figures = {each.replace("_", " ") for each in record.figures}
        shown = [block for block in blocks(page) if block.measured]
        assert shown, page.name
        for block in shown:
            lines = block.output.splitlines()
            assert len(lines) > 2 and titles(lines, 0, record.title), page.name
            title, head, *rows = lines
            heads = [each.partition(" (")[0].partition(",")[0] for each in re.split(r"\s{2,}", head.strip())]
            if heads[0] == "figure":
                rows = list(takewhile(lambda row: "  " in row, rows))
                named = {row.split("  ")[0].partition(",")[0] for row in rows if re.match(r"\S.*\S\s{2,}\S", row)}
                assert named <= figures, page.name
            elif heads[0] == "case" and title == record.title:
                assert heads[1] in figures, page.name
            else:
                values = {str(value) for each in record.parameters.values() for value in each.choices or ()}
                words = {*heads, title.removeprefix(record.title).partition(": ")[2]}
                assert words & {*figures, *record.parameters, *values}, page.name


@pytest.mark.measures
@pytest.mark.parametrize(
    "page", [pytest.param(each, marks=[pytest.mark.nightly] if each in NIGHTLY else []) for each in MEASURING], ids=name
)
def test_what_a_measurement_prints_has_the_shape_that_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if {"build", "cache"} & {block.words[0] for block in blocks(page)}:
        monkeypatch.setenv("ASSAY_CACHE", str(own_cache(tmp_path / "cache")))
    (tmp_path / "work").mkdir()
    holds(page, tmp_path / "work", measure=True)


def test_a_wrong_output_is_seen() -> None:
    block = Block(("x",), {"from": "b", "head": "2"}, "b 1\nc 2\n…\n")
    assert block.agrees("a\nb 1\nc 2\nd\n")
    assert not block.agrees("a\nb 1\nc 3\nd\n") and not block.agrees("a\nb 1\nc 2\n")
    shape = Block(("x",), {"shape": ""}, "figure  case\nrate    add 1.5 s\n…\n")
    assert shape.agrees("figure  case\nrate  add 2 s\nmore") and not shape.agrees("figure  case\ntime  add\n")
