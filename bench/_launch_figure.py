"""A figure of a benchmark made of one value for each launch, as a run's report would have it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.case import Case
from assay.document.reported_figure import ReportedFigure


def figure_by_launch(
    benchmark: str, name: str, unit: str, values: ArrayLike, params: Case | None = None
) -> ReportedFigure:
    """The median of the launches' `values` (in `unit`), undisturbed."""
    listed = np.asarray(values, float).tolist()
    return ReportedFigure(
        benchmark=benchmark,
        name=name,
        value=float(np.median(listed)),
        unit=unit,
        statistic="median",
        params=params or Case(),
        reasons=[],
        by_launch=[[float(at), value] for at, value in enumerate(listed)],
    )
