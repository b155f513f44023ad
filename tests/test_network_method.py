"""Warm-up, intervals, growth: against series whose answer is known, coverage with the stopping rule in the loop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.network import method


def autoregressive(random: np.random.Generator, count: int, memory: float, mean: float) -> np.ndarray:
    noise = random.normal(size=count)
    values = np.empty(count)
    state = noise[0] / math.sqrt(1 - memory**2)
    for i in range(count):
        state = memory * state + noise[i]
        values[i] = mean + state
    return values


def test_mser5_cuts_a_transient_and_little_else() -> None:
    random = np.random.default_rng(1)
    transient = np.where(np.arange(1000) < 200, 40 * np.exp(-np.arange(1000) / 60), 0)
    cuts = [method.mser5(50 + transient + random.normal(size=1000), np.ones(1000)) for _ in range(40)]
    assert 120 <= np.median(cuts) <= 350
    steady = [method.mser5(50 + random.normal(size=1000), np.ones(1000)) for _ in range(40)]
    assert np.median(steady) <= 100
    growing = method.mser5(np.arange(1000.0), np.ones(1000))
    assert growing >= 490  # no steady state: the cut is as far as it is looked for


def test_mser5_is_its_formula() -> None:
    random = np.random.default_rng(2)
    values = random.exponential(size=300) + np.linspace(3, 0, 300)
    fives = values.reshape(-1, 5).mean(1)
    scores = [np.sum((fives[d:] - fives[d:].mean()) ** 2) / (len(fives) - d) ** 2 for d in range(len(fives) // 2 + 1)]
    assert method.mser5(values, np.ones(300)) == 5 * int(np.argmin(scores))


@pytest.mark.parametrize("memory", [0.0, 0.6, 0.9])
def test_batch_means_cover(memory: float) -> None:
    random = np.random.default_rng(3)
    held = 0
    for _ in range(300):
        values = autoregressive(random, 1024, memory, 10)
        found = method.batch_interval(values, np.ones(1024), 0.95)
        assert found.half is not None
        held += abs(found.mean - 10) <= found.half
    assert held >= 270  # 95 percent, less what 300 trials and correlated batches may take


def test_batch_means_weigh_by_count() -> None:
    counts = np.tile([1.0, 3.0], 512)
    found = method.batch_interval(counts * np.tile([10.0, 2.0], 512), counts, 0.95)
    assert found.mean == pytest.approx((10 + 3 * 2) / 4)


@pytest.mark.parametrize("draw", ["exponential", "bimodal"])
def test_intervals_cover_at_the_look_where_they_stop(draw: str) -> None:
    random = np.random.default_rng(4)
    looks = method.looks(10, 160)
    assert looks == [10, 20, 40, 80, 160]
    held = 0
    for _ in range(400):
        values = random.exponential(size=160) if draw == "exponential" else np.where(random.random(160) < 0.3, 3.0, 0.5)
        mean = 1.0 if draw == "exponential" else 0.3 * 3 + 0.7 * 0.5
        for look in looks:
            found = method.replication_interval(values[:look], 0.95, len(looks))
            if found.precise(0.3):
                break
        assert found.half is not None
        held += abs(found.mean - mean) <= found.half
    assert held >= 0.93 * 400


def test_a_queue_in_balance_does_not_grow_and_an_overloaded_one_does() -> None:
    random = np.random.default_rng(5)
    for load, grows in ((0.5, False), (0.9, False), (1.1, True), (1.5, True)):
        arrivals = random.poisson(load, 200_000)
        waiting, backlog = 0, np.empty(200_000)
        for i, count in enumerate(arrivals):
            waiting = max(0, waiting + int(count) - 1)
            backlog[i] = waiting
        early, late, stretch = method.growth_of(backlog[::200], 0, 200_000)
        assert stretch == pytest.approx(4, rel=0.2)
        assert method.backlog_grows(early, late, stretch, 0.75 * arrivals.sum()) is grows


def test_growth_is_seen_past_a_warm_up() -> None:
    time = 50_000 + (np.arange(1024) + 1) * 100_000 / 1024
    early, late, stretch = method.growth_of(0.05 * time, 50_000, 100_000)
    assert method.backlog_grows(early, late, stretch, 50_000)


@given(st.lists(st.integers(0, 50), min_size=40, max_size=200), st.floats(0.3, 0.7))
def test_quantiles_are_those_of_the_sorted_values(values: list[int], share: float) -> None:
    unique, counts = np.unique(values, return_counts=True)
    found = method.quantiles(unique, counts, [share])[f"{share:g}"]
    if len(values) * min(share, 1 - share) >= 10:
        assert found == pytest.approx(float(np.quantile(values, share, method="inverted_cdf")), abs=1e-9) or (
            sum(v <= found for v in values) >= share * len(values) - 1e-6
        )


def test_no_tail_from_too_few() -> None:
    assert method.quantiles([1.0, 2.0], [50, 50], [0.5, 0.99]) == {"0.5": 1.0, "0.99": None}
    assert method.quantiles([], [], [0.5]) == {"0.5": None}
