"""Stopping rules, without a clock.

And the coverage of the interval with the rule in the loop, on data as machines make them.
"""

import numpy as np
import pytest
from scipy import stats

from assay.analysis.intervals import median_interval
from assay.analysis.stopping import FirstOf, HalfWidth, LaunchProgress, StoppingRule, TimeBudget
from assay.execute.plan import LOOKS, WITHIN

TRIALS = 2500
READINGS = 60
GREATEST = 30


def launch_medians(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Medians (trials, launches) of simulated readings inside launches, and the true median of all launches.

    Truth is known by symmetry: every part is symmetric about its centre, but for the modes, where it is a quantile.
    """
    shape = (TRIALS, GREATEST)
    launch = 0.05 * rng.standard_normal(shape)
    if kind == "bimodal":  # 30% of the launches are 40% slower; the true median lies at 5/7 of the quicker mode
        slow = rng.random(shape) < 0.3
        total = np.sqrt(0.05**2 + 0.01**2)
        return 1 + launch + 0.01 * rng.standard_normal(shape) + 2.0 * slow, 1 + total * stats.norm.ppf(0.5 / 0.7)
    noise = rng.standard_normal((*shape, READINGS)).astype(np.float32)
    if kind == "autocorrelated":  # each reading keeps 0.9 of the one before
        for i in range(1, READINGS):
            noise[..., i] = 0.9 * noise[..., i - 1] + np.sqrt(1 - 0.81) * noise[..., i]
        return np.median(1 + launch[..., None] + 0.05 * noise, axis=-1), 1.0
    if kind == "drifting":  # every launch slows by 10% from its first reading to its last, some more, some less
        slope = 0.1 + 0.05 * rng.standard_normal(shape)
        ramp = np.linspace(-0.5, 0.5, READINGS)
        return np.median(1 + launch[..., None] + slope[..., None] * ramp + 0.02 * noise, axis=-1), 1.0
    heavy = 0.02 * rng.standard_t(2, (*shape, READINGS))
    return np.median(1 + launch[..., None] + heavy, axis=-1), 1.0


def coverage(rule: StoppingRule, medians: np.ndarray, truth: float, seconds: float = 1.0) -> tuple[float, float]:
    """Play the rule on each trial, a launch costing `seconds` times its own value.

    Give coverage and mean launches.
    """
    hits = used = 0
    for trial in medians:
        elapsed = np.cumsum(trial) * seconds
        for n in range(10, len(trial) + 1):  # the first look's launches are always made
            decision = rule.decide(LaunchProgress([trial[:n]], n, float(elapsed[n - 1]), float(elapsed[n - 1]) / n))
            if decision.stop:
                break
        interval = median_interval(trial[:n], decision.level)
        hits += interval is not None and interval[0] <= truth <= interval[1]
        used += n
    return hits / len(medians), used / len(medians)


RULES: dict[str, StoppingRule] = {
    "standard": HalfWidth(WITHIN["standard"], LOOKS["standard"]),
    "+-3%": HalfWidth(0.03, LOOKS["standard"]),
    "+-5%": HalfWidth(0.05, LOOKS["standard"]),
    "+-3% or 21 s": FirstOf((HalfWidth(0.03, LOOKS["standard"]), TimeBudget(21))),
}


@pytest.mark.parametrize("kind", ["autocorrelated", "drifting", "bimodal", "heavy-tailed"])
def test_coverage_with_the_rule_in_the_loop(kind: str) -> None:
    medians, truth = launch_medians(kind, np.random.default_rng(7))
    for name, rule in RULES.items():
        covered, used = coverage(rule, medians[: TRIALS // 2], truth)
        print(f"{kind:15s} {name:24s} covers {covered:.3f} with {used:.1f} launches")
        assert covered >= 0.93


def test_looking_after_every_launch_at_the_full_level_misses() -> None:
    """Why the level is spent: the naive rule, 95% at each of 20 looks, stopping when it likes what it sees."""
    medians, truth = launch_medians("drifting", np.random.default_rng(8))
    worst = 1.0
    for target in (0.02, 0.03, 0.05):
        hits = 0
        for trial in medians[:600]:
            for n in range(6, GREATEST + 1):
                interval = median_interval(trial[:n])
                assert interval is not None
                if (interval[1] - interval[0]) / 2 < target:
                    break
            hits += interval[0] <= truth <= interval[1]
        worst = min(worst, hits / 600)
    print(f"naive looks cover {worst:.3f}")
    assert worst < 0.93


def progress(values: list[float], elapsed: float = 0.0, following: float = 0.0) -> LaunchProgress:
    return LaunchProgress([values], len(values), elapsed, following)


def test_each_rule_says_why_it_ended() -> None:
    assert TimeBudget(10).decide(progress([1.0] * 4, 10.5)).reason == "the budget of 10 s is spent"
    assert TimeBudget(10).decide(progress([1.0] * 4, 8.5, 2.0)).reason == "another launch would pass the budget of 10 s"
    assert not TimeBudget(10).decide(progress([1.0] * 4, 7.9, 2.0)).stop
    both = FirstOf((HalfWidth(0.01, (5, 10)), TimeBudget(10))).decide(progress([1.0] * 4, 11.0))
    assert both.stop and "budget" in both.reason and "look" not in both.reason and not both.reached
    assert both.level == pytest.approx(0.975)


def test_the_width_is_looked_at_only_at_looks() -> None:
    rule = HalfWidth(0.01, looks=(10, 20))
    assert rule.spent == pytest.approx(0.975)
    same = [1.0] * 30
    assert not rule.decide(progress(same[:9])).stop and rule.decide(progress(same[:15])).stop is not True
    seen = rule.decide(progress(same[:10]))
    assert seen.stop and seen.reached and "after 10 launches" in seen.reason
    last = rule.decide(progress([1.0, 2.0] * 10))
    assert last.stop and not last.reached and last.reason.startswith("last look")
    for looks in ((), (20, 10), (10, 10)):
        with pytest.raises(ValueError):
            HalfWidth(0.01, looks=looks)


def test_every_figure_that_is_watched_must_be_narrow() -> None:
    rule, narrow, wide = HalfWidth(0.01, looks=(10, 20)), [1.0] * 10, [1.0, 1.03] * 5
    assert rule.decide(LaunchProgress([narrow, narrow], 10)).stop
    assert not rule.decide(LaunchProgress([narrow, wide], 10)).stop
    failed = LaunchProgress([narrow[:8]], 10)  # two launches gave no value: the look is one all the same
    assert rule.decide(failed).stop
    assert not rule.decide(LaunchProgress([narrow[:3]], 10)).stop  # too few of them for any interval


def test_what_no_look_can_reach_is_not_waited_for() -> None:
    """Widths shrink as 1 / sqrt(n): at 40 launches half of what they are at 10; at twice the target there: no use."""
    rule = HalfWidth(0.02, looks=(10, 20, 40))
    for half, goes_on in ((0.021, True), (0.07, True), (0.09, False), (0.5, False)):
        found = rule.decide(LaunchProgress([[1 - half] * 5 + [1 + half] * 5], 10))
        assert found.stop is not goes_on and not found.reached, half
        assert ("40 would not reach it" in found.reason) is not goes_on
    assert rule.decide(LaunchProgress([[0.95] * 10 + [1.05] * 10], 20)).stop is False  # 3.5% expected at 40
    few, wide = [1.0] * 4, [0.5] * 5 + [1.5] * 5  # one figure has no interval yet: the other says enough
    assert rule.decide(LaunchProgress([few, wide], 10)).stop and not rule.decide(LaunchProgress([few], 10)).stop
    last = rule.decide(LaunchProgress([[0.5] * 20 + [1.5] * 20], 40))
    assert last.stop and last.reason.startswith("last look")
