"""What disturbed a run: each cause, from when to when, which figures it moved the most, and what to do."""

from __future__ import annotations

import time

from assay.document.cause import MovedFigure
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.report.judge.bounds import percent
from assay.report.registry import ReportSection, RunView
from assay.report.render.case_words import words_of

TITLE = "What disturbed it"
MOST_NAMED = 3  # figures of a cause


def tables(document: Document) -> list[Grid]:
    """Lay out a row for each cause; no table where none was seen."""
    rows = []
    guests = {section.benchmark: section.guest for section in document.benchmarks}
    for cause in document.causes:
        hit = [figure for figure in cause.figures if figure.state != "clean"]
        named = [f"{_case(figure, guests.get(figure.benchmark))} ({_moved(figure)})" for figure in hit[:MOST_NAMED]]
        more = [f"{len(hit) - MOST_NAMED} more"] if len(hit) > MOST_NAMED else []
        when = f"{_clock(cause.begin)} – {_clock(cause.end)}"
        rows.append((cause.text, when, "; ".join([*named, *more]) or "none", cause.advice.replace("`", "")))
    headings = ("cause", "from, to (UTC)", "figures moved", "what to do")
    return [grid(TITLE, headings, rows, left=4)] if rows else []


def _case(figure: MovedFigure, guest: bool | None) -> str:
    """Name a figure with the case that was moved."""
    case = words_of(figure.benchmark, figure.params, guest)
    return f"{figure.benchmark} {figure.figure.replace('_', ' ')}{f' of {case}' if case else ''}"


def _moved(figure: MovedFigure) -> str:
    if figure.state == "bound":
        return "only a bound is known"
    moved = figure.most
    return "by how much is not known" if moved is None else f"by at most {percent(moved)}"


def _clock(seconds: float | None) -> str:
    return "–" if seconds is None else time.strftime("%H:%M:%S", time.gmtime(seconds))


SECTION = ReportSection(
    order=730,
    of_run=RunView(
        title=lambda document: TITLE,
        anchor="causes",
        tables=tables,
        terminal_tables=lambda document: [],
        in_markdown=False,
    ),
)
