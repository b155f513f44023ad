"""`compare --live` from pilot to verdict, on simulated launches: error rates hold whatever the pilot fixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.analysis.launch_statistics import BEST, MEDIAN, PILOT, TAIL, steadier
from assay.analysis.paired_decision import LEVEL, PairedPlan
from assay.decide import live
from assay.decide.live_figures import FixedFigure, LiveFigure, fix_figures, look
from assay.document.reported_figure import LaunchStatistics
from assay.document.run_document import Document
from made_documents import document, figure, section

MARGIN, PAIRS, TRIALS, READINGS = 0.03, 20, 300, 9
MADE = document(section("echo", [figure("half_round_trip", 1.0, "s", bytes=8) | {"benchmark": "echo"}]))
Times = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Draw = Callable[[np.random.Generator], Times]


def quiet(dice: np.random.Generator) -> Times:
    """Launches that differ by 2%, readings by 1%."""
    return np.exp(0.02 * dice.normal(size=(PILOT + PAIRS, 1)) + 0.01 * dice.normal(size=(PILOT + PAIRS, READINGS)))


def hog(dice: np.random.Generator) -> Times:
    """Half of the readings of a launch are slower, by a fifth on average, some launches more of them."""
    hit = dice.random((PILOT + PAIRS, READINGS)) < dice.random((PILOT + PAIRS, 1))
    return quiet(dice) * (1 + hit * dice.exponential(0.2, hit.shape))


def late(dice: np.random.Generator) -> Times:
    """A hog that begins behind the pilot."""
    return np.concatenate([quiet(dice)[: PILOT + 6], hog(dice)[PILOT + 6 :]])


DRAWS: dict[str, Draw] = {each.__name__: each for each in (quiet, hog, late)}


def seen(times: Times) -> Document:
    """A document of these launches; the statistics are numpy's."""
    by = {
        MEDIAN: np.median(times, axis=1),
        BEST: times.min(axis=1),
        TAIL: np.quantile(times, 0.9, axis=1),
    }
    found = LaunchStatistics({name: dict(enumerate(of.tolist())) for name, of in by.items()}, None)
    (of,) = MADE.benchmarks
    made = [replace(each, statistics=found, better="lower") for each in of.figures]
    return replace(MADE, benchmarks=[replace(of, figures=made)])


