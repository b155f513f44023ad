"""Change points of a series of runs: steps are found where they were planted, and A/A series raise few alarms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.analysis import change_points as law
from assay.analysis.change_points import change_points, level_of, runs_needed, separable, split, step_p
from by_night import by_night

Floats = NDArray[np.float64]
NOISE = 0.02


def alike(dice: np.random.Generator, runs: int, correlation: float, heavy: bool = False) -> Floats:
    """Log values of one level: AR(1), normal or with the tails of Student's t with 3 degrees of freedom."""
    shocks = NOISE * (dice.standard_t(3, size=runs + 50) if heavy else dice.normal(size=runs + 50))
    values = np.zeros(runs + 50)
    for at in range(1, len(values)):
        values[at] = correlation * values[at - 1] + shocks[at]
    return values[50:]


def in_blocks(dice: np.random.Generator, simulated: Floats, runs: int, block: int = 10) -> Floats:
    """A circular block bootstrap: what follows one another stays together within a block."""
    starts = dice.integers(0, len(simulated), size=-(-runs // block))
    places = (starts[:, None] + np.arange(block)).ravel()[:runs] % len(simulated)
    return simulated[places]


def alarms(correlation: float, figures: int, series: int, seed: int) -> int:
    dice = np.random.default_rng(seed)
    simulated = [alike(dice, 400, correlation, heavy) for heavy in (False, True)]
    found = [
        change_points(np.exp(in_blocks(dice, simulated[number % 2], 200)), level_of(figures), number)
        for number in range(series)
    ]
    return sum(map(len, found))


@pytest.mark.parametrize("correlation", by_night([0.0, 0.5], [0.5]))
def test_series_without_a_change_raise_at_most_an_alarm_per_200_runs(correlation: float) -> None:
    """Block bootstrap of A/A series, each run a look: 25 series of 200 runs, in which 25 alarms are allowed."""
    assert alarms(correlation, 1, 25, seed=3) <= 25


@pytest.mark.nightly
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.5])
def test_so_do_twenty_figures_together(correlation: float) -> None:
    """200 series are ten histories of 20 figures: ten alarms are allowed; 16 or more of ten expected are rare (5%)."""
    assert alarms(correlation, 20, 200, seed=5) <= 15


@pytest.mark.parametrize("step", [0.1, -0.1, 0.3])
def test_a_step_is_found_at_its_run_soon_after_it(step: float) -> None:
    found = []
    for seed in range(8):
        logs = alike(np.random.default_rng(seed), 40, 0.0)
        logs[25:] += step
        found.append(change_points(np.exp(logs), level_of(20)))
    assert all(len(each) == 1 for each in found)
    assert sum(each[0].at == 25 for each in found) >= 7
    assert all(abs(each[0].at - 25) <= 1 and each[0].found <= 36 for each in found)


def test_two_steps_and_an_outlier_are_two_changes() -> None:
    logs = alike(np.random.default_rng(2), 70, 0.0)
    logs[25:] += 0.2
    logs[50:] -= 0.2
    logs[10] += 0.8
    assert [each.at for each in change_points(np.exp(logs), level_of(2))] == [25, 50]


def test_what_is_known_does_not_change_with_later_runs() -> None:
    """An alarm is final: of every beginning of a series the changes are the first ones of the whole."""
    logs = alike(np.random.default_rng(4), 60, 0.3)
    logs[30:] += 0.15
    whole = change_points(np.exp(logs), level_of(5))
    assert whole
    for runs in range(20, 60, 7):
        part = change_points(np.exp(logs[:runs]), level_of(5))
        assert [(each.found, each.p) for each in part] == [(each.found, each.p) for each in whole if each.found < runs]


def test_the_probability_is_that_of_all_permutations() -> None:
    """A brute-force twin: every order of seven values, of which the step is the statistic's greatest."""
    values = np.array([0.0, 0.01, 0.02, 0.5, 0.52, 0.51, 0.49])

    def greatest(order: tuple[float, ...]) -> float:
        rows = np.array(order)
        splits = range(law.LEAST, len(rows) - law.LEAST + 1)
        ends = [(abs(rows[:at].mean() - rows[at:].mean()), at) for at in splits]
        return max(gap * math.sqrt(at * (len(rows) - at) / len(rows)) for gap, at in ends)

    seen = greatest(tuple(values))
    orders = list(itertools.permutations(values))
    exact = sum(greatest(order) >= seen - 1e-12 for order in orders) / len(orders)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(law, "_white", lambda logs: logs)
        patched.setattr(law, "ENOUGH", 400)
        drawn = step_p(values, 0.001, np.random.default_rng(1))
    assert drawn == pytest.approx(exact, rel=0.2)


def test_one_value_again_and_again_is_no_change_and_an_exact_step_is_one() -> None:
    assert change_points([3.0] * 50, level_of(1)) == []
    (found,) = change_points([3.0] * 20 + [3.3] * 20, level_of(1))
    assert found.at == 20
    assert split(np.log([3.0] * 20 + [3.3] * 5)) == 20


def test_values_that_are_not_positive_are_refused() -> None:
    for wrong in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="not positive"):
            change_points([1.0, wrong], 0.01)


@pytest.mark.parametrize(("step", "figures"), by_night([(0.05, 1), (0.05, 20), (0.03, 5)], [(0.05, 1)]))
def test_so_many_runs_as_are_said_to_be_needed_show_a_step(step: float, figures: int) -> None:
    """The power at a step in their middle is at least .8 by prediction; of 30 trials 18 or more (1 in 100 fewer)."""
    level = level_of(figures)
    needed = runs_needed(NOISE, step, level, 0.25)
    assert needed is not None and separable(needed, level)
    shown = 0
    for seed in range(30):
        logs = alike(np.random.default_rng(seed), needed, 0.0)
        logs[needed // 2 :] += step
        shown += bool(change_points(np.exp(logs), level))
    assert shown >= 18
