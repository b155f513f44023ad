"""The parts of a prediction: intervals, classes of transfer, the plain baseline, counts, the verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.case import Case
from assay.document.model_prediction import PredictedCell, Transfer
from assay.document.reported_figure import ReportedFigure
from assay.kinds import NumberKind
from assay.prediction.counts import by_transfer, counts
from assay.prediction.plain_baseline import LINE, NEAREST, EchoLine, echo_line, plain_value
from assay.prediction.spread import interval, median_deviation, repeat_error
from assay.prediction.subjects import Subject
from assay.prediction.transfer import UsedCells, kind_of
from assay.prediction.trust import LEAST, trustworthy


def subject(value: float, benchmark: str = "echo", name: str = "half_round_trip", ranks: int = 2, unit: str = "s",
            state: str = "clean", **params: object) -> Subject:  # fmt: skip
    figure = ReportedFigure(
        benchmark=benchmark, name=name, value=value, unit=unit, statistic="median", state=state, params=Case(params),
        reasons=[], by_launch=[],
    )  # fmt: skip
    return Subject(figure, value, ranks, (benchmark, name, Case(params)))


def predicted(error: float, *, covered: bool = True, baseline: float | None = None, used: bool = False,
              state: str = "clean", transfer: Transfer = "other length") -> PredictedCell:  # fmt: skip
    low, high = (0.5, 2.0) if covered else (1.5, 2.0)
    return PredictedCell(
        benchmark="echo", figure="half_round_trip", params=Case(), unit="s", measured=1.0, predicted=1 + error, low=low,
        high=high, baseline=None if baseline is None else 1 + baseline, baseline_by=None, used=used, transfer=transfer,
        kind="interpolated", state=state, launches=5,
    )  # fmt: skip


# -- intervals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("launches", [1, 3, 5, 9, 15])
def test_the_deviation_of_a_median_is_that_of_drawn_medians(launches: int) -> None:
    drawn = np.median(np.random.default_rng(1).standard_normal((200_000, launches)), axis=1).std()
    assert median_deviation(1.0, launches) == pytest.approx(drawn, rel=0.02)


@pytest.mark.parametrize("launches", [2, 4, 10])
def test_of_an_even_number_it_is_at_most_a_tenth_wider(launches: int) -> None:
    drawn = np.median(np.random.default_rng(1).standard_normal((200_000, launches)), axis=1).std()
    assert 1.0 <= median_deviation(1.0, launches) / drawn < 1.115


@pytest.mark.parametrize(
    ("own", "spread", "launches"), [(0.05, 0.0, 1), (0.0, 0.08, 5), (0.03, 0.06, 3), (0.04, 0.1, 1)]
)
def test_intervals_hold_as_many_new_medians_as_their_level_says(own: float, spread: float, launches: int) -> None:
    """A model whose number is off by `own`, of which there are few draws, and launches that vary by `spread`."""
    dice, held, trials = np.random.default_rng(1), 0, 3000
    for _ in range(trials):
        off = math.exp(own * dice.standard_normal())
        draws = list(off * np.exp(own * dice.standard_normal(24)))
        low, high = interval(off, draws if own else [], spread, launches, 0.9)
        held += low <= median(np.exp(spread * dice.standard_normal(launches))) <= high
    assert 0.885 <= held / trials <= 0.925


@pytest.mark.parametrize(("launches", "of_runs"), [(4, 0.0), (8, 0.0), (8, 0.05)])
def test_a_spread_of_a_few_launches_is_one_of_as_many_degrees_of_freedom(launches: int, of_runs: float) -> None:
    """90% of the next launches; intervals of a normal distribution hold 80% after four launches, 86% after eight."""
    dice, held, normal, trials = np.random.default_rng(2), 0, 0, 1000
    for _ in range(trials):
        spread = float(np.std(0.02 * dice.standard_normal(launches), ddof=1))
        new = math.exp(0.02 * dice.standard_normal() + of_runs * dice.standard_normal())
        low, high = interval(1.0, [], spread, 1, 0.9, of_runs, launches - 1)
        held += low <= new <= high
        low, high = interval(1.0, [], spread, 1, 0.9, of_runs)
        normal += low <= new <= high
    assert 0.875 <= held / trials <= 0.925
    assert of_runs or normal / trials < 0.885


def test_a_few_draws_of_another_kind_do_not_widen_an_interval() -> None:
    """Such as those in which a message takes another protocol, and twice the time."""
    alike = list(np.exp(0.02 * np.random.default_rng(1).standard_normal(97)))
    low, high = interval(1.0, [*alike, 2.0, 2.1, 2.2], 0.01, 1, 0.9)
    assert 0.94 < low < 0.98 and 1.02 < high < 1.06
    assert interval(1.0, [*alike[:70], *[2.0] * 30], 0.01, 1, 0.9)[1] > 1.9  # where they are many they are in it


def test_without_draws_or_spread_there_is_no_width() -> None:
    assert interval(2.0, [], 0.0, 5, 0.9) == (2.0, 2.0)
    assert interval(2.0, [2.0, 2.0], 0.0, 5, 0.9) == (2.0, 2.0)


@given(
    st.floats(1e-9, 1e9), st.lists(st.floats(0.2, 5), max_size=20), st.just(0.0) | st.floats(1e-4, 1),
    st.integers(1, 99), st.floats(0.5, 0.99),
)  # fmt: skip
def test_an_interval_holds_the_prediction_and_scales_with_it(
    value: float, ratios: list[float], spread: float, launches: int, level: float
) -> None:
    low, high = interval(value, [value * each for each in ratios], spread, launches, level)
    assert 0 < low <= value * (1 + 1e-12) and value * (1 - 1e-12) <= high
    one, two = interval(1.0, ratios, spread, launches, level)
    assert (low, high) == (pytest.approx(value * one), pytest.approx(value * two))


def test_launches_against_launches() -> None:
    assert repeat_error([1, 2, 3]) is None
    assert repeat_error([1.0, 1.1, 1.0, 1.1]) == pytest.approx(abs(1.0 / 1.1 - 1))


# -- classes of transfer ----------------------------------------------------------------------------------------------


def test_a_cell_s_class_is_what_separates_it_from_the_fitted_ones() -> None:
    used = UsedCells([subject(1, bytes=8), subject(2, bytes=512), subject(1, "ring", "time", scheme="token", bytes=8)])
    expected = {
        subject(1, bytes=8).key: "another run",
        subject(1, bytes=64).key: "other length",
        subject(1, bytes=8, placement="same node").key: "other parameters",
        subject(1, "echo", "rate", bytes=8).key: "other parameters",
        subject(1, "barrier", "time").key: "other benchmark",
    }
    assert {key: used.transfer(subject(1, *key[:2], **key[2])) for key in expected} == expected
    assert used.transfer(subject(1, "ring", "time", ranks=8, scheme="token", bytes=64)) == "other number of ranks"
    assert used.transfer(subject(1, "barrier", "time", ranks=8)) == "other benchmark and ranks"
    assert used.siblings(subject(1, bytes=8)) == [subject(2, bytes=512)]  # a cell is not its own sibling


@pytest.mark.parametrize(("size", "kind"), [(64, NumberKind.INTERPOLATED), (4, NumberKind.EXTRAPOLATED),
                                            (4096, NumberKind.EXTRAPOLATED)])  # fmt: skip
def test_only_between_fitted_lengths_is_a_number_interpolated(size: int, kind: NumberKind) -> None:
    of = subject(1, bytes=size)
    assert kind_of(of, "other length", [subject(1, bytes=8), subject(1, bytes=512)]) is kind
    assert kind_of(of, "other benchmark", []) is NumberKind.TRANSFERRED


# -- the baseline -----------------------------------------------------------------------------------------------------


def test_the_nearest_length_is_by_the_logarithm_and_two_are_averaged() -> None:
    near = [subject(1.0, bytes=15), subject(3.0, bytes=255), subject(9.0, bytes=1023, state="bound")]
    assert plain_value(subject(0, bytes=63), "messages", near, None) == (2.0, NEAREST)
    assert plain_value(subject(0, bytes=64), "messages", near, None) == (3.0, NEAREST)
    assert plain_value(subject(0, bytes=2000), "messages", near, None) == (3.0, NEAREST)  # a bound is no value


def test_other_benchmarks_have_the_line_of_the_echo() -> None:
    line = EchoLine(1e-6, 1e-9)
    assert plain_value(subject(0, "barrier", "time"), "messages", [], line) == (1e-6, LINE)
    assert plain_value(subject(0, "ring", "time", bytes=1000), "messages", [], line) == (pytest.approx(2e-6), LINE)
    rate = plain_value(subject(0, "patterns", "rate", unit="B/s", bytes=1000), "messages", [], line)
    assert rate == (pytest.approx(5e8), LINE)
    assert plain_value(subject(0, "patterns", "rate", unit="B/s", bytes=0), "messages", [], line) is None
    assert plain_value(subject(0, "gemm", "time"), "kernels", [], line) is None
    assert plain_value(subject(0, "barrier", "time"), "messages", [], None) is None


def test_the_line_is_that_of_the_nearest_partner_and_takes_no_bounds() -> None:
    sizes = (0, 1000, 10_000, 100_000)
    near = [subject(1e-6 + 1e-9 * size, bytes=size, hops=1) for size in sizes]
    far = [subject(9e-6 + 1e-9 * size, bytes=size, hops=3) for size in sizes]
    bound = [subject(1e-9, bytes=50_000, hops=1, state="bound")]
    line = echo_line([*far, *near, *bound])
    assert line is not None
    assert (line.alpha, line.beta) == (pytest.approx(1e-6), pytest.approx(1e-9))
    assert echo_line(near[:2]) is None


# -- counts and the verdict -------------------------------------------------------------------------------------------


def test_used_cells_and_bounds_count_in_no_error() -> None:
    cells = [predicted(0.1), predicted(-0.3), predicted(9.0, used=True), predicted(9.0, state="bound")]
    found = counts(cells)
    assert (found.counted, found.median_error, found.worst_error) == (2, pytest.approx(0.2), pytest.approx(0.3))
    assert [each.transfer for each in by_transfer(cells)] == ["other length"]
    assert counts([]).median_error is None and counts([]).coverage is None


def test_coverage_has_the_exact_binomial_interval() -> None:
    found = counts([predicted(0.0, covered=at < 8) for at in range(10)])
    exact = stats.binomtest(8, 10).proportion_ci(0.95, method="exact")
    assert (found.covered, found.judged, found.coverage) == (8, 10, 0.8)
    assert found.coverage_interval == (pytest.approx(exact.low), pytest.approx(exact.high))


def test_both_errors_are_of_the_cells_that_have_a_baseline() -> None:
    found = counts([predicted(0.1, baseline=0.5), predicted(-0.2, baseline=-0.4), predicted(3.0)])
    assert (found.compared, found.error_compared, found.baseline_error) == (
        2, pytest.approx(0.15), pytest.approx(0.45)
    )  # fmt: skip


@dataclass(frozen=True)
class Numbers:
    """What a verdict rests on."""

    counted: int = 40
    covered: int = 36
    judged: int = 40
    compared: int = 40
    error_compared: float | None = 0.05
    baseline_error: float | None = 0.2
    level: float | None = 0.9


@given(st.integers(LEAST, 300), st.data())
def test_coverage_is_refused_just_where_the_binomial_interval_ends_below_the_level(
    judged: int, data: st.DataObject
) -> None:
    covered = data.draw(st.integers(0, judged))
    high = stats.binomtest(covered, judged).proportion_ci(0.95, method="exact").high
    found = trustworthy(Numbers(counted=judged, judged=judged, covered=covered))
    assert (found is not None) == (high < 0.9)
    assert found is None or f"{covered} of {judged}" in found


def test_a_model_that_the_baseline_beats_is_refused() -> None:
    assert trustworthy(Numbers()) is None
    reason = trustworthy(Numbers(error_compared=0.21))
    assert reason is not None and "21.0% is larger than the 20.0% of a plain baseline" in reason
    assert trustworthy(Numbers(error_compared=None, baseline_error=None, compared=0)) is None


def test_what_was_not_compared_is_refused() -> None:
    assert "5 are needed" in (trustworthy(Numbers(counted=LEAST - 1)) or "")
    assert "no [uncertainty]" in (trustworthy(Numbers(level=None)) or "")
