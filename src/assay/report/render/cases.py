"""Every case of a benchmark as a table that the page can sort and filter: a column for each parameter that varies."""

from __future__ import annotations

from typing import TypedDict

from assay.benchmark.record import Benchmark
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.derive.case_order import record_of
from assay.report.derive.states import displaced, words
from assay.report.render.case_words import case_words, value_words
from assay.report.render.tables import alike, listed, spread
from assay.report.units import human, unit_of

Cell = dict[str, str | float | None]


class CaseColumn(TypedDict):
    """A heading, and whether the column's values are words."""

    title: str
    words: bool


class CaseTable(TypedDict):
    """What the page's script draws: cells of as many rows as there are figures, and what all have in common."""

    columns: list[CaseColumn]
    rows: list[list[Cell]]
    note: str


def cases(section: Section) -> CaseTable:
    """Give the table; a cell is {t: text, v: number to sort by, or null}.

    The state stands beside the value, where a phone shows it, with its name as `s`.
    """
    figures = listed(section)
    common = alike([figure.params for figure in figures])
    keys = dict.fromkeys(key for figure in figures for key in figure.params if key not in common)
    keys = {key: None for key in keys if any(figure.params.get(key) is not None for figure in figures)}
    estimated = len({figure.estimator for figure in figures if figure.main}) > 1
    rows: list[list[Cell]] = []
    record = record_of(section)
    for figure in figures:
        name = figure.name.replace("_", " ")
        row: list[Cell] = [{"t": name if figure.statistic == "median" else f"{name}, {figure.statistic}", "v": None}]
        row += [_parameter(key, figure.params.get(key), record, section.guest) for key in keys]
        value = figure.shown
        row.append({"t": human(value, unit_of(figure)), "v": value})
        row.append({"t": words(figure), "v": displaced(figure.disturbance), "s": figure.state})
        row.append({"t": spread(figure), "v": None})
        row += [{"t": figure.estimator, "v": None}] if estimated else []
        row += [{"t": str(count), "v": count} for count in (figure.launches, figure.samples)]
        rows.append(row)
    columns: list[CaseColumn] = [
        {"title": "figure", "words": True},
        *[CaseColumn(title=key, words=_are_words(figures, key)) for key in keys],
        {"title": "value", "words": False},
        {"title": "state", "words": True},
        {"title": "across launches", "words": False},
        *([CaseColumn(title="estimator", words=True)] if estimated else []),
        {"title": "launches", "words": False},
        {"title": "samples", "words": False},
    ]
    alike_words = case_words(common, record, section.guest)
    note = f"All with {alike_words}." if alike_words else ""
    return {"columns": columns, "rows": rows, "note": note}


def _are_words(figures: list[ReportedFigure], key: str) -> bool:
    return any(isinstance(figure.params.get(key), str) for figure in figures)


def _parameter(key: str, value: object, record: Benchmark | None, guest: bool | None) -> Cell:
    if value is None:
        return {"t": "", "v": None}
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    return {"t": value_words(key, value, record, guest), "v": number}
