"""Robust weighted least squares of many small problems at once, with bounds as one-sided residuals.

Huber's M-estimate of relative residuals in units of each cell's own standard deviation, by iteratively reweighted least
squares. A cell that is a bound counts only while the model lies above it. Coefficients are not negative: one that would
be is fixed at 0 and the others are solved again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.analysis.alpha_beta import HUBER

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
ROUNDS = 15
TIGHT = 4.0  # times the weight of a value: a bound is an inequality, not one more opinion


def planes(
    design: Floats, values: Floats, sigma: Floats, bound: Flags, inside: Flags | None = None, of: Floats | None = None
) -> Floats:
    """Coefficients (problems, columns) of `values` (problems, cells) on `design` (cells, columns).

    `sigma` (cells,) standard deviations relative to `of` (problems, cells), without it to `values`; `bound` (cells,);
    `inside` (problems, cells): cells of each problem.
    """
    whole = values if of is None else of
    used = np.ones_like(values, dtype=bool) if inside is None else inside
    base = np.where(used, 1 / (whole * sigma) ** 2, 0.0)
    weights = np.where(bound, 0.0, base)
    found = _solved(design, values, weights)
    for _ in range(ROUNDS):
        residual = (found @ design.T - values) / (whole * sigma)
        damped = np.minimum(1.0, HUBER / np.maximum(np.abs(residual), 1e-12))
        weights = np.where(bound, np.where(residual > 0, TIGHT * base, 0.0), base * damped)
        fresh = _solved(design, values, weights)
        settled = np.allclose(fresh @ design.T, found @ design.T, rtol=1e-5, atol=0)
        found = fresh
        if settled:
            break
    return found


def _solved(design: Floats, values: Floats, weights: Floats) -> Floats:
    """Weighted least squares of each problem without negative coefficients."""
    left = np.einsum("pc,ci,cj->pij", weights, design, design, optimize=True)
    right = np.einsum("pc,ci->pi", weights * values, design, optimize=True)
    columns = design.shape[1]
    scale = np.sqrt(np.maximum(np.diagonal(left, axis1=1, axis2=2), 1e-300))  # each column of each problem to length 1
    left = left / scale[:, :, None] / scale[:, None, :]
    right = right / scale
    ridge = np.full_like(right, 1e-13)  # so that a column without cells, or two equal ones, can be solved
    found = np.zeros_like(right)
    for _ in range(columns):
        found = np.linalg.solve(left + ridge[:, :, None] * np.eye(columns), right[:, :, None])[:, :, 0]
        negative = (found < 0) & (ridge < 1)
        if not negative.any():
            break
        worst = np.zeros_like(negative)
        worst[np.arange(len(found)), np.argmin(np.where(negative, found, 0.0), axis=1)] = negative.any(axis=1)
        ridge = np.where(worst, 1e15, ridge)
    return np.asarray(np.maximum(found, 0.0) / scale)
