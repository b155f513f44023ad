"""Intervals across launches: their coverage is measured, beside the bootstrap that was not chosen; and their laws."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.analysis.intervals import across_launches, median_interval, median_rank

TRIALS = 3000


def populations(rng: np.random.Generator, launches: int) -> dict[str, tuple[np.ndarray, float]]:
    """Launch medians (trials, launches) of populations whose median is known in closed form."""
    shape = (TRIALS, launches)
    normal = rng.standard_normal(shape)
    late = rng.random(shape) < 0.35
    bimodal = np.where(late, 1.3, 1.0) + 0.01 * normal
    low = 1.0 + 0.01 * stats.norm.ppf(0.5 / 0.65)  # the upper mode is far: the median is a quantile of the lower
    return {
        "normal": (1 + 0.1 * normal, 1.0),
        "lognormal": (np.exp(0.15 * normal), 1.0),
        "cauchy": (1 + 0.01 * rng.standard_cauchy(shape), 1.0),
        "bimodal": (bimodal, low),
    }


def covered_by_order_statistics(launches: np.ndarray, truth: float) -> float:
    rank = median_rank(launches.shape[1])
    assert rank is not None
    ordered = np.sort(launches, axis=1)
    return float(((ordered[:, rank - 1] <= truth) & (truth <= ordered[:, -rank])).mean())


def covered_by_bootstrap(launches: np.ndarray, truth: float, rng: np.random.Generator) -> float:
    picks = rng.integers(launches.shape[1], size=(300, launches.shape[1]))
    low, high = np.quantile(np.median(launches[:800, picks], axis=2), [0.025, 0.975], axis=1)
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.parametrize("launches", [6, 10, 30])
def test_order_statistics_cover_at_least_95_percent(launches: int) -> None:
    rng = np.random.default_rng(launches)
    for name, (medians, truth) in populations(rng, launches).items():
        order = covered_by_order_statistics(medians, truth)
        bootstrap = covered_by_bootstrap(medians, truth, rng)
        print(f"{launches:3d} launches, {name:10s} order statistics {order:.3f}  percentile bootstrap {bootstrap:.3f}")
        assert order >= 0.94


@pytest.mark.parametrize("launches", [6, 7, 10, 11, 20, 30, 101])
def test_the_rank_is_the_binomials(launches: int) -> None:
    """The rank is the greatest whose tails hold at most 2.5% each, counted out by hand."""
    probability = [stats.binom.pmf(k, launches, 0.5) for k in range(launches + 1)]
    rank = median_rank(launches)
    assert rank is not None
    assert 2 * sum(probability[:rank]) <= 0.05 < 2 * sum(probability[: rank + 1])


def test_fewer_than_six_launches_claim_a_range_only() -> None:
    estimate = across_launches([[1.0, 1.1], [1.2, 1.3], [1.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    assert estimate.ci95 is None
    assert estimate.range == (1.0, 2.0)
    assert "too few for an interval" in estimate.scope and "another day" in estimate.scope
    assert across_launches([[1.0]] * 6).ci95 == (1.0, 1.0)


def test_the_inner_spread_is_no_part_of_the_interval() -> None:
    """A million tight readings in each launch do not narrow what the launches say."""
    launches = [np.full(100_000, level) for level in (1.0, 1.1, 1.2, 0.9, 0.8, 1.05)]
    assert across_launches(launches).ci95 == (0.8, 1.2)


def test_samples_that_say_nothing_are_refused() -> None:
    for broken in ([], [[]], [[1.0], []], [[float("nan")]], [[float("inf")]]):
        with pytest.raises(ValueError):
            across_launches(broken)


samples = st.lists(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=5), min_size=1, max_size=25)


@settings(deadline=None)
@given(samples, st.floats(1e-6, 1e6), st.randoms())
def test_laws_of_an_estimate(launches: list[list[float]], scale: float, random) -> None:  # type: ignore[no-untyped-def]
    for statistic in ("median", "mean", "min"):
        estimate = across_launches(launches, statistic=statistic)
        assert estimate.range[0] <= estimate.value <= estimate.range[1]
        if estimate.ci95:
            assert estimate.range[0] <= estimate.ci95[0] <= estimate.value <= estimate.ci95[1] <= estimate.range[1]
        mixed = list(launches)
        random.shuffle(mixed)
        assert across_launches(mixed, statistic=statistic) == estimate
        scaled = across_launches([[scale * value for value in values] for values in launches], statistic=statistic)
        assert scaled.value == pytest.approx(scale * estimate.value, rel=1e-9)
        json.dumps(estimate.to_dict(), allow_nan=False)


def test_a_higher_level_is_never_narrower() -> None:
    values = np.random.default_rng(1).standard_normal(30)
    narrow, wide = median_interval(values, 0.95), median_interval(values, 0.9875)
    assert narrow and wide and wide[0] <= narrow[0] and narrow[1] <= wide[1]
