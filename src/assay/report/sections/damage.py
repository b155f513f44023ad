"""Files of a run that are damaged: what could not be read."""

from __future__ import annotations

from assay.report.registry import ReportSection, RunView

SECTION = ReportSection(
    order=750,
    of_run=RunView(
        title=lambda document: "Damaged files",
        anchor="damage",
        lines=lambda document: document.damage,
        terminal_lines=lambda document: [],
        in_markdown=False,
    ),
)
