"""The balance of a machine: STREAM's triad against the matrix product, by numbers that can be divided by hand."""

from __future__ import annotations

import pytest

from assay.document.json_form import to_json
from assay.document.run_document import Document
from assay.report.judge import verdict
from assay.report.render import page
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import balance
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
    texts = [each["text"] for each in to_json(verdict.of(run))["findings"]]
    expected = (
        "memory limits what computes less than 4 flop per byte "
        "(matrix product: 20 GB/s for 80 Gflop/s on 2 threads; 5.5 by the arithmetic peak)"
    )
    assert expected in texts
    for shown in (as_markdown(run), page.html(run)):
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


@pytest.mark.parametrize(
    ("triads", "more", "expected"),
    [
        (
            [each | {"state": "bound"} for each in TRIADS],
            {},
            "'s triad is known only by a bound, of which no ratio is formed",
        ),
        (
            [each | {"state": "invalid", "value": None} for each in TRIADS],
            {"warnings": ["000-stream failed: killed"]},
            "'s triad has no valid result: 000-stream failed: killed",
        ),
        ([], {"warnings": ["000-stream failed: killed"]}, "'s triad has no valid result: 000-stream failed: killed"),
        ([OTHERS[0]], {}, "'s triad is not among the kernels of this run"),
    ],
)
def test_where_no_triad_stands_one_line_says_why(triads, more, expected) -> None:
    kernels = section("gemm", PRODUCTS, part="kernels")
    run = document(section("stream", triads, part="memory", title="Bandwidth", **more), kernels)
    assert _told(run) == [f"no machine balance: Bandwidth{expected}"]


def test_where_stream_was_skipped_one_line_says_why() -> None:
    kernels = section("gemm", PRODUCTS, part="kernels")
    skipped = {"benchmark": "latency, stream", "title": "Memory bandwidth", "reason": "no memory is free"}
    run = document(kernels, left_out=[skipped])
    assert _told(run) == ["no machine balance: Memory bandwidth was skipped: no memory is free"]


def test_nothing_is_said_where_there_is_a_balance_or_half_of_it_was_not_asked_for() -> None:
    streams, kernels = section("stream", TRIADS, part="memory"), section("gemm", PRODUCTS, part="kernels")
    bound = section("stream", [each | {"state": "bound"} for each in TRIADS], part="memory")
    assert [_told(document(*each)) for each in ((streams, kernels), (kernels,), (streams,), (bound,))] == [[]] * 4


def _told(run: Document) -> list[str]:
    """What the page, Markdown and the first screen say of it, each the same."""
    texts = [each.text for each in verdict.of(run).findings if "balance" in each.text]
    for shown in (as_markdown(run), page.html(run).replace("&#39;", "'")):
        assert all(text in shown for text in texts) and ("no machine balance" in shown) == bool(texts)
    return texts
