"""What a launch is reduced to where launches take turns: its median, its best reading or its tail (method.md, rule 16).

Interference lengthens times and hardly ever shortens them, so that best readings may differ less from pair to pair than
medians. Which of both decides is chosen by the pairs of a pilot, which are not used again: chosen by the pairs that are
judged, it would be the one that happens to show something. Each is of all readings of a launch, disturbed or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MEDIAN, BEST, TAIL = "median", "best reading", "tail"
TAIL_SHARE = 0.1  # of the readings: so many are worse than the tail
PILOT = 4  # pairs, of which none is judged
STEADIER = 0.5  # of the medians' deviation: with less than that, best readings decide


def steadier(pilot: Mapping[str, Sequence[float]]) -> str:
    """Choose MEDIAN or BEST by the pilot's log ratios of each; MEDIAN unless best readings spread far less."""
    if min(len(pilot[name]) for name in (MEDIAN, BEST)) < 2:
        return MEDIAN
    import numpy as np  # late: every document has this type

    medians, best = (float(np.std(pilot[name], ddof=1)) for name in (MEDIAN, BEST))
    return BEST if best < STEADIER * medians else MEDIAN
