"""What state a fit is in: the worst of the figures that it rests on, as every number says its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from assay.case import Case
from assay.document.fits import Fit, LevelRatesFit
from assay.document.reported_figure import ReportedFigure
from assay.report.derive.states import worst

OVER = "length"


def with_states(fits: Sequence[Fit], figures: Iterable[ReportedFigure]) -> list[Fit]:
    """Give each fit of a loop by level the worst state of its figures at the lengths that it was fitted to."""
    found: dict[Any, dict[float, str]] = defaultdict(dict)
    for figure in figures:
        if figure.main and OVER in figure.params:
            found[_family(figure.name, figure.params)][float(figure.params[OVER])] = figure.state
    return [
        replace(fit, state=_worst_at(fit.lengths, found[_family(fit.figure, fit.params)]))
        if isinstance(fit, LevelRatesFit)
        else fit
        for fit in fits
    ]


def _family(name: str, params: Case) -> Any:
    return name, frozenset((key, str(value)) for key, value in params.items() if key != OVER)


def _worst_at(lengths: Sequence[float], states: dict[float, str]) -> str:
    return worst(states.get(length, "clean") for length in lengths)
