"""Spread between launches, and runs, of each figure by length: what a prediction of one has beyond its parameters'."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.fitting.estimates import LaunchSpreadFound
from assay.fitting.halves import fitted
from assay.fitting.measured_cells import times
from assay.fitting.resampled import launch_deviation, run_deviation

LEAST_CELLS = 4  # of a stretch of lengths with a spread of its own


def spreads(sections: Sequence[Section], limits: Sequence[float]) -> list[LaunchSpreadFound]:
    """Of every main figure of the run's fitted cells; `limits`: lengths (B) at which the protocol changes."""
    found = []
    for section in sections:
        figures: dict[str, list[ReportedFigure]] = defaultdict(list)
        for each in section.figures:
            if each.main and len(each.by_launch) > 1:
                figures[each.name].append(each)
        for name, of in figures.items():
            kept = [cell for cell, use in zip(of, fitted(of), strict=True) if use and cell.state != "bound"]
            found += _of_figure(section.benchmark, name, kept, limits)
    return found


def _of_figure(
    benchmark: str, name: str, kept: Sequence[ReportedFigure], limits: Sequence[float]
) -> list[LaunchSpreadFound]:
    measured = times(kept, at_most=False)
    made: list[LaunchSpreadFound] = []
    low = -1.0
    for limit in (*limits, np.inf):
        inside = (measured.length > low) & (measured.length <= limit)
        if limit != np.inf and (inside.sum() < LEAST_CELLS or (measured.length > limit).sum() < LEAST_CELLS):
            continue  # joined with the next stretch
        if inside.any() and (spread := launch_deviation(measured.chosen(inside))) > 0:
            of_runs = run_deviation(measured.chosen(inside)) if len(measured.runs) > 1 else None
            up_to = None if limit == np.inf else float(limit)
            # All cells of a launch deviate together, so that many cells of a few launches are no more than these.
            freedom = sum(len(run) - 1 for run in measured.runs if len(run) > 1)
            made.append(LaunchSpreadFound(benchmark, name, up_to, spread, freedom, of_runs))
        low = limit
    return made
