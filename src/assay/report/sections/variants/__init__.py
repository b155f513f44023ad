"""Build variants of a run: their tables, the accuracy of their results, and what compilers made of kernels."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from assay.document.grid import Grid
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.report.judge.finding_lines import finding, short
from assay.report.registry import ReportSection, RunPlace, RunView
from assay.report.render.console import WIDTH
from assay.report.sections.variants.variant_tables import first, lines, tables, title, wrapped

MOST_ON_TERMINAL, MOST_IN_SUMMARY = 16, 40  # rows of a table


def _title(document: Document) -> str:
    return "" if document.variants is None else title(document.variants)


def _lines(document: Document) -> list[str]:
    return [] if document.variants is None else lines(document.variants)


def _on_terminal(document: Document) -> list[str]:
    return [] if document.variants is None else [_title(document), *wrapped(document.variants, WIDTH)]


def _opening(document: Document) -> list[str]:
    """Which variant the tables of the one benchmark are of."""
    found = document.variants
    if found is None or len(found.builds) < 2 or len(document.benchmarks) != 1:
        return []
    text = f"Tables of {first(found)}, the first variant; the differences of the others are listed below them."
    return [*textwrap.wrap(text, WIDTH, subsequent_indent="  "), ""]


def _scope(document: Document) -> str:
    found = document.variants
    if found is None or len(found.builds) < 2:
        return ""
    return f"{first(found)}, the first variant; the differences of the others are listed below:"


def _tables(document: Document, most: int | None = None) -> list[Grid]:
    return [] if document.variants is None else tables(document, most)


def _findings(document: Document) -> Iterator[Finding]:
    """Name the variants whose results are wrong, each with the first check that says so."""
    if document.variants is None:
        return
    wrong = document.variants.wrong
    for label in dict.fromkeys(each.label for each in wrong):
        of = [each for each in wrong if each.label == label]
        more = f" (and {len(of) - 1} more)" if len(of) > 1 else ""
        advice = f"do not use what gives wrong results; the part {title(document.variants)} has all"
        yield finding(95, "odd", f"wrong result: {short(of[0].text)}{more}", advice)


SECTION = ReportSection(
    order=800,
    findings=_findings,
    of_run=RunView(
        place=RunPlace.PART,
        title=_title,
        anchor="variants",
        tables=_tables,
        terminal_tables=lambda document: _tables(document, MOST_ON_TERMINAL),
        lines=_lines,
        terminal_lines=_on_terminal,
        opening=_opening,
        scope=_scope,
        closes=lambda document: document.variants is not None,
        summary=lambda document: _tables(document, MOST_IN_SUMMARY),
        present=lambda document: document.variants is not None,
        template="variants.html",
    ),
)
