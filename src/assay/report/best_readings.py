"""How plots mark best readings, the bounds of what has no valid estimate, so that no eye takes one for a median.

Their marks are hollow or hatched, the legend says so once, and no line joins them with medians.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from assay.document.reported_figure import ReportedFigure

BEST = "best reading (bound only)"
HOLLOW = "-open"  # ending of a symbol's name
HATCHED = "/"  # pattern of a bar


def symbols(figures: Sequence[ReportedFigure], symbol: str = "circle") -> list[str]:
    """Give the mark of each figure: hollow where it is a best reading."""
    return [symbol + (HOLLOW if figure.state == "bound" else "") for figure in figures]


def stretches(figures: Sequence[ReportedFigure]) -> list[tuple[bool, list[ReportedFigure]]]:
    """Cut a curve where best readings follow medians or the other way round; True: a stretch of best readings."""
    return [(bound, list(of)) for bound, of in groupby(figures, key=lambda figure: figure.state == "bound")]
