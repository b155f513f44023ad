"""The sign test of acceptance: both risks hold exactly, at whatever looks; intervals are SciPy's."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.analysis.acceptance import AcceptancePlan, AcceptanceVerdict, cuts, launches_needed
from assay.analysis.intervals import median_interval
from assay.analysis.spending import looks_of, spent

LOOKS = st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True).map(lambda found: tuple(sorted(found)))
LEVELS = st.floats(1e-4, 0.25)


@given(LOOKS, LEVELS, LEVELS)
def test_at_the_limit_each_error_is_as_rare_as_stated(looks: tuple[int, ...], buyer: float, vendor: float) -> None:
    accepted, rejected = AcceptancePlan(looks, buyer, vendor).chances(0.5)
    assert accepted <= buyer + 1e-12 and rejected <= vendor + 1e-12


@given(LOOKS, LEVELS, st.integers(0, 1000).map(lambda share: share / 1000))
def test_a_better_machine_is_never_accepted_more_rarely(looks: tuple[int, ...], level: float, share: float) -> None:
    plan = AcceptancePlan(looks, level, level)
    better = plan.chances(min(1.0, share + 0.05))
    assert better[0] >= plan.chances(share)[0] - 1e-12 and better[1] <= plan.chances(share)[1] + 1e-12


def test_chances_are_those_of_all_sequences_of_launches() -> None:
    """Independent of the recursion: each sequence of ten launches, weighed by its probability."""
    plan = AcceptancePlan((5, 8, 10), 0.2, 0.1)
    for share in (0.5, 0.7, 0.9):
        found = dict.fromkeys(AcceptanceVerdict, 0.0)
        for launches in itertools.product((False, True), repeat=10):
            verdicts = [plan.look(sum(launches[:look]), look) for look in plan.looks]
            verdict = next((each for each in verdicts if each is not AcceptanceVerdict.NOT_SHOWN), verdicts[-1])
            assert plan.decide(launches) is verdict
            found[verdict] += share ** sum(launches) * (1 - share) ** (10 - sum(launches))
        assert plan.chances(share) == pytest.approx(
            (found[AcceptanceVerdict.ACCEPTED], found[AcceptanceVerdict.REJECTED])
        )


def test_one_look_is_the_plain_sign_test() -> None:
    for launches in range(1, 60):
        (cut,) = cuts((launches,), 0.05)
        fitting = [
            met for met in range(launches + 1) if stats.binomtest(met, launches, alternative="greater").pvalue <= 0.05
        ]
        assert cut == (min(fitting) if fitting else None)


def test_between_the_looks_nothing_is_shown() -> None:
    plan = AcceptancePlan((5, 10), 0.05, 0.05)
    assert {plan.look(met, launches) for launches in (6, 7, 8, 9, 11) for met in range(launches + 1)} == {
        AcceptanceVerdict.NOT_SHOWN
    }


@pytest.mark.parametrize("spread", [0.005, 0.03, 0.1])
@pytest.mark.parametrize("risk", [0.01, 0.05])
def test_the_planned_launches_reach_both_risks_and_fewer_do_not(spread: float, risk: float) -> None:
    launches = launches_needed(spread, 0.05, risk, risk / 3, (risk, risk))
    share = stats.norm.cdf(math.log(1.05) / spread)
    plan = AcceptancePlan(looks_of(launches), risk, risk / 3)
    assert plan.chances(share)[0] >= 1 - risk and plan.chances(1 - share)[1] >= 1 - risk
    fewer = AcceptancePlan(looks_of(max(1, launches * 9 // 10)), risk, risk / 3)
    if launches < 100:
        fewer = AcceptancePlan(looks_of(launches - 1), risk, risk / 3)
    assert fewer.chances(share)[0] < 1 - risk or fewer.chances(1 - share)[1] < 1 - risk


def test_too_noisy_a_machine_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 10000 launches"):
        launches_needed(0.9, 0.001, 0.05, 0.05, (0.05, 0.05))


def test_spending_ends_at_the_level_and_never_falls() -> None:
    for level in (0.01, 0.05):
        found = spent((4, 6, 8, 10), level)
        assert found[-1] == pytest.approx(level) and all(np.diff(found) > 0) and found[0] < level / 10


@given(st.lists(st.floats(-1e6, 1e6), max_size=40), st.sampled_from([0.9, 0.95, 0.99]))
def test_the_interval_of_a_median_is_that_of_scipy(values: list[float], level: float) -> None:
    found = median_interval(values, level)
    theirs = stats.quantile_test(values, q=0, p=0.5).confidence_interval(level) if values else None
    if theirs is None or not math.isfinite(theirs.low) or not math.isfinite(theirs.high):
        assert found is None
    else:
        assert found == (theirs.low, theirs.high)


@pytest.mark.parametrize(("looks", "buyer"), [((), 0.05), ((0, 4), 0.05), ((4,), 0.0), ((4,), 0.3)])
def test_a_plan_that_is_none_is_refused(looks: tuple[int, ...], buyer: float) -> None:
    with pytest.raises(ValueError, match=r"a plan has|a risk lies"):
        AcceptancePlan(looks, buyer, 0.05)
