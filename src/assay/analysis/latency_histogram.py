"""Latencies in the log-linear buckets of programs/timing/histogram.hpp: counts by bucket, merged by adding up."""

from __future__ import annotations

import math
from collections.abc import Mapping

PARTS = 64  # of an octave; below 2 * PARTS ns each nanosecond has a bucket


def middle(bucket: int) -> float:
    """The middle of a bucket, s: within 1% (1/128) of all that is in it."""
    if bucket < 2 * PARTS:
        return 1e-9 * bucket
    octave = bucket // PARTS - 1
    return 1e-9 * (math.ldexp(bucket % PARTS + PARTS + 0.5, octave) - 0.5)


def quantile(counts: Mapping[int, int], share: float) -> float | None:
    """The least value that a share of all are not above, s, within 1%; None of none."""
    rank = max(1, math.ceil(share * sum(counts.values())))
    seen = 0
    for bucket in sorted(counts):
        seen += counts[bucket]
        if seen >= rank:
            return middle(bucket)
    return None
