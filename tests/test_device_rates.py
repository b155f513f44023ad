"""Devices' rates and what vendors state: found by the driver's name, the best case of each, no CPU among them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from assay.report.judge.bounds import share
from assay.report.judge.device_statements import stated, stated_of
from assay.report.judge.first_figures import shown_first
from assay.report.sections.device_rates import SECTION, tables
from made_documents import document, figure, headline, section

H200, CPU = {"device": "cuda:0", "name": "NVIDIA H200", "on": "GPU"}, {"device": "opencl:0", "name": "EPYC"}


def rate(value: float, params: dict[str, Any]) -> dict[str, Any]:
    return figure("rate", value, "B/s") | {"params": params}


def test_the_best_case_is_compared_with_the_statement() -> None:
    rates = [(3.1e12, "triad", 1), (4.32e12, "triad", 2), (4.0e12, "read", 1)]
    found = [rate(value, {**H200, "kernel": kernel, "width": width}) for value, kernel, width in rates]
    found.append(rate(2e10, {**CPU, "on": "CPU through OpenCL", "kernel": "triad", "width": 1}))
    (table,) = tables(section("device-stream", found, part="devices"))
    assert table.rows == (
        ("cuda:0", "NVIDIA H200", "read", "4 TB/s", "4.8 TB/s", "83%"),
        ("cuda:0", "NVIDIA H200", "triad", "4.32 TB/s", "4.8 TB/s", "90%"),
    )
    assert "NVIDIA H200 Tensor Core GPU datasheet" in table.note


def test_arrays_in_a_cache_are_not_compared_with_the_statement_of_the_memory() -> None:
    sizes = [(9e12, 1 << 20), (4.3e12, 0), (4.4e12, 1 << 28)]
    found = [rate(value, {**H200, "kernel": "triad", "width": 1, "bytes": size}) for value, size in sizes]
    for figures, shown in ((found, "4.3 TB/s"), ([found[0], found[2]], "4.4 TB/s")):
        (table,) = tables(section("device-stream", figures, part="devices"))
        assert [row[3] for row in table.rows] == [shown]


def findings(benchmark: str, rates: list[tuple[str, float, dict[str, Any]]], name: str = "NVIDIA H200") -> list[str]:
    figures = [rate(value, {**H200, "name": name, "device": device, **more}) for device, value, more in rates]
    made = document(section(benchmark, figures, part="devices", title="T"), section("stream", [], part="memory"))
    return [each.text for each in SECTION.findings(made)]


TRIAD, COPY = {"kernel": "triad"}, {"kernel": "copy"}
PRODUCT = {"type": "float64", "code": "library", "n": 4096}


@pytest.mark.parametrize(
    ("benchmark", "rates", "text"),
    [
        ("device-stream", [("cuda:0", 2e12, TRIAD), ("cuda:0", 2.3e12, COPY)], "2.3 TB/s (copy, T) are 48%"),
        ("device-stream", [("cuda:0", 2e12, TRIAD), ("cuda:0", 2.5e12, COPY)], None),
        ("device-gemm", [("cuda:0", 20e12, PRODUCT)], "are 30%"),
        ("device-gemm", [("opencl:0", 20e12, PRODUCT)], None),  # without matrix engines: 34 Tflop/s
        ("device-gemm", [("opencl:0", 15e12, PRODUCT)], "are 44%"),
        ("device-gemm", [("cuda:0", 20e12, PRODUCT | {"code": "ours"})], None),
        ("device-gemm", [("cuda:0", 20e12, PRODUCT | {"n": 512})], None),
        ("device-gemm", [("cuda:0", 20e12, PRODUCT | {"type": "int32"})], None),
    ],
)
def test_a_device_below_half_of_its_statement_is_a_finding(
    benchmark: str, rates: list[tuple[str, float, dict[str, Any]]], text: str | None
) -> None:
    found = findings(benchmark, rates)
    assert len(found) == (text is not None)
    assert text is None or (text in found[0] and found[0].startswith(f"{rates[0][0]} (NVIDIA H200): "))


def test_a_device_unlike_others_of_its_name_is_a_finding() -> None:
    eight = [(f"cuda:{at}", 2.5e12 if at == 3 else 4.3e12 + 1e10 * at, TRIAD) for at in range(8)]
    assert findings("device-stream", eight) == [
        "cuda:3 (NVIDIA H200): 2.5 TB/s (triad), where the other 7 NVIDIA H200 reach 4.34 TB/s"
    ]
    assert findings("device-stream", eight[:3]) == [] and findings("device-stream", eight[3:4]) == []
    # through OpenCL the same device may have another library: it is no sibling
    two = [("cuda:0", 50e12, PRODUCT), ("opencl:0", 35e12, PRODUCT)]
    assert findings("device-gemm", two) == []
    other = [("opencl:0", 30e12, PRODUCT), ("opencl:1", 20e12, PRODUCT)]
    assert findings("device-gemm", other, "Some GPU") == [
        "opencl:1 (Some GPU): 20 TB/s (float64), where the other Some GPU reaches 30 TB/s"
    ]


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
        ("NVIDIA H200", "device-stream", "triad", 4.8e12),
        ("NVIDIA GH200 480GB", "device-stream", "triad", None),
        ("NVIDIA H200 NVL", "device-stream", "triad", None),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "device-stream", "triad", None),
        ("AMD Instinct MI300X VF", "device-stream", "triad", 5.3e12),
        ("AMD Instinct MI300XHF", "device-stream", "triad", None),
    ],
)
def test_statements_are_found_by_the_name(name: str, benchmark: str, of: str, sought: float | None) -> None:
    known = stated_of(name)
    assert (known and known.rate(benchmark, of, "cuda:0")) == sought


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


def test_devices_have_two_lines_of_a_whole_evaluation() -> None:
    def of(name: str, part: str, order: int) -> Any:
        main = headline(f"of {name}", 1.0, "B/s") | {"benchmark": name, "order": order, "range": None}
        return section(name, [rate(1.0, {**H200})], part=part, headlines=[main])

    names = ("device-copy", "device-gemm", "device-latency", "device-peak", "device-stream")
    devices = [of(name, "devices", 5 - at) for at, name in enumerate(names)]
    others = [of(f"{part}-{at}", part, at) for part in ("processor", "files") for at in (1, 2)]
    shown = [each.benchmark for _, each in shown_first(document(*others, *devices))]
    assert [name for name in shown if name in names] == ["device-stream", "device-peak"]
    assert [name for name in shown if name not in names] == [each.benchmark for each in others]  # with room for more
    assert len(shown_first(document(*devices))) == 5  # alone all of them


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


@pytest.mark.parametrize(
    ("direction", "value", "text"),
    [
        ("in", 25.2e9, "80% of 31.5 GB/s (the device's PCIe link)"),
        ("both", 50.4e9, "80% of 63 GB/s (the device's PCIe link)"),
        ("in", 60e9, "above 31.5 GB/s (the device's PCIe link), which is no bound here"),
    ],
)
def test_transfers_have_their_link_as_a_bound(direction: str, value: float, text: str) -> None:
    """The link of the same device, at its best: between transfers it may be slower."""
    params = {**H200, "direction": direction}
    main = headline("transfers", value, "B/s", bound="device_link")
    main |= {"benchmark": "device-copy", "params": params, "range": None}
    links = [
        figure("link", rate, "B/s") | {"params": {**H200, "device": device, "direction": direction, "bytes": size}}
        for device, size, rate in (("cuda:0", 4096, 7.88e9), ("cuda:0", 1 << 24, 31.5e9), ("cuda:1", 1 << 24, 63e9))
    ]
    of = section("device-copy", [rate(value, params), *links], part="devices", headlines=[main])
    found = share(of.headlines[0], document(of))
    assert found is not None and found.text == text
    bare = section("device-copy", [rate(value, params)], part="devices", headlines=[main])
    assert share(bare.headlines[0], document(bare)) is None
