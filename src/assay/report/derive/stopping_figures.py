"""What a run's launches are spent on: the headline figures of a benchmark, launch by launch, as the report has them."""

from __future__ import annotations

from assay.analysis.median import median
from assay.document.reported_figure import ReportedFigure
from assay.report.derive.document import section
from assay.store import Run


def watched(run: Run, benchmark: str) -> list[list[float]]:
    """Give each watched figure's values by launch: those of the headlines, else of every figure that is valid.

    A figure whose median is 0 has no relative width, and is not watched.
    """
    found = section(run, benchmark, figures_only=True)
    figures = [] if found is None else [f for f in found.figures if _has_width(f)]
    heads = {(head.figure.name, head.figure.params) for head in (found.headlines if found else ())}
    first = [figure for figure in figures if (figure.name, figure.params) in heads]
    return [[value for _, value in figure.by_launch] for figure in first or figures]


def _has_width(figure: ReportedFigure) -> bool:
    return bool(figure.by_launch) and bool(median([value for _, value in figure.by_launch]))
