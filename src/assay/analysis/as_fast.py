"""With which others a slow node exchanges as fast as everybody does: one that is slow itself, or its cable, with none.

A node that is only further away than most, on another switch, has its neighbours. Whether a partner's messages take
less than half of the node's excess is a sign test over its readings, whatever their distribution is, at one level for
all partners together (Bonferroni).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from assay.analysis.slow_pairs import FALSE_ALARMS, SlowPart

Integers = NDArray[np.int64]


def as_fast(part: SlowPart, residuals: NDArray[np.float64], from_node: Integers, to_node: Integers) -> list[int]:
    """The nodes with which a slow node's messages take less than half of its excess; none of what is no node.

    `residuals` (passes, readings): how much longer than others of its class, log; of each reading the nodes that its
    message leaves and reaches.
    """
    own = {
        "node": (from_node == part.number) | (to_node == part.number),
        "node, sending": from_node == part.number,
        "node, receiving": to_node == part.number,
    }.get(part.kind)
    if own is None:
        return []
    own &= from_node != to_node
    partner = np.where(from_node == part.number, to_node, from_node)[own]
    excess = residuals[:, own]
    half = float(np.median(excess)) / 2
    others = np.unique(partner)
    found = []
    for other in others:
        less = excess[:, partner == other] < half
        if stats.binom.sf(less.sum() - 1, less.size, 0.5) <= FALSE_ALARMS / len(others):
            found.append(int(other))
    return found
