"""Where the spread comes from: launch, block or repetition (method.md, rule 3).

A reading is y = mean + launch + block in launch + repetition in block, the last three random. The levels are peeled off
by medians and median absolute deviations: the spread inside blocks, the spread of block medians less what the
repetitions explain, the spread of launch medians less what the blocks explain. A variance that comes out negative is 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analysis.median import median
from assay.analysis.result import AnalysisResult

LEVELS = ("launch", "block", "repetition")
SMALL = 40  # values: up to here a group's own median would bias its spread
MEDIAN_PRICE = math.pi / 2  # the variance of a median of normal values over that of their mean


@dataclass(frozen=True)
class Components(AnalysisResult):
    """Variances by level (unit squared), each level's share of their sum, and the counts they come from."""

    method: str
    launch: float
    block: float
    repetition: float
    launches: int
    blocks: int
    readings: int

    @property
    def share(self) -> dict[str, float]:
        """Each level's part of the whole, 1 together (all 0 where nothing varies)."""
        parts = {"launch": self.launch, "block": self.block, "repetition": self.repetition}
        whole = sum(parts.values())
        return {level: part / whole if whole > 0 else 0.0 for level, part in parts.items()}


def _nested(data: Sequence[Sequence[ArrayLike]]) -> list[list[NDArray[np.float64]]]:
    launches = [[np.asarray(block, float).ravel() for block in launch] for launch in data]
    if not launches or any(not launch or any(len(block) == 0 for block in launch) for launch in launches):
        raise ValueError("variance by level needs a reading in each block and a block in each launch")
    return launches


def robust(data: Sequence[Sequence[ArrayLike]]) -> Components:
    """Estimate the components of data[launch][block] (repetitions,), unbalanced, by medians.

    A few wild readings, blocks or launches do not move them. A level that was not repeated anywhere (one launch; one
    block in each) has no variance of its own: it is 0 and lies in the next.
    """
    launches = _nested(data)
    medians = [np.array([median(block) for block in launch]) for launch in launches]
    repetition = _pooled([block for launch in launches for block in launch])
    by_repetition = [
        float(np.mean([repetition / len(block) * (MEDIAN_PRICE if len(block) > 2 else 1.0) for block in launch]))
        for launch in launches
    ]
    block = max(0.0, _pooled(medians) - float(np.mean(by_repetition)))
    middle = np.array([median(values) for values in medians])
    by_block = [
        (block + noise) * (MEDIAN_PRICE if len(values) > 2 else 1.0) / len(values)
        for values, noise in zip(medians, by_repetition, strict=True)
    ]
    launch = max(0.0, _pooled([middle]) - float(np.mean(by_block)))
    readings = sum(len(values) for launch_blocks in launches for values in launch_blocks)
    return Components(
        "medians", launch, block, repetition, len(launches), sum(len(blocks) for blocks in launches), readings
    )


def _pooled(groups: Sequence[NDArray[np.float64]]) -> float:
    """Robust variance inside groups: a weighted median of absolute differences.

    Small groups give all their pairs, |a - b| / sqrt(2), which needs no centre and so has no bias however few they
    are; large ones their deviations from the median. Each group is weighted by its degrees of freedom.
    """
    parts, weights = [], []
    for values in groups:
        n = len(values)
        if n < 2:
            continue
        if n <= SMALL:
            first, second = np.triu_indices(n, 1)
            part = np.abs(values[first] - values[second]) / math.sqrt(2)
        else:
            part = np.abs(values - median(values))
        parts.append(part)
        weights.append(np.full(len(part), (n - 1) / len(part)))
    if not parts:
        return 0.0
    deviations, weight = np.concatenate(parts), np.concatenate(weights)
    order = np.argsort(deviations, kind="stable")
    share = np.cumsum(weight[order]) / weight.sum()
    middle = min(int(np.searchsorted(share, 0.5 - 1e-12)), len(order) - 1)
    return float((1.4826 * deviations[order][middle]) ** 2)
