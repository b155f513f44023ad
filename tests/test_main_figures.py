"""Which figure of a case stands for it where no estimate does: the best reading, never the first call."""

from __future__ import annotations

from assay.report.derive.states import states
from assay.report.judge.bounds import values
from made_documents import document, figure, section


def test_of_a_bound_the_best_reading_is_main_and_the_first_call_is_not() -> None:
    of = {"state": "bound", "estimator": "best reading, a bound"}
    calls = [figure("rate", 67e9, "flop/s", "best") | of, figure("rate", 9e9, "flop/s", "first") | of]
    run = document(section("gemm", calls))
    assert [value for _, value in values(run, "gemm", "rate", "median")] == [67e9]
    assert states(run.benchmarks[0].figures)["bound"] == 1