def decided(a: Times, b: Times, monkeypatch: pytest.MonkeyPatch, most: int = PAIRS) -> LiveFigure:
    class Side:
        words = "side"

        def launch(self, pair: int, say: Any) -> None:
            assert pair < PILOT + most

    documents = seen(a), seen(b)
    monkeypatch.setattr(live, "_documents", lambda sides: documents)
    sides: Any = (Side(), Side())
    found = live.decide(sides, margin=MARGIN, most=most, seed=1, words=["half_round_trip"])
    (only,) = found.figures
    return only


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize(("effect", "wrong"), [(0.0, "differs"), (0.02, "differs"), (0.031, "equal"), (0.05, "equal")])
def test_wrong_verdicts_are_as_rare_as_stated(
    effect: float, wrong: str, draw: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = np.random.default_rng(int(1000 * effect) + 7)
    verdicts, statistics = Counter[str](), Counter[str]()
    for _ in range(TRIALS):
        found = decided(DRAWS[draw](dice), (1 + effect) * DRAWS[draw](dice), monkeypatch)
        verdicts[found.verdict] += 1
        statistics[found.statistic] += 1
    assert verdicts[wrong] <= int(stats.binom.isf(1 / 400, TRIALS, LEVEL)) + 1, verdicts
    assert statistics[BEST] > TRIALS / 2 if draw == "hog" else statistics[MEDIAN] > TRIALS / 2, statistics


def test_with_a_hog_what_the_pilot_fixes_finds_more_than_medians(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(3)
    found = Counter[str]()
    plan = PairedPlan(MARGIN, PAIRS)
    for _ in range(100):
        a, b = hog(dice), 1.06 * hog(dice)
        found["pilot"] += decided(a, b, monkeypatch).verdict == "differs"
        medians = np.log(np.median(b, axis=1) / np.median(a, axis=1))[PILOT:]
        found["median"] += plan.look(medians.tolist()).verdict.value == "differs"
    assert found["pilot"] >= 70 and found["pilot"] > 1.5 * found["median"], found


def test_equal_medians_and_best_readings_hide_no_worse_tail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of B two readings in nine are half as long again: neither median nor best show it."""
    dice = np.random.default_rng(4)
    a, b = quiet(dice) ** 0.1, quiet(dice) ** 0.1
    assert decided(a, b, monkeypatch).verdict == "equal"
    b[:, :2] *= 1.5
    found = decided(a, b, monkeypatch)
    assert found.verdict == "inconclusive" and found.reason is not None
    assert found.reason.startswith("equal by medians, but tails differ by +5"), found.reason
    assert found.seen[TAIL].ratio == pytest.approx(1.5, rel=0.01) == found.seen[TAIL].b / found.seen[TAIL].a
    assert found.seen[MEDIAN].ratio == pytest.approx(1.0, rel=0.01)
    one, other = seen(b), seen(a)
    fixed = fix_figures(one, other, ["half_round_trip"])
    plan = PairedPlan(MARGIN, PAIRS)
    (better,) = look(one, other, fixed, plan, PAIRS, only_worse=True)
    assert better.verdict == "equal"  # the tail became better
    (both,) = look(one, other, fixed, plan, PAIRS, only_worse=False)
    assert both.verdict == "inconclusive"


def test_best_readings_that_are_equal_hide_no_worse_median(monkeypatch: pytest.MonkeyPatch) -> None:
    """Medians that wander in the pilot, and of B behind it are a tenth longer: best readings alone would be equal."""
    dice = np.random.default_rng(5)
    a, b = quiet(dice) ** 0.1, quiet(dice) ** 0.1
    b[:PILOT:2, 1:] *= 1.3
    b[PILOT:, 1:] *= 1.1
    found = decided(a, b, monkeypatch)
    assert found.statistic == BEST and found.verdict == "inconclusive"
    assert found.reason is not None and found.reason.startswith("equal by best readings, but medians differ by +1")


def test_the_share_of_the_level_is_of_all_figures_that_were_fixed() -> None:
    """Four more figures, which B lacks, leave each a fifth of the level: what differs narrowly alone does not then."""
    plan = PairedPlan(MARGIN, 10)
    narrow = [0.005 + 0.006 * at for at in range(10)]
    five = PairedPlan(MARGIN, 10, figures=5)
    assert plan.look(narrow).verdict.value == "differs" and five.look(narrow).verdict.value != "differs"
    times = np.ones((PILOT + 10, READINGS))
    a, b = seen(times), seen(times * np.exp([0.0] * PILOT + narrow)[:, None])
    (of,) = a.benchmarks
    more = [replace(each, params=each.params | {"bytes": size}) for each in of.figures for size in (8, 16, 32, 64, 128)]
    wide = replace(a, benchmarks=[replace(of, figures=more)])
    for first, second in ((wide, b), (b, wide)):
        fixed = fix_figures(first, second, ["half_round_trip"])
        found = {each.params["bytes"]: each for each in look(first, second, fixed, plan, 10, only_worse=False)}
        assert len(fixed) == 5 and {each.verdict for each in found.values()} == {"inconclusive"}
    (alone,) = look(a, b, fix_figures(a, b, ["half_round_trip"]), plan, 10, only_worse=False)
    assert alone.verdict == "differs"


def test_counts_of_zero_are_equal_and_a_zero_beside_a_count_has_no_ratio() -> None:
    zeros, ones = np.zeros((PILOT + 10, 1)), np.ones((PILOT + 10, 1))
    plan = PairedPlan(MARGIN, 10)
    for b, verdict, reason in ((zeros, "equal", None), (ones, "inconclusive", "no pair has a ratio")):
        fixed = [FixedFigure(("echo", "half_round_trip", MADE.benchmarks[0].figures[0].params), MEDIAN)]
        (found,) = look(seen(zeros), seen(b), fixed, plan, 10, only_worse=False)
        assert (found.verdict, found.reason) == (verdict, reason)


def test_the_median_decides_unless_best_readings_are_far_steadier() -> None:
    loud, steady = [0.1, -0.1, 0.2, -0.2], [0.01, -0.01, 0.02, -0.02]
    assert steadier({MEDIAN: loud, BEST: steady}) == BEST
    assert steadier({MEDIAN: steady, BEST: loud}) == steadier({MEDIAN: steady, BEST: steady}) == MEDIAN
    assert steadier({MEDIAN: [each * 1.9 for each in steady], BEST: steady}) == MEDIAN
    assert steadier({MEDIAN: [], BEST: []}) == MEDIAN
