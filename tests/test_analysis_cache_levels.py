"""Levels found on curves made from known caches: a cyclic walk hits what fits and misses what does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis.cache_levels import CacheLevel, decide, find_levels, levels_text

GRID = np.array([2**k * f / 4 for k in range(12, 28) for f in (4, 5, 6, 7)])


def curve(capacities: list[float], times: list[float], blur: float = 1.0) -> np.ndarray:
    """Latency of a set of caches: the walk misses all of a level once it passes it by `blur`, in between linearly."""
    latency = np.full(len(GRID), times[0])
    for capacity, time, before in zip(capacities, times[1:], times, strict=False):
        share = np.clip((GRID / capacity - 1) / max(blur - 1, 1e-9), 0, 1) if blur > 1 else (capacity < GRID) * 1.0
        latency = np.where(capacity < GRID, before + share * (time - before), latency)
    return latency


def test_three_caches_and_memory() -> None:
    capacities = [2.0**15, 2.0**20, 2.0**25]
    levels = find_levels(GRID, curve(capacities, [1.3e-9, 4.5e-9, 2e-8, 9e-8]))
    assert [level.size for level in levels[:3]] == capacities
    assert [level.latency for level in levels] == pytest.approx([1.3e-9, 4.5e-9, 2e-8, 9e-8])
    assert levels[-1].below is None and "32 KiB" in levels_text(levels)


@given(
    first=st.integers(13, 16),
    second=st.integers(18, 21),
    ratio=st.floats(2.5, 6),
    drift=st.floats(0, 0.35),
    noise=st.integers(0, 1000),
)
def test_sizes_within_a_fifth_whatever_the_drift(
    first: int, second: int, ratio: float, drift: float, noise: int
) -> None:
    """Addresses' translation makes plateaus rise slowly, and readings scatter by some percent."""
    capacities = [2.0**first, 2.0**second]
    clean = curve(capacities, [1e-9, ratio * 1e-9, 20 * ratio * 1e-9], blur=1.5)
    rising = clean * np.maximum(1, GRID / 2**16) ** drift
    levels = find_levels(GRID, rising * (1 + 0.01 * np.random.default_rng(noise).random(len(GRID))))
    found = [level.size for level in levels if level.below is not None]
    assert found == pytest.approx(capacities, rel=0.2)


def test_a_flat_curve_has_no_cache() -> None:
    (only,) = find_levels(GRID, np.full(len(GRID), 1e-9))
    assert only.below is None and "none" in levels_text((only,))


def test_a_curve_must_rise_in_size_and_be_positive() -> None:
    for sizes, times in (([1, 2], [1, 1]), ([1, 3, 2], [1, 1, 1]), ([1, 2, 3], [1, 0, 1])):
        with pytest.raises(ValueError, match="size"):
            find_levels(sizes, times)


@given(st.integers(0, 2**32 - 1))
def test_pages_that_lie_anywhere_in_memory(seed: int) -> None:
    """A cache of 16 ways whose sets are chosen by the page: those that got more than 16 pages miss on every load.

    It holds less than its size, and is found no smaller than three quarters of it.
    """
    generator = np.random.default_rng(seed)
    colours = 16
    readings = []
    for _ in range(3):  # launches
        latency = np.where(GRID > 2**15, 4.5e-9, 1.3e-9)
        for i, size in enumerate(GRID):
            held = np.bincount(generator.integers(colours, size=max(1, int(size) // 4096)), minlength=colours)
            latency[i] += held[held > 16].sum() / held.sum() * 15.5e-9
        readings.append(np.where(GRID > 2**23, 85e-9, latency))
    levels = find_levels(GRID, np.min(readings, axis=0))
    assert levels[0].size == 2**15 and 0.75 * 2**20 <= levels[1].size <= 2**20


def level(size: float) -> CacheLevel:
    return CacheLevel(size=size, below=1.2 * size, latency=1e-9)


def test_an_edge_decides_over_what_the_system_states() -> None:
    """A guest is told 480 MiB of a socket and has an edge at 28; its second cache's edge comes late."""
    stated = {1: 48 * 2.0**10, 2: 2.0**20, 3: 480 * 2.0**20}
    beyond = CacheLevel(size=2.0**28, below=None, latency=1e-7)
    seen = (level(48 * 2.0**10), level(1.25 * 2**20), level(28 * 2.0**20), beyond)
    assert decide(seen, stated) == ({1: 48 * 2.0**10, 2: 1.25 * 2**20, 3: 28 * 2.0**20}, frozenset({1, 2, 3}))
    assert decide((level(48 * 2.0**10), beyond), stated) == (stated, frozenset({1}))
    assert decide((level(2.0**30), beyond), stated) == (stated | {4: 2.0**30}, frozenset({4}))
    assert decide((level(2.0**15), beyond), {}) == ({1: 2.0**15}, frozenset({1}))
    assert decide((beyond,), stated) == (stated, frozenset())
