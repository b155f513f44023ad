"""The balance of a machine: STREAM's triad against the matrix product, by numbers that can be divided by hand."""

from __future__ import annotations

import pytest

from assay.document.json_form import to_json
from assay.report import balance, page, run_verdict
from made_documents import document, figure, section

PRODUCTS = [
    figure("rate", 40e9, "flop/s", code="library", type="float64", size=512, threads=1),
    figure("rate", 60e9, "flop/s", code="library", type="float64", size=512, threads=2),
    figure("rate", 80e9, "flop/s", code="library", type="float64", size=1024, threads=2),
    figure("rate", 70e9, "flop/s", code="ours", type="float64", size=1024, threads=2),
    figure("rate", 160e9, "flop/s", code="library", type="float32", size=1024, threads=2),
]
TRIADS = [
    figure("rate", rate, "B/s", kernel="triad", vector=0, size=0, threads=n) for n, rate in ((1, 18e9), (2, 20e9))
]
OTHERS = [figure("rate", 90e9, "B/s", kernel="read", vector=0, size=0, threads=2)]
PEAK = section("peak", [figure("rate", 55e9, "flop/s", "best", type="float64")], roof={"ceiling": "rate"})


def test_the_product_comes_first_in_double_precision_on_all_threads() -> None:
    run = document(section("stream", TRIADS + OTHERS, part="memory"), section("gemm", PRODUCTS, part="kernels"), PEAK)
    product, peak = balance.balances(run)
    assert (product.against, product.threads, product.rate, product.bandwidth) == ("matrix product", 2, 80e9, 20e9)
    assert product.flop_per_byte == 4.0  # 80 / 20; float32, one thread and reads would give 8, 2.2 and .89
    assert product.range == pytest.approx([72 / 22, 88 / 18])  # the made figures' launches differ by 10% either way
    assert product.sources == [
        "gemm, code library, type float64, size 1024, threads 2",
        "stream, kernel triad, threads 2",
    ]
    assert (peak.against, peak.flop_per_byte) == ("arithmetic peak", 5.5)


def test_the_first_screen_the_page_and_markdown_give_it_with_its_sources() -> None:
    run = document(section("stream", TRIADS, part="memory"), section("gemm", PRODUCTS, part="kernels"), PEAK)
    texts = [each["text"] for each in to_json(run_verdict.of(run))["findings"]]
    expected = (
        "memory limits what computes less than 4 flop per byte "
        "(matrix product: 20 GB/s for 80 Gflop/s on 2 threads; 5.5 by the arithmetic peak)"
    )
    assert expected in texts
    for shown in (page.markdown(run), page.html(run)):
        assert "Machine balance" in shown and "gemm, code library, type float64, size 1024, threads 2" in shown


def test_what_is_only_a_bound_is_not_divided() -> None:
    bound = [each | {"state": "bound"} for each in PRODUCTS]
    run = document(section("stream", TRIADS, part="memory"), section("gemm", bound, part="kernels"), PEAK)
    assert [each.against for each in balance.balances(run)] == ["arithmetic peak"]
    (table,) = balance.table(run, run.benchmarks[0])
    assert "No estimate of the matrix product" in table.note
    bound = [each | {"state": "bound"} for each in TRIADS]
    run = document(section("stream", bound, part="memory"), section("gemm", PRODUCTS, part="kernels"), PEAK)
    assert balance.balances(run) == []


def test_the_most_threads_of_both_are_taken() -> None:
    four = figure("rate", 30e9, "B/s", kernel="triad", vector=0, size=0, threads=4)
    run = document(section("stream", [*TRIADS, four], part="memory"), section("gemm", PRODUCTS, part="kernels"))
    (product,) = balance.balances(run)
    assert (product.threads, product.flop_per_byte) == (2, 4.0)
