"""Devices whose clock is limited, or that others use, through shims of NVML and of the kernel's files of amdgpu."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.machine.accelerators import Accelerator, Accelerators, add_driver_devices
from compiled import compile_to
from devices_here import needs_opencl, of, real_opencl, shim, start

pytestmark = pytest.mark.measures
AMD = "0000:c1:00.0"


def sysfs(root: Path, reasons: int = 0, revision: int = 3, clock: int = 1_200_000_000) -> Path:
    """What amdgpu would show below `root`: 1.2 of 1.7 GHz, 500 W, and why the clock is limited."""
    device = root / "sys/bus/pci/devices" / AMD
    (device / "hwmon/hwmon3").mkdir(parents=True, exist_ok=True)
    (device / "hwmon/hwmon3/freq1_input").write_text(f"{clock}\n")
    (device / "hwmon/hwmon3/power1_average").write_text("500000000\n")
    (device / "pp_dpm_sclk").write_text("0: 500Mhz\n1: 1200Mhz *\n2: 1700Mhz\n")
    (device / "numa_node").write_text("1\n")
    table = struct.pack("<HBB", 120, 1, revision).ljust(112, b"\0") + struct.pack("<Q", reasons)
    (device / "gpu_metrics").write_bytes(table)
    return root


STATE = r"""
#include <cstdio>
#include "devices/amdgpu.hpp"
int main(int, char** words) {
  const auto state = assay::devices::amdgpu_state(words[1]);
  if (!state) return std::puts("nothing"), 0;
  std::printf("%.0f %.0f", state->clock, state->most);
  state->power ? std::printf(" %g", *state->power) : std::printf(" ?");
  state->others ? std::printf(" %d", *state->others) : std::printf(" ?");
  std::printf(" %s\n", state->limits ? state->limits->c_str() : "?");
}
"""
FIRST_NAMESPACE = "pid:[4026531836]"


def kfd(root: Path, queues: dict[int, list[int]], namespace: str = FIRST_NAMESPACE) -> None:
    """The kernel's compute driver with two devices, 111 at AMD and 222, and the queues of processes on them."""
    for node, (number, bus) in enumerate(((0, 0), (111, 0xC1), (222, 0xC5))):
        folder = root / f"sys/class/kfd/kfd/topology/nodes/{node}"
        folder.mkdir(parents=True)
        (folder / "gpu_id").write_text(f"{number}\n")
        (folder / "properties").write_text(f"cpu_cores_count {8 * (number == 0)}\nlocation_id {bus << 8}\ndomain 0\n")
    (root / "sys/class/kfd/kfd/proc").mkdir()
    for process, devices in queues.items():
        for at, number in enumerate(devices):
            folder = root / f"sys/class/kfd/kfd/proc/{process}/queues/{at}"
            folder.mkdir(parents=True)
            (folder / "gpuid").write_text(f"{number}\n")
    (root / "proc/self/ns").mkdir(parents=True)
    (root / "proc/self/ns/pid").symlink_to(namespace)


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("state")
    (folder / "state.cpp").write_text(STATE)
    return compile_to(folder / "state", folder / "state.cpp", base="-O1")


@pytest.mark.parametrize(
    ("reasons", "revision", "limits"),
    [
        (0, 3, ""),
        (1 << 0, 3, "power"),  # PPT0
        (1 << 22, 3, "power"),  # EDC_GFX
        (1 << 36, 3, "temperature"),  # hotspot
        (1 << 47, 3, "hardware"),  # PROCHOT
        (1 << 3 | 1 << 34 | 1 << 45, 3, "power,temperature,hardware"),
        (2**64 - 1, 3, "?"),  # a driver that does not fill it in
        (1, 4, "?"),  # a table of another form
    ],
)
def test_files_of_amdgpu_say_clock_power_and_limits(
    reasons: int, revision: int, limits: str, state: Path, tmp_path: Path
) -> None:
    root = sysfs(tmp_path, reasons, revision)
    environment = os.environ | {"ASSAY_DEVICE_SYSTEM": f"{root}/"}
    said = subprocess.run([state, AMD], env=environment, capture_output=True, text=True, check=True).stdout
    assert said == f"1200000000 1700000000 500 ? {limits}\n"
    other = subprocess.run([state, "0000:c2:00.0"], env=environment, capture_output=True, text=True, check=True)
    assert other.stdout == "nothing\n"


