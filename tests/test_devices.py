"""Benchmarks of devices through OpenCL: on the CPU (pocl) their figures mean nothing, their checks and refusals do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from ctypes.util import find_library
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.errors import InputError
from assay.execute import plan
from assay.machine.accelerators import Accelerator, Accelerators, add_driver_devices, query_drivers
from assay.machine.device_list import DriverAnswer, DriverDevice
from by_night import by_night
from devices_here import SMALL, needs_opencl, of, real_opencl, shim, start
from remarked import texts

pytestmark = pytest.mark.measures
ON_CPU = "CPU through OpenCL"


@needs_opencl
@pytest.mark.parametrize("name", SMALL)
def test_checks_pass_and_cases_say_the_device(name: str, tmp_path: Path) -> None:
    status, lines, said = start(name, ("device=opencl", *SMALL[name]), tmp_path)
    assert status == 0, said
    checks, blocks = of(lines, "check"), of(lines, "block")
    assert checks and all(each["passed"] for each in checks)
    record = benchmark(f"device-{name}")
    for line in (*checks, *blocks):
        assert set(line["case"]) == {*record.parameters, "on", "name"}
        assert line["case"]["on"] == ON_CPU and line["case"]["device"].startswith("opencl:")
    metrics = {line["metric"] for line in blocks}
    assert metrics == set(record.metrics) - {"clock", "power", "link"}  # of which a CPU has none
    builds = [value for line in blocks if line["metric"] == "build" for value in line["values"]]
    assert name == "copy" or all(value > 0 for value in builds)
    assert {json.dumps(line["case"]) for line in checks} == {json.dumps(line["case"]) for line in blocks}


@needs_opencl
@pytest.mark.nightly  # CLBlast compiles its kernels for 26 s of processor time
@pytest.mark.skipif(find_library("clblast") is None, reason="no CLBlast: apt-get install libclblast1")
def test_products_by_clblast_pass_their_checks(tmp_path: Path) -> None:
    settings = ("device=opencl", "code=library", "type=float64,float32", "n=64,192")
    status, lines, said = start("gemm", settings, tmp_path)
    assert status == 0, said
    checks = of(lines, "check")
    cases = {(each["case"]["type"], each["case"]["n"]) for each in checks}
    assert cases == {(kind, n) for kind in ("float64", "float32") for n in (64, 192)}
    assert all(each["passed"] for each in checks) and len(checks) == 8  # two of each
    first = [value for line in of(lines, "block") if line["metric"] == "build" for value in line["values"]]
    assert len(first) == 4 and all(value > 0 for value in first)


@needs_opencl
@pytest.mark.parametrize("name", by_night(SMALL, ["stream", "gemm"]))
def test_a_planted_defect_fails_its_check(name: str, tmp_path: Path) -> None:
    status, lines, said = start(name, ("device=opencl", *SMALL[name]), tmp_path, "-O0", "-DASSAY_BREAK=1")
    assert status == 1 and "check failed" in said
    assert not all(each["passed"] for each in of(lines, "check"))


FAULTS = {
    "wrong": ("stream", ("kernel=triad", "width=1", "bytes=1048576"), "wrong"),
    "removed": ("stream", ("kernel=triad", "width=1", "bytes=1048576"), "131072 wrong"),
    "shortened": ("peak", ("type=float32", "width=2"), "four times the multiply-adds take"),
    "memory": ("stream", ("kernel=copy", "width=1", "bytes=1048576"), "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)"),
    "build": ("launch", ("mode=waited",), "kernel count does not compile: CL_BUILD_PROGRAM_FAILURE (-11): "),
    "gone": ("launch", ("mode=waited",), "waiting for what was queued: CL_DEVICE_NOT_AVAILABLE (-2)"),
    "hangs": ("launch", ("mode=waited",), "waiting for what was queued: timed out after 2 s"),
    "hangs-copy": ("launch", ("mode=waited",), "waiting for what was queued: timed out after 2 s"),
    "hangs-map": ("copy", ("memory=pinned", "direction=in", "bytes=4096"), "page-locked memory: timed out after 2 s"),
}


@needs_opencl
def test_each_fault_of_a_driver_is_one_clear_line(tmp_path: Path) -> None:
    folder = shim(tmp_path, "opencl_shim", "libOpenCL.so.1")
    environment = {
        "LD_LIBRARY_PATH": str(folder),
        "ASSAY_SHIM_REAL": str(real_opencl()),
        "ASSAY_DEVICE_WITHIN": "20",
    }
    status, lines, said = start("launch", ("device=opencl", "mode=waited"), tmp_path, environment=environment)
    assert status == 0 and all(each["passed"] for each in of(lines, "check")), said  # the shim alone changes nothing
    for fault, (name, settings, message) in FAULTS.items():
        more = {"ASSAY_SHIM": fault, **({"ASSAY_DEVICE_WITHIN": "2"} if fault.startswith("hangs") else {})}
        status, lines, said = start(name, ("device=opencl", *settings), tmp_path, environment=environment | more)
        assert status == 1, fault
        complaint = [line for line in said.splitlines() if message in line]
        assert len(complaint) == 1, (fault, said)
        failed = [each["passed"] for each in of(lines, "check")].count(False)
        assert failed == (1 if fault in ("wrong", "removed", "shortened") else 0), fault


@needs_opencl
@pytest.mark.parametrize("factor", by_night(["3", "0.3", "0.8"], ["0.8"]))
@pytest.mark.parametrize(
    ("name", "settings"), [("stream", ("kernel=triad", "width=1", "bytes=4194304")), ("launch", ("mode=queued",))]
)
def test_a_timer_that_runs_otherwise_is_doubted(
    name: str, settings: tuple[str, ...], factor: str, tmp_path: Path
) -> None:
    folder = shim(tmp_path, "opencl_shim", "libOpenCL.so.1")
    environment = {
        **{"LD_LIBRARY_PATH": str(folder), "ASSAY_SHIM_REAL": str(real_opencl())},
        "ASSAY_SHIM": f"clock:{factor}",
    }
    status, lines, _ = start(name, ("device=opencl", *settings), tmp_path, environment=environment)
    (doubt,) = [text for text in texts(lines) if "timer" in text]
    assert status == 0 and doubt.startswith("doubted: opencl:") and "rates rest on the host's clock" in doubt


def test_no_device_is_said_with_what_to_install(tmp_path: Path) -> None:
    environment = {"OCL_ICD_VENDORS": str(tmp_path)}  # a folder without drivers
    status, lines, _ = start("launch", ("device=opencl,cuda",), tmp_path, environment=environment)
    skips = " ".join(each["text"] for each in of(lines, "skip"))
    assert status == 0 and not of(lines, "block")
    assert "pocl-opencl-icd" in skips


@needs_opencl
def test_too_much_memory_is_refused_before_anything_is_allocated(tmp_path: Path) -> None:
    status, lines, _ = start("stream", ("device=opencl", "bytes=1000000000000"), tmp_path)
    skips = [each["text"] for each in of(lines, "skip") if "no room for three arrays of" in each["text"]]
    assert status == 0 and not of(lines, "block") and any("opencl" in text for text in skips), of(lines, "skip")


def test_what_other_cases_have_of_the_memory_is_counted(tmp_path: Path) -> None:
    """Sizes that fit alone, but not together: those beyond half of the memory are left out, and the others measured."""
    folder = shim(tmp_path, "cuda_shim", "libcuda.so.1", "libnvrtc.so.13")
    environment = {
        **{"LD_LIBRARY_PATH": str(folder), "ASSAY_SHIM_CALLS": str(tmp_path / "calls")},
        "ASSAY_SHIM_MEMORY": str(4 << 20),  # half: 2 MiB, and the chain's 4 bytes of state
    }
    sizes = ("bytes=1048576,786432,524288,131072",)
    status, lines, said = start("latency", ("device=cuda:0", *sizes), tmp_path, environment=environment)
    assert status == 0, said
    assert {each["case"]["bytes"] for each in of(lines, "check")} == {1048576, 786432, 131072}
    (skip,) = of(lines, "skip")
    assert "no room for a working set of 524288 bytes: half of its 4194304 bytes may be in use" in skip["text"]


GPU: DriverDevice = {
    **{"api": "cuda:0", "name": "H200", "kind": "GPU", "memory": 1 << 37, "units": 132, "driver": "CUDA 12.4"},
    "address": "00000000:01:00.0",
}


@pytest.mark.parametrize(
    ("kind", "usable", "driver"),
    [("3d", True, True), ("3d", True, False), ("3d", False, False), (ON_CPU, True, False)],
)
def test_an_evaluation_has_this_part_where_a_device_may_be_used(
    kind: str, usable: bool, driver: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Accelerators(devices=(Accelerator(vendor="NVIDIA", kind=kind, usable=usable, address="0000:01:00.0"),))
    answer: DriverAnswer = {"devices": [GPU]} if driver else {"missing": {"cuda": "libcuda.so.1: not there"}}
    monkeypatch.setattr(plan, "accelerators", lambda: shown)
    monkeypatch.setattr(plan, "query_drivers", lambda: answer)
    quick = {record.name for record in plan.select_benchmarks(None, first_look=True, profile="quick")}
    full = {record.name for record in plan.select_benchmarks(None, profile="full")}
    asked = {record.name for record in plan.select_benchmarks("devices", profile="quick")}
    there = usable and kind != ON_CPU and driver
    assert ("device-stream" in quick, "device-latency" in full) == (there, there) and "device-latency" in asked


def test_a_slow_driver_is_named_and_the_other_way_has_its_devices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA's driver answers after half a minute, as it does where it first wakes many devices."""
    folder = shim(tmp_path, "cuda_shim", "libcuda.so.1")
    for key, value in {"LD_LIBRARY_PATH": str(folder), "ASSAY_SHIM": "slow", "ASSAY_SHIM_CALLS": "/dev/null"}.items():
        monkeypatch.setenv(key, value)
    answer = query_drivers.__wrapped__(3.0)
    assert answer["silent"] == ["cuda"] and answer["missing"]["cuda"] == "no answer within 3 s"
    assert answer["devices"] or "opencl" in answer["missing"]
    notes = add_driver_devices(Accelerators(devices=()), answer).notes
    assert list(notes) == ["cuda: the driver gave no answer within 3 s: its devices are missing here"]
    monkeypatch.setenv("ASSAY_SHIM", "")
    assert [each["name"] for each in query_drivers.__wrapped__(30.0)["devices"]][-2:] == ["Shim 0", "Shim 1"]


