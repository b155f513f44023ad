"""Devices' rates beside what vendors state: found by the driver's name, the best case of each, no CPU among them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from assay.report.judge.bounds import share
from assay.report.judge.device_statements import stated, stated_of
from assay.report.judge.first_figures import shown_first
from assay.report.sections.device_rates import tables
from made_documents import document, figure, headline, section

H200, CPU = {"device": "cuda:0", "name": "NVIDIA H200", "on": "GPU"}, {"device": "opencl:0", "name": "EPYC"}


def rate(value: float, params: dict[str, Any]) -> dict[str, Any]:
    return figure("rate", value, "B/s") | {"params": params}


def test_the_best_case_stands_beside_the_statement() -> None:
    rates = [(3.1e12, "triad", 1), (4.32e12, "triad", 2), (4.0e12, "read", 1)]
    found = [rate(value, {**H200, "kernel": kernel, "width": width}) for value, kernel, width in rates]
    found.append(rate(2e10, {**CPU, "on": "CPU through OpenCL", "kernel": "triad", "width": 1}))
    (table,) = tables(section("device-stream", found, part="devices"))
    assert table.rows == (
        ("cuda:0", "NVIDIA H200", "read", "4 TB/s", "4.8 TB/s", "83%"),
        ("cuda:0", "NVIDIA H200", "triad", "4.32 TB/s", "4.8 TB/s", "90%"),
    )
    assert "NVIDIA H200 Tensor Core GPU datasheet" in table.note


def test_a_cpu_alone_and_other_benchmarks_have_no_table() -> None:
    alone = [rate(2e10, {**CPU, "on": "CPU through OpenCL", "kernel": "triad"})]
    assert tables(section("device-stream", alone, part="devices")) == []
    assert tables(section("stream", [rate(2e10, {**H200, "kernel": "triad"})], part="memory")) == []


@pytest.mark.parametrize(
    ("name", "benchmark", "of", "sought"),
    [
        ("NVIDIA A100-SXM4-80GB", "device-stream", "triad", 2.039e12),
        ("NVIDIA A100-SXM4-40GB", "device-stream", "triad", None),
        ("NVIDIA H100 80GB HBM3", "device-gemm", "float64", 67e12),
        ("NVIDIA H100 80GB HBM3", "device-peak", "float64", 34e12),
        ("AMD Instinct MI250X", "device-peak", "float64", 23.95e12),  # a program sees one of two dies
        ("AMD Instinct MI300X", "device-gemm", "int8", 2614.9e12),
        ("AMD Instinct MI300X", "device-peak", "float16", None),
    ],
)
def test_statements_are_found_by_the_name(name: str, benchmark: str, of: str, sought: float | None) -> None:
    known = stated_of(name)
    assert (known and known.rate(benchmark, of)) == sought


def test_the_page_has_every_statement() -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "devices.md").read_text()
    rows = [row.split("|")[1:-1] for row in page.splitlines() if re.match(r"\| (NVIDIA|AMD) ", row)]
    assert len(rows) >= 4
    for each, row in zip(stated(), rows, strict=True):
        cells = [cell.strip() for cell in row]
        assert cells[0] == each.name and cells[-1] == each.source
        numbers = [each.memory / 1e12, each.vector["float64"] / 1e12, each.vector["float32"] / 1e12]
        numbers += [each.matrix.get(kind, 0) / 1e12 for kind in ("float64", "bfloat16", "float8", "int8")]
        assert [float(cell.replace("–", "0")) for cell in cells[1:-1]] == numbers


def test_a_cpu_through_opencl_is_labelled_and_stands_first_in_no_evaluation() -> None:
    params = {**CPU, "on": "CPU through OpenCL", "kernel": "triad", "width": 1, "bytes": 0}
    devices = section("device-stream", [rate(2e10, params) | {"headline": True}], part="devices")
    other = section("gemm", [figure("rate", 1e9, "flop/s") | {"headline": True}], part="kernels")
    ((alone, _),) = shown_first(document(devices))
    assert "CPU through OpenCL" in alone.title
    assert [of.benchmark for _, of in shown_first(document(devices, other))] == ["gemm"]


@pytest.mark.parametrize(
    ("benchmark", "params", "value", "text"),
    [
        ("device-stream", {"kernel": "triad"}, 4.32e12, "90% of 4.8 TB/s (stated by the vendor)"),
        ("device-gemm", {"type": "float64", "code": "library"}, 60e12, "90% of 67 Tflop/s (stated by the vendor)"),
        ("device-peak", {"type": "float32"}, 80e12, "above 67 Tflop/s (stated by the vendor), which is no bound here"),
        ("device-peak", {"type": "float16"}, 80e12, None),
    ],
)
def test_main_figures_have_what_the_vendor_states_as_their_bound(
    benchmark: str, params: dict[str, Any], value: float, text: str | None
) -> None:
    unit = "B/s" if benchmark == "device-stream" else "flop/s"
    main = headline("of the device", value, unit, bound="device_stated")
    main |= {"benchmark": benchmark, "params": {**H200, **params}, "range": None}
    of = section(benchmark, [rate(value, {**H200, **params})], part="devices", headlines=[main])
    found = share(of.headlines[0], document(of))
    assert (found and found.text) == text
