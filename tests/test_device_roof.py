"""The roof of devices: slopes and ceilings by what was measured, products below them, and a roof that is too low."""

from __future__ import annotations

from typing import Any

import pytest

from assay.document.run_document import Document
from assay.report.sections.device_roof import SECTION, plots, roofs, tables
from made_documents import document, figure, section

H200 = {"device": "cuda:0", "name": "NVIDIA H200", "on": "GPU"}


def rate(benchmark: str, value: float, unit: str, **params: Any) -> list[dict[str, Any]]:
    about = {"benchmark": benchmark, "params": {**H200, **params}}
    return [figure("rate", value, unit) | about, figure("rate", value, unit, "best") | about]


def made(*products: tuple[str, str, int, float]) -> Document:
    stream = []
    for size, value in ((1 << 20, 9e12), (1 << 22, 8e12), (1 << 28, 4.2e12)):
        for kernel, less in (("triad", 1.0), ("copy", 0.9)):
            stream += rate("device-stream", less * value, "B/s", kernel=kernel, width=1, bytes=size)
    stream += rate("device-stream", 4.4e12, "B/s", kernel="triad", width=1, bytes=0)
    stream.append(
        figure("size", float(1 << 30), "B")
        | {"benchmark": "device-stream", "params": {**H200, "kernel": "triad", "width": 1, "bytes": 0}}
    )
    peak = [*rate("device-peak", 33e12, "flop/s", type="float64", width=2)]
    peak += rate("device-peak", 60e12, "flop/s", type="float32", width=2)
    gemm = [each for code, kind, n, value in products
            for each in rate("device-gemm", value, "flop/s", code=code, type=kind, n=n)]  # fmt: skip
    parts = [("device-stream", stream), ("device-peak", peak), ("device-gemm", gemm)]
    return document(*(section(name, found, part="devices") for name, found in parts))


def test_slopes_are_of_memory_and_of_a_cache_that_is_faster() -> None:
    (roof,) = roofs(made())
    assert roof.slopes == {"memory": 4.4e12, "arrays of 1 MiB": 9e12}
    assert roof.peaks == {"float64": 33e12, "float32": 60e12}


@pytest.mark.parametrize(
    ("code", "kind", "n", "value", "roof", "by"),
    [
        ("ours", "float64", 4096, 8e12, 33e12, "peak"),
        # 2 n / (3 x 8) flop/B: 5.33 for 64 rows, of matrices that are in the cache
        ("ours", "float64", 64, 8e12, 64 / 12 * 9e12, "peak"),
        ("library", "float64", 4096, 31e12, 33e12, "peak"),
        ("library", "float64", 4096, 60e12, 67e12, "stated"),
        ("library", "bfloat16", 4096, 600e12, 989.5e12, "stated"),
        ("library", "float8", 8192, 1200e12, 1979e12, "stated"),
        ("library", "int8", 4096, 1e12, 1979e12, "stated"),
    ],
)
def test_a_product_has_the_lower_of_both_as_its_roof(
    code: str, kind: str, n: int, value: float, roof: float, by: str
) -> None:
    (found,) = roofs(made((code, kind, n, value)))
    (point,) = found.points
    expected = min(roof, 33e12) if by == "peak" else roof
    assert (point.roof, point.by, point.above) == (pytest.approx(expected), by, False)
    (table,) = tables(made((code, kind, n, value)))
    assert table.rows[0][-1] == f"{100 * value / expected:.0f}%" or value / expected < 0.1


def test_little_intensity_is_bounded_by_memory() -> None:
    tall = made(("ours", "float64", 64, 1e12))
    slow = [each for each in tall.benchmarks if each.benchmark != "device-stream"]
    stream = section("device-stream", rate("device-stream", 1e12, "B/s", kernel="copy", width=1, bytes=1 << 26))
    (found,) = roofs(document(*slow, section("device-stream", [*map(_json, stream.figures)], part="devices")))
    assert (found.points[0].roof, found.points[0].by) == (pytest.approx(64 / 12 * 1e12), "memory")


def _json(of: Any) -> dict[str, Any]:
    from assay.document.json_form import to_json

    return dict(to_json(of))


def test_our_own_kernel_above_its_roof_is_a_finding() -> None:
    (above,) = SECTION.findings(made(("ours", "float64", 4096, 40e12)))
    assert "product, ours, float64, n = 4096: 40 Tflop/s is above its roof of 33 Tflop/s (peak)" in above.text
    assert not list(SECTION.findings(made(("ours", "float64", 4096, 33.5e12))))
    (table,) = tables(made(("ours", "float64", 4096, 40e12)))
    assert table.rows[0][-1] == "above its roof"


@pytest.mark.parametrize(
    ("product", "words"),
    [
        (("ours", "float64", 4096, 40e12), "measure device-peak and device-stream again"),
        (("library", "bfloat16", 4096, 1200e12), "what the vendor states is of another device, or wrong here"),
    ],
)
def test_what_was_passed_is_what_is_to_be_looked_at(product: tuple[str, str, int, float], words: str) -> None:
    (above,) = SECTION.findings(made(product))
    assert words in above.advice and ("stated" in above.text) == (product[0] == "library")


def test_a_cpu_is_named_as_one_in_the_table_of_products() -> None:
    of_cpu = [
        rate(name, value, unit, **about, on="CPU through OpenCL", name="EPYC")
        for name, value, unit, about in (
            ("device-stream", 1e10, "B/s", {"kernel": "triad", "width": 1, "bytes": 1 << 26}),
            ("device-gemm", 1e10, "flop/s", {"code": "ours", "type": "float64", "n": 256}),
        )
    ]
    parts = zip(("device-stream", "device-gemm"), of_cpu, strict=True)
    (table,) = tables(document(*(section(name, found, part="devices") for name, found in parts)))
    assert [row[0] for row in table.rows] == ["cuda:0, CPU through OpenCL"]


def test_the_picture_has_slopes_ceilings_and_products() -> None:
    (plot,) = plots(
        made(("ours", "float64", 256, 8e12), ("ours", "float64", 4096, 9e12), ("library", "tf32", 4096, 3e14))
    )
    names = [trace["name"] for trace in plot["data"]]
    assert names == [
        "memory: 4.4 TB/s",
        "arrays of 1 MiB: 9 TB/s",
        "float32 peak: 60 Tflop/s",
        "float64 peak: 33 Tflop/s",
        "tf32 as stated: 494 Tflop/s",
        "product, library, tf32",
        "product, ours, float64",
    ]
    assert plot["layout"]["title"]["text"] == "roof of cuda:0 (NVIDIA H200, GPU)"
    assert [len(trace["x"]) for trace in plot["data"][-2:]] == [1, 2]


def test_without_bandwidth_or_anything_below_it_there_is_no_roof() -> None:
    whole = made(("ours", "float64", 256, 8e12))
    by_name = {each.benchmark: each for each in whole.benchmarks}
    assert roofs(document(by_name["device-gemm"], by_name["device-peak"])) == []
    assert roofs(document(by_name["device-stream"])) == [] and roofs(document()) == []
