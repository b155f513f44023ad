"""Figures follow from samples by the record's formulas, launch by launch; closed forms say what they must be."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis.disturbance import invalid
from assay.analysis.figures import CaseSamples, cells, figures
from assay.analysis.fits import fits, times_by_launch
from assay.analysis.nodes import odd_nodes
from assay.benchmark.formula import evaluate
from assay.benchmark.record import Benchmark, Figure, Metric
from assay.case import Case
from assay.document.reported_figure import ReportedFigure
from assay.errors import InputError

ECHO = Benchmark(
    name="probe",
    title="",
    part="messages",
    kind="ranks",
    summary="",
    cost="",
    check="",
    source="",
    path=Path(),
    model="alpha_beta",
    metrics={"round_trip": Metric("round_trip", "s", "")},
    figures={
        "rate": Figure("rate", "round_trip", "B/s", "", "bytes / (value / 2)", "higher"),
        "half_round_trip": Figure("half_round_trip", "round_trip", "s", "", "value / 2"),
    },
)


def cell(case: dict[str, object], *launches: list[float], first: tuple[float, ...] = (), batch: int = 4) -> CaseSamples:
    by_launch = {("n1", i): np.array(values) for i, values in enumerate(launches)}
    return CaseSamples("round_trip", Case(case), by_launch, first, batch)


@given(st.floats(0.1, 1e6), st.integers(1, 4096))
def test_formulas_are_arithmetic(value: float, size: int) -> None:
    names = {"value": value, "bytes": size}
    assert evaluate("bytes / (value / 2)", names) == pytest.approx(2 * size / value)
    assert evaluate("max(bytes, 2) ** 2 - log2(8) + -1", names) == pytest.approx(max(size, 2) ** 2 - 4)


def test_formulas_without_an_answer_have_none_and_foreign_ones_are_refused() -> None:
    assert evaluate("1 / value", {"value": 0.0}) is None
    assert evaluate("hops * value", {"value": 1.0, "hops": None}) is None
    for bad in ("__import__('os')", "value.real", "nothing + 1", "[value]"):
        with pytest.raises((InputError, KeyError)):
            evaluate(bad, {"value": 1.0})


def test_the_median_is_taken_in_each_launch_and_then_over_launches() -> None:
    made = figures(ECHO, [cell({"bytes": 100}, [1.0, 2.0, 9.0], [4.0], [6.0, 8.0])])  # launch medians 2, 4, 7
    half = next(f for f in made if f.name == "half_round_trip")
    rate = next(f for f in made if f.name == "rate")
    assert (half.value, half.range, half.ci95, half.launches, half.samples) == (2.0, [1.0, 3.5], None, 3, 6)
    assert rate.value == 50.0 and rate.range == [100 / 3.5, 100.0]
    assert half.by_launch == [[0, 1.0], [1, 2.0], [2, 3.5]]
    assert rate.by_launch == [[0, 100.0], [1, 50.0], [2, 100 / 3.5]]
    assert "another day" in half.scope


def test_an_interval_needs_six_launches_and_holds_the_value() -> None:
    launches = [[1.0 + i / 100] for i in range(10)]
    made = next(f for f in figures(ECHO, [cell({"bytes": 8}, *launches)]) if f.name == "half_round_trip")
    assert made.ci95 is not None and made.range is not None and made.value is not None
    assert made.range[0] <= made.ci95[0] <= made.value <= made.ci95[1] <= made.range[1]


def test_an_invalid_case_has_no_number() -> None:
    made = figures(ECHO, [cell({"bytes": 8}, [1.0])], {("round_trip", Case({"bytes": 8})): invalid()})
    assert {f.value for f in made} == {None} and {f.state for f in made} == {"invalid"}


def test_a_tail_is_across_launches_where_each_launch_carries_its_own() -> None:
    """Eight launches of 500 single operations, 99th percentiles of 1.0 to 1.7; with one short launch: pooled."""

    def tail_of(*launches: list[float]) -> ReportedFigure:
        made = figures(ECHO, [cell({"bytes": 8}, *launches, batch=1)])
        return next(f for f in made if (f.statistic, f.name) == ("p99", "half_round_trip"))

    launches = [[0.5] * 490 + [1.0 + i / 10] * 10 for i in range(8)]
    tail = tail_of(*launches)
    assert tail.value == pytest.approx(0.5 * 1.35) and tail.range == pytest.approx([0.5, 0.85])
    assert tail.ci95 == pytest.approx([0.5, 0.85]) and "8 launches" in tail.scope and "launches'" in tail.estimator
    pooled = next(f for f in figures(ECHO, [cell({"bytes": 8}, *launches, [0.5] * 9, batch=1)]) if f.statistic == "p99")
    assert pooled.range is None and "within the launches" in pooled.scope


def test_the_first_call_stands_by_itself() -> None:
    made = figures(ECHO, [cell({"bytes": 8}, [1.0], [1.0], first=(7.0, 9.0))])
    halves = {f.statistic: f.value for f in made if f.name == "half_round_trip"}
    assert halves == {"median": 0.5, "first": 4.0}


@pytest.mark.parametrize(("batch", "samples", "given"), [(1, 1000, True), (1, 200, False), (4, 1000, False)])
def test_tails_come_only_from_single_operations_and_enough_of_them(batch: int, samples: int, given: bool) -> None:
    values = [float(i) for i in range(1, samples + 1)]
    made = figures(ECHO, [cell({"bytes": 8}, values, batch=batch)])
    tails = [f for f in made if f.statistic == "p99" and f.name == "half_round_trip"]
    assert bool(tails) is given
    if tails and tails[0].value is not None:
        assert tails[0].value == pytest.approx(0.99 * samples / 2, rel=0.01)


def test_the_tail_of_a_rate_is_its_first_percentile() -> None:
    """Of 1,000 rates by times of 1 to 1,000 s a hundredth is below that of the slowest hundredth, and it says so."""
    made = figures(ECHO, [cell({"bytes": 8}, [float(i) for i in range(1, 1001)], batch=1)])
    rates = {f.statistic: f.value for f in made if f.name == "rate"}
    assert "p99" not in rates and rates["p1"] is not None and rates["median"] is not None
    assert rates["p1"] == pytest.approx(2 * 8 / 990, rel=0.01) and rates["p1"] < rates["median"]


def test_rows_become_cells_in_order_of_time() -> None:
    rows = [
        ("t", Case({"n": 1}), "h", 0, [5.0], 1, True),
        ("t", Case({"n": 1}), "h", 0, [2.0], 8, False),
        ("t", Case({"n": 1}), "h", 1, [3.0, 4.0], 8, False),
    ]
    (made,) = cells(rows)
    assert (
        made.first == [5.0] and made.batch == 8 and [v.tolist() for v in made.launches.values()] == [[2.0], [3.0, 4.0]]
    )


def test_best_is_the_best_single_sample_where_the_record_asks_for_it() -> None:
    record = replace(ECHO, extra={"statistics": ["median", "best"]})
    made = figures(record, [cell({"bytes": 10}, [1.0, 4.0], [2.0])])
    assert {f.name: f.value for f in made if f.statistic == "best"} == {"rate": 20.0, "half_round_trip": 0.5}


def test_a_line_is_found_again_in_every_estimator() -> None:
    alpha, beta = 70e-6, 0.4e-6
    sizes = [0, 8, 64, 512, 1024, 4096, 8192, 65536]
    found = [cell({"bytes": n, "hops": None}, *([2 * (alpha + beta * n)] for _ in range(3))) for n in sizes]
    lines = [fit for fit in fits(ECHO, found) if fit["law"] == "alpha_beta"]
    assert {line["estimator"] for line in lines} >= {"relative", "ordinary"}
    for line in lines:
        assert line["alpha"] == pytest.approx(alpha, rel=1e-6) and line["beta"] == pytest.approx(beta, rel=1e-6)
        assert line["half_performance"]["n_half"] == pytest.approx(alpha / beta, rel=1e-6)
    papers = next(line for line in lines if line["estimator"] == "ordinary")
    assert papers["over"] == [8.0, 8192.0]


def test_a_law_says_its_numbers_in_peoples_units_and_which_readings_it_rests_on() -> None:
    """T = 70 us + 1 ns/B x N: half of the rate at 4 MiB, 978 MB/s, is reached a little above 64 KiB."""
    sizes = [1024, 4096, 16384, 65536, 262144, 1048576, 4194304]
    found = [cell({"bytes": n, "hops": None}, *([2 * (70e-6 + 1e-9 * n)] for _ in range(3))) for n in sizes]
    made = fits(ECHO, found)
    (curve,) = (fit for fit in made if fit["law"] == "half_performance")
    assert curve["text"].startswith("greatest rate 983.6 MB/s, n_half 66.") and " KiB (" in curve["text"]
    assert curve["text"].endswith("(read off the curve of medians, 1 KiB to 4 MiB)")
    line = next(fit for fit in made if fit["law"] == "alpha_beta")
    assert line["text"] == "T = 70 µs + 1 ns/B x N over 1 KiB to 4 MiB (robust)"


def test_a_start_up_below_zero_is_said_to_be_none() -> None:
    """T = -2 us + 1 ns/B x N, as a range of lengths in which the rate falls gives it."""
    sizes = [16384, 65536, 262144, 1048576]
    found = [cell({"bytes": n, "hops": None}, *([2 * (-2e-6 + 1e-9 * n)] for _ in range(3))) for n in sizes]
    line = next(fit for fit in fits(ECHO, found) if fit["law"] == "alpha_beta")
    assert "T = -2 µs + 1 ns/B" in line["text"] and "a start-up below zero is none" in line["text"]


def test_launches_that_lack_a_size_are_left_out_of_the_fit() -> None:
    found = {1.0: cell({"bytes": 1}, [2.0], [4.0]), 2.0: cell({"bytes": 2}, [6.0])}
    sizes, times = times_by_launch(ECHO.figures["half_round_trip"], found)
    assert sizes.tolist() == [1.0, 2.0] and times.tolist() == [[1.0, 3.0]]


def test_a_slow_node_is_named_and_an_even_cluster_is_not() -> None:
    rng = np.random.default_rng(1)

    def cluster(slow: float) -> CaseSamples:
        launches = {
            (f"n{node}", launch): rng.normal(1.0, 0.005, 20) * (slow if node == 5 else 1.0)
            for node in range(8)
            for launch in range(3)
        }
        return CaseSamples("time", Case({"size": 1}), launches, (), 1)

    assert odd_nodes([cluster(1.0)]) == []
    (odd,) = odd_nodes([cluster(1.2)])
    assert odd.host == "n5" and math.isclose(odd.ratio, 1.2, rel_tol=0.02) and "20% above" in odd.text


def test_nodes_of_a_launch_are_no_replicates() -> None:
    """Eight nodes and two launches are two launches: no interval, and of each launch the median of its nodes."""
    launches = {
        (f"n{node}", launch): np.array([2.0 * (1 + node + 10 * launch)] * 3) for node in range(8) for launch in range(2)
    }
    made = figures(ECHO, [CaseSamples("round_trip", Case({"bytes": 8}), launches, (), 1)])
    half = next(f for f in made if f.name == "half_round_trip" and f.statistic == "median")
    assert (half.launches, half.samples, half.ci95) == (2, 48, None)
    assert half.range == [4.5, 14.5] and half.value == 9.5  # medians of 1..8 and of 11..18
    assert half.scope.startswith("2 launches") and "median of 8 nodes" in half.scope
