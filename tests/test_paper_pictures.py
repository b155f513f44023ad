"""The figures of the papers are a table of records: each curve is asked for as it says, or left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.machine import catalogue
from assay.published.cells.answers import Answer
from assay.validation.pictures.pictures import (
    PICTURES,
    Picture,
    PublishedDots,
    PublishedLevel,
    Simulated,
    drawn,
    overlay,
)

DOCS = Path(__file__).resolve().parent.parent / "docs"
EVERY = (*PICTURES, overlay())


class Answering:
    """Gives each case that is asked for one value; nothing for machines that are `silent`."""

    def __init__(self, *silent: str) -> None:
        self.silent = silent
        self.asked: list[tuple[str, str, str]] = []

    def ask(self, machine: str, benchmark: str, figure: str, **settings: Any) -> list[Answer]:
        self.asked.append((machine, benchmark, figure))
        if machine in self.silent:
            return []
        over = {key: value for key, value in settings.items() if isinstance(value, tuple) and len(value) > 1}
        (key, values) = next(iter(over.items()), ("bytes", settings.get("bytes", ())))
        fixed = {k: v[0] if isinstance(v, tuple) else v for k, v in settings.items() if k != key}
        return [Answer({**fixed, key: value}, float(value)) for value in values]


@pytest.mark.parametrize("record", EVERY, ids=lambda record: record.name)
def test_a_record_becomes_its_curves_in_order(record: Picture) -> None:
    (made,) = (one for one in drawn(Answering()) if one.name == record.name)
    lines = [curve for curve in record.curves if isinstance(curve, Simulated)]
    levels = [curve.label for curve in record.curves if isinstance(curve, PublishedLevel)]
    drawn_lines = [series for series in made.series if series.style != "dots" and series.label not in levels]
    assert [series.label for series in drawn_lines] == [curve.label for curve in lines]
    for curve, series in zip(lines, drawn_lines, strict=True):
        assert [x for x, _ in series.points] == sorted(curve.settings[curve.x])
        assert (series.group, series.style) == (curve.group, curve.style)
    cells = {cell.value for cell in catalogue.load().cells}
    flat = [series for series in made.series if series.label in levels]
    assert [series.label for series in flat] == levels
    assert all(len({y for _, y in series.points}) == 1 and series.points[0][1] in cells for series in flat)
    dots = [series for series in made.series if series.style == "dots"]
    assert len(dots) <= sum(isinstance(curve, PublishedDots) for curve in record.curves)
    if record.y != "one way, s":
        assert all(y in cells for series in dots for _, y in series.points)


def test_every_figure_is_in_the_table_once_and_on_the_page() -> None:
    names = [record.name for record in EVERY]
    assert len(set(names)) == len(names) == 20
    page = (DOCS / "machines.md").read_text(encoding="utf-8")
    assert all(f"![{record.title}](machines/{record.name}.svg)" in page for record in EVERY)


def test_what_could_not_be_played_is_left_out() -> None:
    made = {one.name: one for one in drawn(Answering("ipsc860", "delta"))}
    assert {"fig7", "fig3.4"} & set(made) == set()
    assert {series.group for series in made["fig3.5"].series} == {"ncube6400"}
    assert {series.style for series in made["fig2"].series if series.group == "ipsc860"} == {"dots"}
