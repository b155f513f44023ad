"""The cells that a fit of a run uses."""

from __future__ import annotations

from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.fitting.families import cells, largest

FITTED = (("echo", "half_round_trip"), ("self", "time"))


def used_cells(document: Document) -> list[ReportedFigure]:
    """The figures of a run's document that its fit uses."""
    return [
        each
        for benchmark, figure in FITTED
        for each in largest(cells(document.benchmarks, benchmark, figure))
    ]