def test_a_device_has_a_number_and_nothing_else_behind_its_kind() -> None:
    record = benchmark("device-stream")
    assert record.settings({"device": "opencl:3,cuda"})["device"] == ("opencl:3", "cuda")
    for wrong in ("opencl:", "opencl:x", "opencl:-1", "vulkan", "opencl:0:1"):
        with pytest.raises(InputError, match="is none of its choices"):
            record.settings({"device": wrong})


CONTRACT: dict[str, tuple[tuple[str, ...], str, str, dict[str, Any]]] = {
    "stream": (("kernel=triad", "bytes=1MiB"), "rate", "B/s", {"bytes": 1 << 20, "kernel": "triad"}),
    "peak": (("type=float32", "width=2"), "rate", "flop/s", {"type": "float32", "width": 2}),
    "gemm": (("code=ours", "type=float32", "n=64"), "rate", "flop/s", {"code": "ours", "type": "float32", "n": 64}),
    "copy": (
        ("direction=in", "memory=pinned", "numa=any", "bytes=64KiB"),
        "rate",
        "B/s",
        {"direction": "in", "memory": "pinned", "bytes": 1 << 16},
    ),
    "latency": (("bytes=16KiB",), "latency", "s", {"bytes": 1 << 14}),
    "launch": (("mode=waited",), "latency", "s", {"mode": "waited"}),
}


@needs_opencl
@pytest.mark.parametrize("name", by_night(CONTRACT, ["stream", "launch"]))
def test_the_command_gives_the_figure_of_each_device(name: str, tmp_path: Path) -> None:
    settings, figure, unit, params = CONTRACT[name]
    words = ["run", f"device-{name}", "--device", "opencl", *(f"--set={each}" for each in settings)]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "assay", *words, "--launches", "1", "--out", tmp_path / "run", "--json"],
        capture_output=True,
        text=True,
        env=os.environ | {"POCL_CACHE_DIR": str(tmp_path / "pocl")},
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    found = [each for each in document["figures"] if each["name"] == figure]
    assert {each["unit"] for each in found} == {unit}
    for each in found:
        assert each["params"] | {"device": "opencl:0", "on": ON_CPU, **params} == each["params"]
    assert any(each["value"] and each["value"] > 0 for each in found)


def test_device_is_refused_where_none_is_measured() -> None:
    refused = subprocess.run(
        [sys.executable, "-P", "-m", "assay", "run", "sieve", "--device", "opencl"], capture_output=True, text=True
    )
    assert refused.returncode == 2 and "sieve measures no device" in refused.stderr
