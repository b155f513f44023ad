"""What a model that was named predicts of a run, beside what was measured (`assay report RUN --model MODEL`)."""

from __future__ import annotations

from assay.document.grid import Grid
from assay.document.run_document import Document
from assay.report.registry import ReportSection, RunPlace, RunView
from assay.report.render import prediction_tables


def _tables(document: Document) -> list[Grid]:
    return [] if document.prediction is None else prediction_tables.tables(document.prediction)


def _lines(document: Document) -> list[str]:
    found = document.prediction
    return [] if found is None else [prediction_tables.one_line(found), *prediction_tables.lines(found)[:-1]]


SECTION = ReportSection(
    order=710,
    of_run=RunView(
        place=RunPlace.PART,
        title=lambda document: "Predictions of a model",
        anchor="prediction",
        present=lambda document: document.prediction is not None,
        tables=_tables,
        lines=_lines,
    ),
)
