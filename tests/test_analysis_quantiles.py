"""Quantiles: their intervals cover, tails are refused where they cannot be known."""

from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.analysis.quantiles import _least_count, least_readings, quantile, tail_across_launches


def test_the_least_number_of_readings_is_the_first_that_suffices() -> None:
    assert (least_readings(0.5), least_readings(0.99)) == (6, 368)
    for q in (0.5, 0.9, 0.95, 0.99, 0.01):
        n, tail = least_readings(q), max(q, 1 - q)
        assert tail**n <= 0.025 < tail ** (n - 1)


@example(0.5, 57, 0.5)
@given(st.floats(1e-4, 1 - 1e-4), st.integers(1, 100_000), st.sampled_from([0.01, 0.5, 0.9, 0.99, 0.999]))
def test_binomial_counts_are_the_least_that_suffice(chance: float, n: int, q: float) -> None:
    count, nearly = _least_count(chance, n, q), 1e-9 * chance  # two ways to add up a distribution, each rounded
    assert stats.binom.cdf(count, n, q) >= chance - nearly
    assert count == 0 or stats.binom.cdf(count - 1, n, q) < chance + nearly


def test_a_chance_that_a_count_meets_exactly_is_met() -> None:
    for n in range(1, 500, 2):
        assert _least_count(0.5, n, 0.5) == n // 2  # both halves are equally likely


def test_p99_needs_single_operations_and_368_of_them() -> None:
    values = np.random.default_rng(0).exponential(size=1000)
    assert quantile(values[:367], 0.99).value is None and "368" in str(quantile(values[:367], 0.99).reason)
    assert quantile(values[:368], 0.99).ci95 is not None
    batched = quantile(values, 0.99, batch=16)
    assert batched.value is None and batched.ci95 is None and "16 operations" in str(batched.reason)
    assert quantile(values, 0.5, batch=16).ci95 is not None


@pytest.mark.parametrize(("q", "n"), [(0.5, 20), (0.5, 101), (0.9, 60), (0.99, 368), (0.99, 1000), (0.05, 200)])
def test_intervals_cover_and_are_no_wider_than_they_must(q: float, n: int) -> None:
    rng = np.random.default_rng(n)
    truth = float(stats.expon.ppf(q))
    intervals = [quantile(rng.exponential(size=n), q).ci95 for _ in range(1000)]
    covered = np.mean([pair is not None and pair[0] <= truth <= pair[1] for pair in intervals])
    print(f"q {q} n {n}: {covered:.3f}")
    assert 0.94 <= covered <= 0.999


def test_tails_across_launches() -> None:
    rng = np.random.default_rng(1)
    estimate, reason = tail_across_launches([rng.exponential(size=500) for _ in range(8)])
    assert reason is None and estimate is not None and estimate.ci95 is not None
    assert estimate.value == pytest.approx(stats.expon.ppf(0.99), rel=0.2)
    estimate, reason = tail_across_launches([rng.exponential(size=500), rng.exponential(size=50)])
    assert estimate is None and reason is not None and reason.startswith("launch 1")


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300),
    st.floats(0.05, 0.95),
    st.floats(0.001, 1000),
    st.randoms(),
)
def test_laws(values: list[float], q: float, scale: float, random: Random) -> None:
    result = quantile(values, q)
    if result.ci95 is not None and result.value is not None:
        assert min(values) <= result.ci95[0] <= result.value <= result.ci95[1] <= max(values)
        assert quantile([scale * value for value in values], q).value == pytest.approx(
            scale * result.value, rel=1e-9, abs=1e-9
        )
    mixed = list(values)
    random.shuffle(mixed)
    assert quantile(mixed, q) == result
