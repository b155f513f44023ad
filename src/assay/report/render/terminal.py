"""A run in the terminal: the verdict, as on the page; a run of one benchmark shows that one's tables as well."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from assay.document.fits import LevelRatesFit
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.variants import reference
from assay.report.registry import Place, RunPlace, RunView, benchmark_views, run_views
from assay.report.render import summary, tables
from assay.report.render.console import listing
from assay.report.render.one_line import in_the_report

MOST_ROWS = 24  # a longer table is for the page, unless it is the only one
MOST_FAMILIES = 2  # cases whose fits are printed
MOST_LEFT_OUT = 4  # notes of what was not measured


def show(document: Document, console: Console | None = None) -> None:
    """Print a run so that it fits a terminal."""
    out = console or listing()
    alone = len(document.benchmarks) == 1
    _lines(out, ["", *(summary.brief(document) if alone else summary.terminal(document)), ""])
    for view in run_views(RunPlace.TOP):
        _run(out, view, document)
    for view in run_views(RunPlace.PART):
        _lines(out, view.opening(document))
    first = reference(document)
    for section in first.benchmarks if alone else ():
        _benchmark(out, first, section, in_the_report(document))
    for view in run_views(RunPlace.END):
        _run(out, view, document)
    for view in run_views(RunPlace.PART):
        _run(out, view, document)
        if view.closes(document):
            break
    if document.report:
        out.print(f"report: {document.report}", highlight=False, soft_wrap=True)


def _lines(out: Console, lines: list[str]) -> None:
    for line in lines:
        out.print(Text(line), highlight=False)


def _run(out: Console, view: RunView, document: Document) -> None:
    _lines(out, (view.terminal_lines or view.lines)(document))
    for table in (view.terminal_tables or view.tables)(document):
        out.print(table.rich())


def _benchmark(out: Console, document: Document, section: Section, elsewhere: str) -> None:
    """One benchmark: its figures, its tables, what its program noted, and its fits, under its own title.

    `elsewhere`: in words, where the rest stands.
    """
    views = benchmark_views()

    def show_placed(place: Place) -> int:
        """Print the tables of one place; return how many they are."""
        placed = [view for view in views if view.place is place]
        found = [table for view in placed for table in (view.terminal_tables or view.tables)(document, section)]
        for table in found:
            out.print(table.rich())
        return len(found)

    def lines_of(*places: Place) -> list[str]:
        placed = [view for view in views if view.place in places]
        return [f"  {line}" for view in placed for line in (view.terminal_lines or view.lines)(section)]

    leading = show_placed(Place.LEAD)
    show_placed(Place.JUDGEMENT)
    _lines(out, lines_of(Place.LEAD, Place.JUDGEMENT))
    covered = {figure for view in views for figure in view.covers(section)}
    left = [figure for figure in tables.listed(section) if id(figure) not in covered]
    made = tables.figures(section, narrow=True, only=left)
    replaced = any(view.replaces(section) for view in views)
    if (left or not leading) and not (replaced and len(made.rows) > MOST_ROWS):
        out.print(made.rich() if made.rows else Text(section.title, style="bold"))
    show_placed(Place.DETAIL)
    _lines(out, [f"  {remark}" for remark in (section.remarks or ())[:MOST_LEFT_OUT]])
    _lines(out, lines_of(Place.DETAIL, Place.ANALYSIS))
    fitted = _fits(section, elsewhere)
    if fitted:
        out.print(Text(f"Fits of {section.title}{tables.fitted_figure(section)}", style="bold"))
    _lines(out, [f"  {line}" for line in fitted])
    reasons = section.warnings
    if reasons:
        more = f" (and {len(reasons) - 1} more, {elsewhere})" if len(reasons) > 1 else ""
        state = "remark" if section.state == "clean" else section.state  # as most of its cases are
        out.print(Text(f"{state}: {section.benchmark}: {reasons[0]}{more}", style="yellow"))
    show_placed(Place.ANALYSIS)


def _fits(section: Section, elsewhere: str = "in the report") -> list[str]:
    """What was fitted, a family of cases after the other under what distinguishes it from the others."""
    families: dict[tuple[tuple[str, Any], ...], list[str]] = {}
    for fit in section.fits:
        if isinstance(fit, LevelRatesFit):  # they have a table
            continue
        families.setdefault(tuple(sorted(fit.params.items())), []).append(fit.text)
    if len(families) < 2:
        return [text for texts in families.values() for text in texts]
    alike = set.intersection(*(set(family) for family in families))
    lines = []
    for family, texts in list(families.items())[:MOST_FAMILIES]:
        apart = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in family if (key, value) not in alike)
        lines += [f"{apart}:", *(f"  {text}" for text in texts)]
    more = len(families) - MOST_FAMILIES
    return [*lines, f"(fits of {more} more cases {elsewhere})"] if more > 0 else lines
