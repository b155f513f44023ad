"""Which cases have no figure because what they were measured with was too coarse (method.md, rule 7).

A metric that its record calls the `error_of` another one says how far the readings of that may be off, e.g. how far
apart the ranks' clocks may be. Of each launch its greatest counts, and of those the median, as figures are medians of
launches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.analysis.figures import Array, CaseSamples
from assay.benchmark.record import Benchmark
from assay.case import Case
from assay.report.units import human

ALLOWED = 0.1  # of the median


def too_coarse(record: Benchmark, found: Sequence[CaseSamples]) -> dict[tuple[str, Case], str]:
    """The metrics and cases whose error passes a tenth of their median, each with the reason."""
    by_case = {(cell.metric, cell.case): cell for cell in found}
    reasons = {}
    for (name, case), cell in by_case.items():
        metric = record.metrics.get(name)
        measured = by_case.get((metric.error_of or "", case)) if metric else None
        if metric is None or measured is None:
            continue
        error = _across(cell, lambda values: float(values.max()))
        median = _across(measured, lambda values: float(np.median(values)))
        if error > ALLOWED * median:
            reasons[metric.error_of or "", case] = (
                f"no figure for {case}: {metric.help}: {human(error, metric.unit)}, more than a tenth of the "
                f"{human(median, metric.unit)} that were measured"
            )
    return reasons


def _across(cell: CaseSamples, reduce: Callable[[Array], float]) -> float:
    return float(np.median([reduce(values) for values in cell.launches.values()]))
