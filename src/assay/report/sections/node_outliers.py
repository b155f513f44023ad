"""Nodes whose figures differ from those of the others, by name."""

from __future__ import annotations

from collections.abc import Iterator

from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.report.judge.finding_lines import finding
from assay.report.registry import ReportSection, RunPlace, RunView
from assay.report.units import human

TITLE = "Nodes that differ"
MOST_NAMED = 2  # in findings, of each benchmark


def _tables(document: Document) -> list[Grid]:
    rows = [
        (section.benchmark, odd.host, odd.figure, human(odd.value, odd.unit), odd.text)
        for section in document.benchmarks
        for odd in section.odd_nodes
    ]
    headings = ("benchmark", "node", "figure", "value", "compared with the others")
    return [grid(TITLE, headings, rows, left=3)] if rows else []


def _findings(document: Document) -> Iterator[Finding]:
    for section in document.benchmarks:
        for odd in section.odd_nodes[:MOST_NAMED]:
            text = f"node {odd.host} differs in {section.title}: {odd.text}"
            yield finding(70, "odd", text, "look at that node, or leave it out of the allocation")


SECTION = ReportSection(
    order=700,
    findings=_findings,
    of_run=RunView(place=RunPlace.TOP, title=lambda document: TITLE, anchor="nodes", tables=_tables),
)
