"""The median of a few numbers; judging a run needs hundreds of thousands, and numpy's takes 30 us."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def median(values: Sequence[float] | NDArray[np.float64]) -> float:
    """The middle of values (n,), or the mean of the two middle ones, bit for bit as numpy.median has it.

    NaN where one of them is NaN. ValueError where there is none.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    count = len(ordered)
    if count == 0:
        raise ValueError("no value has no median")
    last = float(ordered[-1])
    if last != last:  # NaN is sorted behind all numbers
        return last
    half = count // 2
    return float(ordered[half]) if count % 2 else float((ordered[half - 1] + ordered[half]) / 2)
