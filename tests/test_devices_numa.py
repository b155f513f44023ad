"""Transfers by NUMA node of the host's memory, before a kernel that has two nodes: a tree of sysfs and a shim."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.errors import InputError
from devices_here import NATIVE, of, shim, start
from remarked import texts
from test_numa import tree

pytestmark = pytest.mark.measures


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shim(tmp_path_factory.mktemp("driver"), "cuda_shim", "libcuda.so.1", "libnvrtc.so.13")


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kernel") / "numa_shim.so"
    flags = ["-std=c++20", "-Wall", "-Wextra", "-shared", "-fPIC", "-O1"]
    subprocess.run(["g++", *flags, NATIVE / "numa_shim.cpp", "-o", made, "-ldl"], check=True)
    return made


def transfers(
    driver: Path, kernel: Path, folder: Path, fault: str = "", numa: str = "any,node", nodes: int = 2
) -> tuple[int, list[dict[str, object]], str, list[str]]:
    root = folder / "root"
    numbers = range(nodes)
    tree(root, f"0-{nodes - 1}", {n: str(n) for n in numbers}, dict.fromkeys(numbers, 9), f"0-{nodes - 1}")
    environment = {
        **{"LD_LIBRARY_PATH": str(driver), "LD_PRELOAD": str(kernel), "ASSAY_SHIM_CALLS": str(folder / "calls")},
        **{"ASSAY_SHIM_NUMA": fault, "ASSAY_DEVICE_SYSTEM": f"{root}/"},
    }
    settings = ("device=cuda:0", "direction=in,both", "memory=pinned,pageable", f"numa={numa}", "bytes=300000")
    status, lines, said = start("copy", settings, folder, environment=environment)
    return status, lines, said, (folder / "calls").read_text().splitlines()


def test_memory_is_bound_to_each_node_and_asked_where_it_is(driver: Path, kernel: Path, tmp_path: Path) -> None:
    status, lines, said, calls = transfers(driver, kernel, tmp_path)
    assert status == 0, said
    checks = of(lines, "check")
    assert {each["case"]["numa"] for each in checks} == {"any", "node:0", "node:1"}  # type: ignore[index]
    for each in checks:
        numa, detail = str(each["case"]["numa"]), str(each["detail"])  # type: ignore[index]
        assert each["passed"] and ("64 of 64 pages on node " + numa[-1] in detail) == (numa != "any")
    # the memory that was bound is what is page-locked, and not the driver's own
    bound = [call for call in calls if call.startswith("cuMemHostRegister ")]
    assert len(bound) == calls.count("cuMemHostUnregister") == 2 * 3  # of each node: in, and two for both
    assert len([call for call in calls if call.startswith("cuMemHostAlloc ")]) == 3  # of numa=any


@pytest.mark.parametrize(
    ("speed", "width", "rate"),
    [
        ("5.0 GT/s PCIe", "8", 4e9),
        ("16.0 GT/s PCIe", "16", 31.508e9),
        ("32.0 GT/s PCIe", "16", 63.015e9),
        ("64.0 GT/s PCIe", "16", 121e9),
        ("Unknown", "63", None),
    ],
)
def test_the_link_of_the_device_is_read_after_each_block(
    speed: str, width: str, rate: float | None, driver: Path, kernel: Path, tmp_path: Path
) -> None:
    """The shim's device is at 0000:c1:00.0; rates as PCI-SIG's tables have them."""
    device = tmp_path / "root/sys/bus/pci/devices/0000:c1:00.0"
    device.mkdir(parents=True)
    (device / "current_link_speed").write_text(f"{speed}\n")
    (device / "current_link_width").write_text(f"{width}\n")
    status, lines, said, _ = transfers(driver, kernel, tmp_path, numa="any")
    assert status == 0, said
    found = [value for line in of(lines, "block") if line["metric"] == "link" for value in line["values"]]  # type: ignore[attr-defined]
    times = [line for line in of(lines, "block") if line["metric"] == "time"]
    assert found == pytest.approx([rate] * len(times) if rate else [], rel=1e-3) and times


def test_memory_on_another_node_than_asked_for_fails_the_check(driver: Path, kernel: Path, tmp_path: Path) -> None:
    status, lines, said, _ = transfers(driver, kernel, tmp_path, "elsewhere", "node:1")
    assert status == 1 and "0 of 64 pages on node 1" in said
    assert not any(each["passed"] for each in of(lines, "check"))


@pytest.mark.parametrize(("nodes", "status"), [(2, 1), (1, 0)])
def test_a_kernel_that_does_not_say_where_memory_is_fails_the_check_where_there_are_several_nodes(
    nodes: int, status: int, driver: Path, kernel: Path, tmp_path: Path
) -> None:
    ended, lines, _, _ = transfers(driver, kernel, tmp_path, "silent", "node:0", nodes)
    checks = of(lines, "check")
    assert ended == status and checks and all(each["passed"] == (status == 0) for each in checks)
    assert all("it is not known which pages are on node 0" in str(each["detail"]) for each in checks)


def test_a_kernel_that_binds_no_memory_is_named(driver: Path, kernel: Path, tmp_path: Path) -> None:
    status, lines, _, _ = transfers(driver, kernel, tmp_path, "refuses")
    assert status == 0 and {each["case"]["numa"] for each in of(lines, "check")} == {"any"}  # type: ignore[index]
    assert "left out: the kernel refuses to bind memory to a NUMA node" in texts(lines)


def test_a_node_that_is_not_here_is_left_out(driver: Path, kernel: Path, tmp_path: Path) -> None:
    status, lines, _, _ = transfers(driver, kernel, tmp_path, numa="node:7")
    assert status == 0 and not of(lines, "block")
    assert any("there is no NUMA node with memory" in text for text in texts(lines))


def test_on_one_node_the_plan_has_it_once(driver: Path, kernel: Path, tmp_path: Path) -> None:
    _, lines, _, _ = transfers(driver, kernel, tmp_path, nodes=1)
    assert {each["case"]["numa"] for each in of(lines, "check")} == {"any", "node:0"}  # type: ignore[index]


def test_the_record_takes_nodes_by_number_and_quick_has_none() -> None:
    record = benchmark("device-copy")
    assert record.settings({"numa": "node:3,any"})["numa"] == ("node:3", "any")
    assert record.parameters["numa"].profiles["quick"] == ("any",)
    with pytest.raises(InputError, match="is none of its choices"):
        record.settings({"numa": "socket:0"})


def test_here_memory_is_on_the_node_that_it_was_bound_to(driver: Path, tmp_path: Path) -> None:
    environment = {"LD_LIBRARY_PATH": str(driver), "ASSAY_SHIM_CALLS": str(tmp_path / "calls")}
    settings = ("device=cuda:0", "direction=in", "memory=pageable", "numa=node", "bytes=300000")
    status, lines, said = start("copy", settings, tmp_path, environment=environment)
    assert status == 0, said
    nodes = [each["case"]["numa"] for each in of(lines, "check")]
    listed = [folder.name for folder in Path("/sys/devices/system/node").glob("node[0-9]*")]
    assert len(nodes) == max(1, len(listed))  # a node without memory would make it one less; none here has none
