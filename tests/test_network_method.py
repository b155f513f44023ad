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


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9, 0.98])
def test_the_autocorrelation_time_is_that_of_the_process(memory: float) -> None:
    """Of a first-order autoregression it is 1/2 + the sum of the powers of its memory."""
    random = np.random.default_rng(1)
    truth = 0.5 + memory / (1 - memory)
    found = [method.correlation_time(autoregressive(random, 20_000, memory, 3.0)) for _ in range(20)]
    assert np.mean(found) == pytest.approx(truth, rel=0.1)
    assert method.correlation_time(np.full(100, 7.0)) == 0.5 and method.correlation_time([1.0]) == 0.5


def test_a_run_of_a_few_autocorrelation_times_has_no_interval() -> None:
    random = np.random.default_rng(2)
    short = method.batch_interval(autoregressive(random, 1024, 0.99, 10), np.ones(1024), 0.95)
    assert short.half is None and "times as long" in short.note


def test_replications_that_drift_are_seen_and_those_in_balance_are_not() -> None:
    random = np.random.default_rng(3)
    rising = 2 * (1 - np.exp(-np.arange(100) / 60))
    counts = [np.ones(100)] * 10
    steady = [[10 + random.normal(size=100) for _ in range(10)] for _ in range(300)]
    assert sum(method.drifts(of, counts) for of in steady) <= 3  # one in a thousand
    assert all(method.drifts([s + rising for s in of], counts) for of in steady)


def test_replications_count_by_their_observations() -> None:
    """Ten messages of 1 and thirty of 3: the mean of all is 2.5, that of the means 2."""
    found = method.replication_interval([1.0, 3.0], 0.95, weights=[10, 30])
    assert found.mean == pytest.approx(2.5)
    assert method.replication_interval([1.0, 3.0], 0.95).mean == pytest.approx(2.0)


@pytest.mark.parametrize("memory", [0.0, 0.6, 0.9])
def test_batch_means_cover(memory: float) -> None:
    random = np.random.default_rng(3)
    held = given = 0
    for _ in range(300):
        values = autoregressive(random, 1024, memory, 10)
        found = method.batch_interval(values, np.ones(1024), 0.95)
        if found.half is not None:  # of 108 autocorrelation times few are taken for less than 50
            given += 1
            held += abs(found.mean - 10) <= found.half
    assert given >= 285 and held >= 0.9 * given  # 95 percent, less what 300 trials and correlated batches may take


def test_batches_are_as_long_as_the_memory_that_another_run_has_shown() -> None:
    random = np.random.default_rng(6)
    values = autoregressive(random, 4096, 0.9, 10)
    given = {memory: method.batch_interval(values, np.ones(4096), 0.95, memory) for memory in (0.5, 9.5, 20.0, 30.0)}
    assert [one.parts for one in given.values()][:3] == [32, 16, 8]
    assert given[30.0].half is None and "2 times as long" in given[30.0].note
    held = [method.batch_interval(autoregressive(random, 2048, 0.9, 10), np.ones(2048), 0.95, 9.5) for _ in range(300)]
    assert sum(abs(one.mean - 10) <= (one.half or 0) for one in held) >= 0.93 * 300


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