@pytest.mark.parametrize(
    ("queues", "namespace", "others"),
    [
        ({}, FIRST_NAMESPACE, "0"),
        ({77: [111], 78: [222], 79: [222, 111]}, FIRST_NAMESPACE, "2"),
        ({77: [111, 111]}, "pid:[4026532000]", "?"),  # a container: it may be this process by another number
    ],
)
def test_processes_with_a_queue_on_the_device_are_counted(
    queues: dict[int, list[int]], namespace: str, others: str, state: Path, tmp_path: Path
) -> None:
    root = sysfs(tmp_path)
    kfd(root, queues, namespace)
    (root / "sys/bus/pci/devices" / AMD / "hwmon/hwmon3/power1_average").unlink()
    (root / "sys/bus/pci/devices" / AMD / "gpu_metrics").unlink()
    environment = os.environ | {"ASSAY_DEVICE_SYSTEM": f"{root}/"}
    said = subprocess.run([state, AMD], env=environment, capture_output=True, text=True, check=True).stdout
    assert said == f"1200000000 1700000000 ? {others} ?\n"


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = shim(tmp_path_factory.mktemp("driver"), "cuda_shim", "libcuda.so.1", "libnvrtc.so.13")
    return shim(folder, "nvml_shim", "libnvidia-ml.so.1")


def surroundings(driver: Path, folder: Path, nvml: str) -> dict[str, str]:
    (folder / "proc/self/ns").mkdir(parents=True, exist_ok=True)
    if not (folder / "proc/self/ns/pid").is_symlink():
        (folder / "proc/self/ns/pid").symlink_to(FIRST_NAMESPACE)
    return {
        **{"LD_LIBRARY_PATH": str(driver), "ASSAY_SHIM_CALLS": str(folder / "calls"), "ASSAY_SHIM_NVML": nvml},
        **{"ASSAY_DEVICE_SYSTEM": f"{folder}/"},
    }


@pytest.mark.parametrize(
    ("nvml", "clock", "limits", "others"),
    [
        ("fine", 1.8e9, {""}, {0}),
        ("limited", 1.2e9, {"power,temperature"}, {0}),
        ("shared", 1.8e9, {""}, {2}),
        ("hidden", 1.8e9, {""}, {1}),  # the list has not this process: nothing is taken off
        ("bare", 1.8e9, {None}, {None}),
    ],
)
def test_a_launch_has_the_state_of_its_device(
    nvml: str, clock: float, limits: set[str | None], others: set[int | None], driver: Path, tmp_path: Path
) -> None:
    settings = ("device=cuda:0", "mode=waited")
    status, lines, said = start("launch", settings, tmp_path, environment=surroundings(driver, tmp_path, nvml))
    assert status == 0, said
    (line,) = of(lines, "device")
    assert (line["device"], line["name"], line["most"]) == ("cuda:0", "Shim 0", 1.8e9)
    assert set(line["clock"]) == {clock} and set(line["limits"]) == limits and set(line["others"]) == others
    blocks = of(lines, "block")
    assert line["time"] == sorted(line["time"]) and line["time"][0] <= blocks[0]["t0"]
    assert len({len(line[key]) for key in ("time", "clock", "power", "others", "limits")}) == 1
    assert set(line["power"]) == {{"limited": 700, "bare": None}.get(nvml, 300)}


def test_a_device_without_a_known_clock_has_no_line(driver: Path, tmp_path: Path) -> None:
    environment = surroundings(driver, tmp_path, "silent")
    status, lines, _ = start("launch", ("device=cuda:0", "mode=waited"), tmp_path, environment=environment)
    assert status == 0 and not of(lines, "device")


