"""The cells that a fit of a run uses."""

from __future__ import annotations

from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.fitting.halves import fitted

FITTED = {("echo", "half_round_trip"), ("self", "time")}


def used_cells(document: Document) -> list[ReportedFigure]:
    """The figures of a run's document that its fit uses."""
    cells = [
        figure
        for section in document.benchmarks
        for figure in section.figures
        if (figure.benchmark, figure.name) in FITTED and figure.main
    ]
    return [cell for cell, kept in zip(cells, fitted(cells), strict=True) if kept]
