"""Caches from a latency curve: its plateaus are levels, the working set at which a plateau ends is a level's size.

The curve is cut where it is steep: where latency grows faster than STEEP as a power of the working set. On a plateau
it may drift (translation of addresses misses more and more often), but slowly; at the edge of a cache every load of a
cyclic walk begins to miss at once. A flat stretch shorter than LEAST_OCTAVES inside a climb is part of the climb. The
least reading of each size is used, and none above what a larger set took: whatever else runs on the machine only adds
to a load. A climb does not begin sharply where pages lie anywhere in memory, as in virtual machines even large ones do:
some sets of the cache overflow before it is full. What counts as its size is where a load takes TWICE as long as at
the plateau's end, or half-way (as ratios go) to the next plateau if that is nearer. Saavedra and Smith 1995 read sizes
off such curves by eye.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.analysis.result import AnalysisResult

STEEP = 0.8  # d log latency / d log size; the drift of TLB misses stays under 0.4, the edge of a cache passes 2
LEAST_OCTAVES = 0.8  # a plateau is about twice as long as where it starts
TWICE = 2.0


@dataclass(frozen=True)
class CacheLevel(AnalysisResult):
    """One plateau: the largest working set (B) that still fits, the least that does not (None: none was tried)."""

    size: float
    below: float | None
    latency: float


def find_levels(sizes: ArrayLike, latencies: ArrayLike) -> tuple[CacheLevel, ...]:
    """Find the plateaus of `latencies` (n,) in s over `sizes` (n,) in B, rising; the last one is what lies beyond.

    ValueError for fewer than three sizes, or what is not positive.
    """
    size, latency = np.asarray(sizes, float), np.asarray(latencies, float)
    if size.ndim != 1 or size.shape != latency.shape or len(size) < 3:
        raise ValueError("a latency curve needs as many latencies as sizes, three or more")
    if (size <= 0).any() or (latency <= 0).any() or (np.diff(size) <= 0).any():
        raise ValueError("sizes must rise, and sizes and latencies be positive")
    latency = np.minimum.accumulate(latency[::-1])[::-1]
    steep = np.diff(np.log(latency)) > STEEP * np.diff(np.log(size))
    edges = [0, *(int(i) + 1 for i in np.flatnonzero(steep)), len(size)]
    runs = [(start, end) for start, end in itertools.pairwise(edges) if end > start]
    long = [(a, b) for a, b in runs if np.log2(size[b - 1] / size[a]) >= LEAST_OCTAVES]
    found = []
    for (start, end), after in zip(long, [*(latency[a] for a, _ in long[1:]), None], strict=True):
        own = float(np.median(latency[start:end]))
        if after is not None:
            most = latency[end - 1] * min(TWICE, np.sqrt(after / latency[end - 1]))
            end = int(np.searchsorted(latency, most, side="right"))
        below = float(size[end]) if end < len(size) else None
        found.append(CacheLevel(size=float(size[end - 1]), below=below, latency=own))
    return tuple(found)


def decide(levels: tuple[CacheLevel, ...], stated: Mapping[int, float]) -> tuple[dict[int, float], frozenset[int]]:
    """Bytes of each cache by its number, and which of these were found: where the curve has an edge, it decides.

    An edge belongs to the first cache that the system states to be at least half as large, the last of several edges
    there; what is larger than twice the last one is a further cache. A guest sees the last cache of a whole socket
    and gets a part of it: its edge is smaller. A stated cache without an edge keeps its stated size.
    """
    decided, found = dict(sorted(stated.items())), set()
    for level in levels:
        if level.below is None:
            continue
        within = [number for number, size in sorted(stated.items()) if level.size <= TWICE * size]
        number = within[0] if within else max(stated, default=0) + 1
        decided[number] = level.size
        found.add(number)
    return decided, frozenset(found)


def levels_text(levels: tuple[CacheLevel, ...]) -> str:
    """The levels in one sentence."""
    caches = [level for level in levels if level.below is not None]
    stated = [
        f"{level.size / 1024:.6g} KiB (under {(level.below or 0) / 1024:.6g}) at {level.latency * 1e9:.3g} ns"
        for level in caches
    ]
    beyond = [
        f"beyond them {level.latency * 1e9:.3g} ns, the median over the sizes there of each one's least"
        for level in levels
        if level.below is None
    ]
    return "caches found: " + "; ".join([*(stated or ["none"]), *beyond])
