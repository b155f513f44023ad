"""What has no error of its own, such as an error in ulp or a count, is compared as it is, from one launch on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.benchmark.record import benchmark, benchmarks
from assay.document.comparison import JudgedRow
from assay.report.judge.comparison import against
from assay.report.render import comparison_tables
from made_documents import document, figure, section

CASE = {"function": "exp", "variant": "scalar", "range": "usual", "type": "float32"}


def run(name: str, benchmark_name: str, values: dict[str, list[float]], **more: Any) -> Any:
    """A document with one case of some figures, each with its values by launch."""
    figures = [
        figure(of, by[0], "1", **CASE)
        | {"benchmark": benchmark_name, "by_launch": [[at, value] for at, value in enumerate(by)], "better": "lower"}
        for of, by in values.items()
    ]
    return document(section(benchmark_name, figures), run=name, folder=more.pop("folder", name), **more)


def judged(one: list[float], other: list[float], name: str = "ulp_max", margin: float = 0.03, **more: Any) -> Any:
    pair = (run(of, "intrinsics", {name: values}, **more) for of, values in (("a", one), ("b", other)))
    (row,) = against(*pair, margin)
    return row


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ([3.489], [3.489], "equal"),
        ([3.489], [3.5], "equal"),  # within the margin
        ([3.489], [3.7], "differs"),
        ([0.5, 0.5, 0.5], [2.0], "differs"),
        ([0.0], [0.0], "equal"),
        ([0.0], [0.25], "differs"),
        ([0.25], [0.0], "differs"),
        ([0.25, 0.26], [0.25], "inconclusive"),  # it varies: then launches are needed
    ],
)
def test_one_launch_is_enough(one: list[float], other: list[float], verdict: str) -> None:
    for more in ({}, {"folder": "both"}):  # two runs, and two builds of one run
        row = judged(one, other, **more)
        assert row.verdict == verdict, row.reason
    quiet = comparison_tables.summary([row], "a", "b", 0.03)
    assert "zero on both sides" not in quiet
    assert f"1 {verdict.replace('differs', 'differ')}" in quiet
    shown = comparison_tables.table_of_runs([row], "a", "b").rows[0]
    assert shown[-1] == verdict
    assert (shown[-2] == "exact") == (verdict != "inconclusive" and min(*one, *other) > 0)


def test_the_margin_counts() -> None:
    assert judged([1.0], [1.04], margin=0.05).verdict == "equal"
    assert judged([1.0], [1.04], margin=0.01).verdict == "differs"
    assert judged([-1.0], [1.0]).verdict == "differs"  # as an order of convergence may be below zero


def test_what_was_found_out_does_not_part_two_cases() -> None:
    """Two libraries have their greatest errors at unlike arguments: these are still errors of one function."""
    pair = [run(name, "intrinsics", {"ulp_max": [error]}) for name, error in (("a", 1.0), ("b", 2.0))]
    for made, argument in zip(pair, ("0x1p+3", "0x1p-9"), strict=True):
        figures = made.benchmarks[0].figures
        figures[0] = replace(figures[0], params=figures[0].params | {"worst_argument": argument})
    (row,) = against(*pair)
    assert (row.verdict, row.ratio, row.params) == ("differs", 2.0, CASE)


def test_times_still_need_launches() -> None:
    assert judged([3.489], [3.489], name="time").verdict == "inconclusive"


def test_exact_figures_are_no_members_of_a_family() -> None:
    """p of the times is corrected as if the others were not there: Holm multiplies the least of m by m."""
    times = [1.0, 1.01, 0.99, 1.005, 0.995, 1.002, 0.998, 1.001]
    slower = [value * 1.5 for value in times]
    alone = against(*(run(of, "intrinsics", {"time": by}) for of, by in (("a", times), ("b", slower))))
    exact = {name: [1.0] for name in ("ulp_max", "ulp_mean", "other_kind", "digits_lost")}
    both = against(*(run(of, "intrinsics", {"time": by} | exact) for of, by in (("a", times), ("b", slower))))
    assert isinstance(alone[0], JudgedRow) and isinstance(both[0], JudgedRow)
    assert both[0].p_differs == alone[0].p_differs and len(both) == 5


def test_records_name_metrics_that_they_have_and_no_times() -> None:
    for record in benchmarks().values():
        assert record.undisturbed <= set(record.metrics), record.name
        assert not record.exact & record.noise_immune, record.name
        assert not {name for name in record.exact if record.metrics[name].unit == "s"}, record.name
    assert benchmark("intrinsics").exact == {"ulp_max", "ulp_mean", "other_kind"}
    assert benchmark("multigrid").exact == {"cycles", "error", "error_bound", "order"}
    assert "held" in benchmark("file-rate").noise_immune  # of the host's page cache
