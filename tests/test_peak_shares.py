"""Rates beside the peak of their precision and threads: shares that can be worked out by hand."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from assay.benchmark.record import among
from assay.document.json_form import from_json, to_json
from assay.document.run_document import Document
from assay.report.render import page, terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import peak_shares
from made_documents import Json, document, figure, section

GHZ = 2e9
SHARES = {  # code, type, size, threads: flop/s, and its share of 32 Gflop/s a thread in double, 64 in single precision
    ("library", "float64", 128, 1): (16e9, 0.5),
    ("library", "float64", 1024, 1): (24e9, 0.75),
    ("library", "float64", 1024, 2): (40e9, 0.625),
    ("library", "float32", 1024, 2): (96e9, 0.75),
    ("ours", "float32", 1024, 1): (16e9, 0.25),
}


def _rates() -> list[Json]:
    made = []
    for (code, kind, size, threads), (rate, _) in SHARES.items():
        made.append(figure("rate", rate, "flop/s", code=code, type=kind, size=size, threads=threads))
    return made


def _run(*more: Json, beside: bool = False) -> Document:
    """A run on a processor of two AVX2 units at 2 GHz: 4 lanes x 2 flops x 2 units x 2 GHz are 32 Gflop/s in double."""
    product = section("gemm", [*_rates(), *more], part="kernels", title="Matrix product")
    peaks = [
        figure("rate", 32e9, "flop/s", "best", type="float64"),
        figure("rate", 64e9, "flop/s", "best", type="float32"),
    ]
    flat = section("peak", peaks, roof={"ceiling": "rate", "where": "type=float64"}, part="processor")
    host = {"flags": ["avx2", "fma"], "frequency": GHZ}
    made = document(product, *([flat] if beside else []), host=host)
    return peak_shares.with_shares(made, among(["gemm"]))


@pytest.mark.parametrize("beside", [False, True])
def test_shares_are_of_the_peak_of_the_precision_and_of_the_threads(beside: bool) -> None:
    """Whether the peak was measured in both precisions, or follows from lanes, units and clock: here both are equal."""
    found = _run(beside=beside).benchmarks[0].peak_shares
    assert found is not None
    by_case = {tuple(each.params[k] for k in ("code", "type", "size", "threads")): each.share for each in found}
    assert by_case == {case: share for case, (_, share) in SHARES.items()}


def test_page_markdown_terminal_and_json_show_them_by_size_type_and_threads() -> None:
    run = _run()
    out = io.StringIO()
    terminal.show(run, Console(file=out, width=100))
    for text in (page.html(run), as_markdown(run), out.getvalue()):
        assert "Matrix product: share of the arithmetic peak" in text
        for shown in ("24 Gflop/s (75%)", "40 Gflop/s (62%)", "96 Gflop/s (75%)", "16 Gflop/s (25%)"):
            assert shown in text
    (grid,) = peak_shares.tables(run.benchmarks[0])
    assert grid.headings == ("code", "type", "size", "1 thread", "2 threads")
    assert grid.rows[1] == ("library", "float64", "128", "16 Gflop/s (50%)", "–")
    assert grid.rows[2] == ("library", "float64", "1024", "24 Gflop/s (75%)", "40 Gflop/s (62%)")
    assert (
        "float32 64 Gflop/s (8 lanes x 2 (multiply-add) x 2 units x 2.00 GHz stated: more where the clock is raised)"
        in grid.note
    )
    assert (
        "float64 32 Gflop/s (4 lanes x 2 (multiply-add) x 2 units x 2.00 GHz stated: more where the clock is raised)"
        in grid.note
    )
    assert from_json(Document, to_json(run)).benchmarks[0].peak_shares == run.benchmarks[0].peak_shares


def test_a_bound_is_named_as_the_best_reading_and_what_is_invalid_has_no_share() -> None:
    case: Json = {"code": "ours", "type": "float64", "size": 4096, "threads": 1}
    first = figure("rate", 1e9, "flop/s", "first", **case) | {"state": "bound"}
    bound = figure("rate", 8e9, "flop/s", "best", **case) | {"state": "bound"}
    wrong = figure("rate", 8e9, "flop/s", **(case | {"threads": 2})) | {"state": "invalid"}
    (grid,) = peak_shares.tables(_run(bound, first, wrong).benchmarks[0])
    assert grid.rows[-1] == ("ours", "float64", "4096", "8 Gflop/s (25%, best reading)", "–")


def test_a_peak_that_one_case_passed_gives_no_share_of_any_case_in_that_precision() -> None:
    """36 of 32 Gflop/s: the clock was read too low, and 75% of it says nothing either; single precision has its own."""
    fast = figure("rate", 36e9, "flop/s", code="ours", type="float64", size=4096, threads=1)
    (grid,) = peak_shares.tables(_run(fast).benchmarks[0])
    double = [cell for row in grid.rows if row[1] == "float64" for cell in row[3:]]
    assert sorted(double) == ["16 Gflop/s", "24 Gflop/s", "36 Gflop/s (above the peak)", "40 Gflop/s", "–", "–"]
    assert ("library", "float32", "1024", "–", "96 Gflop/s (75%)") in grid.rows
    assert "which is no bound here: a case of this table passed it" in grid.note


def test_without_a_clock_no_share_is_given() -> None:
    made = document(section("gemm", _rates()))
    run = peak_shares.with_shares(made, among(["gemm"]))
    assert run.benchmarks[0].peak_shares is None and peak_shares.tables(run.benchmarks[0]) == []
