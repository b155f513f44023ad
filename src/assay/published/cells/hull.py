"""The coordinates of a published cell in its table, and whether it lies inside the hull of others.

Coordinates are a cell's numeric parameters: a length in bytes by its logarithm, all others as they are. Its labels are
the metric and the other parameters (a mode, a network): cells of other labels have no place in the same table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from assay.machine.catalogue import PublishedCell

LENGTHS = ("_B", "_kB", "_MB")  # how the names of lengths end
NEAR = 1e-9  # of the table's extent: rounding
Coordinates = dict[str, float]


def is_length(key: str) -> bool:
    """Whether a parameter is a length in bytes."""
    return key.endswith(LENGTHS)


def coordinates(cell: PublishedCell) -> Coordinates:
    """The cell's place in its table, by the names of its numeric parameters; of length 0 there is no logarithm: -1."""
    found = {}
    for key, value in cell.params.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[key] = _logarithm(float(value)) if is_length(key) else float(value)
    return found


def _logarithm(length: float) -> float:
    return math.log2(length) if length > 0 else -1.0


def labels(cell: PublishedCell) -> tuple[tuple[str, str], ...]:
    """What assigns a cell to its table: its metric and the parameters that are no numbers."""
    others = {key: str(value) for key, value in cell.params.items() if not isinstance(value, int | float)}
    return (("metric", cell.metric), *sorted(others.items()))


def same_table(cell: PublishedCell, other: PublishedCell) -> bool:
    """Whether two cells of one benchmark and machine have a place in the same coordinates."""
    return labels(cell) == labels(other) and coordinates(cell).keys() == coordinates(other).keys()


def inside(point: Sequence[float], points: Sequence[Sequence[float]]) -> bool:
    """Whether a point is a convex combination of others; shapes (d,) and (n, d), n and d from 0 on."""
    if not len(points):
        return False
    at, of = np.asarray(point, float), np.asarray(points, float).reshape(len(points), -1)
    middle, extent = of.mean(axis=0), np.ptp(of, axis=0)
    scale = np.where(extent > 0, extent, 1.0)
    columns = np.vstack([((of - middle) / scale).T, np.ones(len(of))])
    _, left = nnls(columns, np.append((at - middle) / scale, 1.0))
    return bool(left <= NEAR * (1 + float(np.abs((at - middle) / scale).sum())))


def between(cell: PublishedCell, used: Sequence[PublishedCell]) -> bool:
    """Whether a cell lies inside the hull of those used cells (of its benchmark and machine) that share its table."""
    own = coordinates(cell)
    points = [[coordinates(other)[key] for key in own] for other in used if same_table(cell, other)]
    return inside(list(own.values()), points)
