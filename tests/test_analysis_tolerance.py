"""Tolerance limits: the textbook's numbers, and their confidence by simulation on a skewed population."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.analysis.tolerance import share_met, tolerance_limit, values_needed
from by_night import by_night


@pytest.mark.parametrize(
    ("coverage", "confidence", "needed"),
    [(0.95, 0.95, 59), (0.90, 0.95, 29), (0.99, 0.95, 299), (0.95, 0.99, 90), (0.5, 0.5, 1)],
)
def test_the_least_numbers_are_those_of_the_tables(coverage: float, confidence: float, needed: int) -> None:
    """Conover, table A5 (one-sided)."""
    assert values_needed(coverage, confidence) == needed
    with pytest.raises(ValueError, match=f"at least {needed}"):
        tolerance_limit([1.0] * (needed - 1), coverage, confidence, higher=True)


@given(st.floats(0.5, 0.99), st.floats(0.5, 0.99))
def test_the_least_number_is_the_least(coverage: float, confidence: float) -> None:
    needed = values_needed(coverage, confidence)
    assert 1 - coverage**needed >= confidence - 1e-9
    assert needed == 1 or 1 - coverage ** (needed - 1) < confidence + 1e-9


@pytest.mark.parametrize("count", by_night([59, 93, 200], [59]))
@pytest.mark.parametrize("higher", [True, False])
def test_the_confidence_is_what_it_says(count: int, higher: bool) -> None:
    """4,000 fleets of log-normal nodes: the limit leaves out more than 5% of the population in at most 5% of them."""
    dice = np.random.default_rng(count)
    population = stats.lognorm(0.2)
    failed = 0
    for _ in range(4000):
        limit = tolerance_limit(population.rvs(count, random_state=dice).tolist(), 0.95, 0.95, higher=higher)
        failed += (population.sf(limit) if higher else population.cdf(limit)) < 0.95
    assert failed <= stats.binom.ppf(0.9999, 4000, 0.05)


def test_more_members_give_a_stricter_limit() -> None:
    values = [float(n) for n in range(1, 201)]
    assert tolerance_limit(values[:59], 0.95, 0.95, higher=True) == 1.0
    assert tolerance_limit(values, 0.95, 0.95, higher=True) == 5.0  # Conover's exact test: the fifth of 200
    assert tolerance_limit(values, 0.95, 0.95, higher=False) == 196.0


def test_a_delivery_of_like_nodes_meets_its_share() -> None:
    for count in (1, 59, 64, 1000):
        out = round((1 - share_met(count, 0.95, 0.05)) * count)
        assert stats.binom.sf(out, count, 0.05) <= 0.05 and (out == 0 or stats.binom.sf(out - 1, count, 0.05) > 0.05)
