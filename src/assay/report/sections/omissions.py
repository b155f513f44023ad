"""Benchmarks that a run skipped, each with the reason."""

from __future__ import annotations

from assay.document.run_document import Document
from assay.report.registry import ReportSection, RunView


def _on_terminal(document: Document) -> list[str]:
    """Those of a run of one benchmark; the verdict of an evaluation has them."""
    skipped = [each for each in document.left_out if each.kind != "budget"]
    return [f"skipped: {each.benchmark}: {each.reason}" for each in skipped] if len(document.benchmarks) == 1 else []


SECTION = ReportSection(
    order=780,
    of_run=RunView(
        title=lambda document: "Skipped",
        anchor="left-out",
        lines=lambda document: [f"{each.title}: {each.reason}" for each in document.left_out],
        markdown_lines=lambda document: [f"skipped: {each.title}: {each.reason}" for each in document.left_out],
        terminal_lines=_on_terminal,
    ),
)
