"""Where the spread comes from: variance by level for every case that was measured (method.md, rule 3).

The components are those of `analysis.variance.robust`, which a few wild readings do not move. Nodes are kept apart:
that two nodes differ is no variance of launches.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.analysis.median import median
from assay.analysis.variance import LEVELS, robust
from assay.benchmark.record import Benchmark
from assay.case import Case
from assay.document.section import VarianceByLevel
from assay.report.derive.readings import Readings


def variance_by_level(record: Benchmark, blocks: Sequence[Readings]) -> list[VarianceByLevel]:
    """Variance by level of each metric, case and host of a benchmark.

    `variance` is in the metric's unit squared, `relative` each level's standard deviation over the median. A level
    that was not repeated has no variance of its own: it is named in `unsampled`, and its spread lies in the next.
    """
    found: dict[tuple[str, Case, str], dict[tuple[int, int], list[Any]]] = defaultdict(lambda: defaultdict(list))
    for of in sorted((of for of in blocks if not of.first and of.metric in record.metrics), key=lambda of: of.key):
        found[of.metric, of.case, of.host][of.launch, of.attempt].append(np.asarray(of.values, dtype=float))
    return [_of_cell(record, key, list(data.values())) for key, data in found.items()]


def _of_cell(record: Benchmark, key: tuple[str, Case, str], data: list[list[Any]]) -> VarianceByLevel:
    metric, case, host = key
    parts = robust(data)
    middle = abs(median([median(np.concatenate(blocks)) for blocks in data]))
    variance = {level: float(getattr(parts, level)) for level in LEVELS}
    repeated = {
        "launch": parts.launches > 1,
        "block": parts.blocks > parts.launches,
        "repetition": parts.readings > parts.blocks,
    }
    return VarianceByLevel(
        metric=metric,
        unit=record.metrics[metric].unit,
        params=case,
        host=host,
        method=parts.method,
        launches=parts.launches,
        blocks=parts.blocks,
        readings=parts.readings,
        variance=variance,
        share=parts.share,
        relative={level: math.sqrt(value) / middle if middle else None for level, value in variance.items()},
        unsampled=[level for level in LEVELS if not repeated[level]],
    )
