"""How much of an error rate a test may have spent by each look (O'Brien and Fleming's function, after Lan and DeMets).

Source: Lan and DeMets 1983; O'Brien and Fleming 1979.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SHARES = (0.4, 0.6, 0.8, 1.0)  # of the most pairs or launches: when it is looked


def looks_of(most: int) -> tuple[int, ...]:
    """The numbers of pairs or launches at which it is looked, ascending; the last one is `most`."""
    return tuple(sorted({math.ceil(share * most) for share in SHARES}))


def spent(looks: Sequence[int], level: float) -> NDArray[np.float64]:
    """The one-sided error rate (1) that may be spent up to each look; at the last one it is `level`."""
    from scipy import stats

    times = np.array(looks, float) / looks[-1]
    return np.asarray(2 * stats.norm.sf(stats.norm.isf(level / 2) / np.sqrt(times)))