def run(folder: Path, words: list[str], environment: dict[str, str], launches: int = 2) -> dict[str, Any]:
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "assay",
            "run",
            *words,
            "--launches",
            str(launches),
            "--json",
            "--out",
            folder / "run",
        ],
        capture_output=True,
        text=True,
        env=os.environ | {"POCL_CACHE_DIR": str(folder / "pocl")} | environment,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_figures_of_a_limited_device_are_disturbed_and_the_report_says_by_what(driver: Path, tmp_path: Path) -> None:
    words = ["device-launch", "--device", "cuda:0", "--set", "mode=waited"]
    document = run(tmp_path, words, surroundings(driver, tmp_path, "limited"))
    figures = [each for each in document["figures"] if each["name"] == "latency" and each["statistic"] != "first"]
    assert figures and all(each["state"] in ("disturbed", "bound") for each in figures)
    assert all("throttled" in each["reasons"] for each in figures)
    report = subprocess.run(
        [sys.executable, "-P", "-m", "assay", "report", tmp_path / "run", "--json"], capture_output=True, text=True
    )
    whole = json.loads(report.stdout)
    (cause,) = [each for each in whole["causes"] if each["cause"] == "throttled"]
    assert "its power limit and its temperature, its clock by up to 33%" in cause["text"]
    assert "nvidia-smi" in cause["advice"] and cause["amount"] == pytest.approx(0.5)
    (series,) = whole["benchmarks"][0]["derived"]["device_states"]
    assert series["limits"] == {"power": 1.0, "temperature": 1.0}


@needs_opencl
@pytest.mark.parametrize("fault", ["gpu", "gpu-amd"])
def test_doctor_lists_a_device_through_opencl_at_its_address_by_the_name_of_its_board(
    fault: str, tmp_path: Path
) -> None:
    folder = shim(tmp_path, "opencl_shim", "libOpenCL.so.1")
    environment = {"LD_LIBRARY_PATH": str(folder), "ASSAY_SHIM_REAL": str(real_opencl()), "ASSAY_SHIM": fault}
    command = [sys.executable, "-P", "-m", "assay.machine.device_list", "opencl"]
    said = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True).stdout
    listed = json.loads(said)["devices"]
    assert [(each["api"], each["kind"]) for each in listed] == [("opencl:0", "GPU")]
    pci = Accelerators(devices=(Accelerator(vendor="AMD", kind="display", address=AMD, usable=True),))
    (device,) = add_driver_devices(pci, {"devices": listed}).devices
    assert (device.api, device.name, device.is_measured) == ("opencl:0", "AMD Instinct MI250X", True)


@needs_opencl
def test_a_device_through_opencl_is_watched_by_its_pci_address(tmp_path: Path) -> None:
    """A GPU by the shim's word: it is on the first screen, with the files of amdgpu for its state."""
    folder = shim(tmp_path, "opencl_shim", "libOpenCL.so.1")
    environment = {
        "LD_LIBRARY_PATH": str(folder),
        "ASSAY_SHIM_REAL": str(real_opencl()),
        "ASSAY_SHIM": "gpu",
        "ASSAY_DEVICE_SYSTEM": f"{sysfs(tmp_path / 'root', 1)}/",
    }
    words = ["device-stream", "--device", "opencl:0", "--set", "kernel=triad", "--set", "width=1", "--set", "bytes=0"]
    document = run(tmp_path, words, environment)
    rates = [each for each in document["figures"] if each["name"] == "rate" and each["statistic"] != "first"]
    assert rates and {each["params"]["on"] for each in rates} == {"GPU"}
    assert all("throttled" in each["reasons"] and each["state"] in ("disturbed", "bound") for each in rates)
    clocks = [each["value"] for each in document["figures"] if each["name"] == "clock" and each["value"]]
    assert clocks and set(clocks) == {1.2e9}
    page = subprocess.run(
        [sys.executable, "-P", "-m", "assay", "report", tmp_path / "run", "--json"], capture_output=True, text=True
    )
    whole = json.loads(page.stdout)
    reached = whole["summary"]["lines"]
    assert [line["title"] for line in reached] == ["memory bandwidth of the device (triad)"]
    assert any("nearest to NUMA node 1 of its host" in note for note in whole["benchmarks"][0]["notes"])
    assert {each["params"]["name"] for each in rates} == {"AMD Instinct MI250X"}
    (below,) = [each["text"] for each in whole["summary"]["findings"] if "of what its vendor states" in each["text"]]
    assert below.startswith("opencl:0 (AMD Instinct MI250X): ")  # a processor that the shim calls so
