"""Decisions by pairs at looks fixed beforehand: levels, error rates and power, against scipy and plain trials."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from assay.analysis.paired_decision import LEVEL, PairedPlan, levels, pairs_needed, power

MARGIN, PAIRS, TRIALS = 0.03, 20, 300
Draw = Callable[[np.random.Generator, int], "np.ndarray[tuple[int], np.dtype[np.float64]]"]


def normal(rng: np.random.Generator, n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return rng.standard_normal(n)


def heavy(rng: np.random.Generator, n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return rng.standard_t(3, n) / math.sqrt(3)


def bursts(rng: np.random.Generator, n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Every seventh launch, of either side, is several times as slow as the rest."""
    hit = (rng.random((2, n)) < 1 / 7) * rng.exponential(3.0, (2, n))
    return rng.standard_normal(n) * 0.5 + hit[0] - hit[1]


def moving(rng: np.random.Generator, n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What drifts moves both of a pair; the order within a pair is random."""
    drift = np.cumsum(rng.standard_normal(2 * n + 1)) * 0.2
    order = rng.integers(0, 2, n)
    first, second = drift[2 * np.arange(n)], drift[2 * np.arange(n) + 1]
    return np.where(order == 1, second - first, first - second) + rng.standard_normal(n) * 0.7


DRAWS = {each.__name__: each for each in (normal, heavy, bursts, moving)}


def decided(plan: PairedPlan, shifts: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[str, int]:
    """Look until there is an answer, or the end; between looks there is none (a test of its own)."""
    for pairs in plan.looks:
        found = plan.look([float(each) for each in shifts[:pairs]])
        if found.decided or found.last:
            return found.verdict.value, pairs
    raise AssertionError("no last look")


def trials(effect: float, deviation: float, draw: Draw, seed: int) -> Counter[str]:
    rng = np.random.default_rng(seed)
    plan = PairedPlan(MARGIN, PAIRS)
    return Counter(decided(plan, math.log1p(effect) + deviation * draw(rng, PAIRS))[0] for _ in range(TRIALS))


@pytest.mark.parametrize("looks", [(8, 12, 16, 20), (12, 18, 24, 30), (4, 6, 8, 10), (20,)])
@pytest.mark.parametrize("level", [0.05, 0.05 / 7])
def test_all_looks_together_reject_at_the_level_and_the_last_at_nearly_all_of_it(
    looks: tuple[int, ...], level: float
) -> None:
    found = levels(looks, level)
    times = np.array(looks) / looks[-1]
    correlation = np.sqrt(np.minimum.outer(times, times) / np.maximum.outer(times, times))
    bounds = stats.norm.isf(found)
    none = stats.multivariate_normal.cdf(
        bounds, np.zeros(len(looks)), correlation, rng=np.random.default_rng(1), abseps=1e-6, maxpts=1_000_000
    )
    assert 1 - none == pytest.approx(level, rel=0.01)
    assert list(found) == sorted(found) and found[-1] > 0.75 * level


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("deviation", [0.01, 0.03, 0.07])
def test_wrong_answers_are_as_rare_as_stated(name: str, deviation: float) -> None:
    """Of 300 trials at a rate of .05 more than `most` are wrong with a probability of 1 in 400."""
    most = int(stats.binom.isf(1 / 400, TRIALS, LEVEL)) + 1
    for seed, (effect, wrong) in enumerate([(0.0, "differs"), (0.02, "differs"), (-0.0196, "differs")]):
        assert trials(effect, deviation, DRAWS[name], seed)[wrong] <= most, (name, effect)
    for seed, effect in enumerate((0.031, 0.05, 0.1, -0.05)):
        assert trials(effect, deviation, DRAWS[name], seed)["equal"] <= most, (name, effect)


@pytest.mark.parametrize(("effect", "deviation"), [(0.05, 0.03), (0.05, 0.05), (0.05, 0.07), (0.1, 0.07)])
def test_power_is_as_predicted_for_normal_ratios_and_no_less_for_heavier_tails(effect: float, deviation: float) -> None:
    predicted = power(effect, MARGIN, deviation, PAIRS)
    seen = trials(effect, deviation, normal, 5)["differs"] / TRIALS
    assert abs(seen - predicted) < 0.02 + 3 * math.sqrt(0.25 / TRIALS)
    assert trials(effect, deviation, heavy, 6)["differs"] / TRIALS > predicted - 0.1


@pytest.mark.parametrize("deviation", [0.005, 0.03, 0.07])
def test_the_pairs_that_are_needed_have_the_power(deviation: float) -> None:
    needed = pairs_needed(0.05, MARGIN, deviation)
    assert needed is not None and power(0.05, MARGIN, deviation, needed) >= 0.8
    assert needed == 10 or power(0.05, MARGIN, deviation, int(needed / 1.06)) < 0.8
    assert pairs_needed(0.0202, MARGIN, 0.07) is None or deviation < 0.07


def test_equal_ends_early_and_what_is_unclear_at_the_last_look() -> None:
    plan = PairedPlan(MARGIN, PAIRS)
    assert plan.looks == (8, 12, 16, 20)
    rng = np.random.default_rng(3)
    assert decided(plan, 0.002 * rng.standard_normal(20)) in (("equal", 8), ("equal", 12))
    assert decided(plan, 0.1 + 0.002 * rng.standard_normal(20)) in (("differs", 8), ("differs", 12))
    verdict, pairs = decided(plan, 0.3 * rng.standard_normal(20))
    assert verdict not in ("equal", "differs") and pairs == 20


def test_between_looks_nothing_is_decided() -> None:
    plan = PairedPlan(MARGIN, PAIRS)
    shifts = [0.2 + 0.001 * number for number in range(20)]
    for pairs in range(1, 21):
        found = plan.look(shifts[:pairs])
        assert (pairs in plan.looks) or not found.decided
        assert found.last == (pairs == 20)


def test_a_difference_among_many_figures_needs_more_and_equality_of_all_does_not() -> None:
    one, many = PairedPlan(MARGIN, PAIRS), PairedPlan(MARGIN, PAIRS, figures=20)
    rng = np.random.default_rng(4)
    counted = Counter()
    for effect in (0.0, 0.045):
        for _ in range(50):
            shifts = [float(each) for each in effect + 0.03 * rng.standard_normal(20)]
            lone, among = one.look(shifts), many.look(shifts)
            assert (lone.verdict.value == "equal") == (
                among.verdict.value == "equal"
            ) and lone.interval == among.interval
            assert lone.verdict.value == "differs" or among.verdict.value != "differs"
            counted[lone.verdict.value] += 1
            counted[f"among many {among.verdict.value}"] += 1
    assert counted["among many differs"] < counted["differs"]


def test_any_false_difference_among_many_figures_is_as_rare() -> None:
    rng = np.random.default_rng(5)
    plan = PairedPlan(MARGIN, PAIRS, figures=5)
    wrong = 0
    for _ in range(TRIALS):
        shifts = math.log1p(0.0199) + 0.05 * rng.standard_normal((5, PAIRS))
        wrong += any(decided(plan, each)[0] == "differs" for each in shifts)
    assert wrong <= int(stats.binom.isf(1 / 400, TRIALS, LEVEL)) + 1


@pytest.mark.parametrize(("margin", "most"), [(0.0, 20), (1.0, 20), (0.03, 9)])
def test_a_plan_that_decides_nothing_is_refused(margin: float, most: int) -> None:
    with pytest.raises(ValueError, match=r"margin|pairs"):
        PairedPlan(margin, most)
