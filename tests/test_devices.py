"""Benchmarks of devices through OpenCL: on the CPU (pocl) their figures mean nothing, their checks and refusals do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.errors import InputError
from assay.execute import plan
from assay.machine.accelerators import Accelerator, Accelerators
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
    assert metrics == set(record.metrics) - {"clock", "power"}  # the vendor's accounting, of which a CPU has none
    assert {json.dumps(line["case"]) for line in checks} == {json.dumps(line["case"]) for line in blocks}


@needs_opencl
@pytest.mark.parametrize("name", SMALL)
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
        more = {"ASSAY_SHIM": fault, **({"ASSAY_DEVICE_WITHIN": "2"} if fault == "hangs" else {})}
        status, lines, said = start(name, ("device=opencl", *settings), tmp_path, environment=environment | more)
        assert status == 1, fault
        complaint = [line for line in said.splitlines() if message in line]
        assert len(complaint) == 1, (fault, said)
        failed = [each["passed"] for each in of(lines, "check")].count(False)
        assert failed == (1 if fault in ("wrong", "removed", "shortened") else 0), fault


@needs_opencl
def test_a_timer_that_runs_otherwise_is_doubted(tmp_path: Path) -> None:
    folder = shim(tmp_path, "opencl_shim", "libOpenCL.so.1")
    environment = {"LD_LIBRARY_PATH": str(folder), "ASSAY_SHIM_REAL": str(real_opencl()), "ASSAY_SHIM": "clock"}
    settings = ("device=opencl", "kernel=triad", "width=1", "bytes=4194304")
    status, lines, _ = start("stream", settings, tmp_path, environment=environment)
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
    skips = [each["text"] for each in of(lines, "skip") if "more than half of its memory" in each["text"]]
    assert status == 0 and not of(lines, "block") and any("opencl" in text for text in skips), of(lines, "skip")


@pytest.mark.parametrize(("kind", "usable"), [("3d", True), ("3d", False), (ON_CPU, True)])
def test_an_evaluation_has_this_part_where_a_device_may_be_used(
    kind: str, usable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Accelerators(devices=(Accelerator(vendor="NVIDIA", kind=kind, usable=usable),))
    monkeypatch.setattr(plan, "accelerators", lambda: shown)
    quick = {record.name for record in plan.select_benchmarks(None, first_look=True, profile="quick")}
    full = {record.name for record in plan.select_benchmarks(None, profile="full")}
    asked = {record.name for record in plan.select_benchmarks("devices", profile="quick")}
    there = usable and kind != ON_CPU
    assert ("device-stream" in quick, "device-latency" in full) == (there, there) and "device-latency" in asked


def test_a_device_has_a_number_and_nothing_else_behind_its_kind() -> None:
    record = benchmark("device-stream")
    assert record.settings({"device": "opencl:3,cuda"})["device"] == ("opencl:3", "cuda")
    for wrong in ("opencl:", "opencl:x", "opencl:-1", "vulkan", "opencl:0:1"):
        with pytest.raises(InputError, match="is none of its choices"):
            record.settings({"device": wrong})


@needs_opencl
def test_the_command_gives_the_rate_of_each_device(tmp_path: Path) -> None:
    words = ["run", "device-stream", "--device", "opencl", "--set", "kernel=triad", "--set", "bytes=1MiB"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "assay", *words, "--launches", "1", "--out", tmp_path / "run", "--json"],
        capture_output=True,
        text=True,
        env=os.environ | {"POCL_CACHE_DIR": str(tmp_path / "pocl")},
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    rates = [each for each in document["figures"] if each["name"] == "rate"]
    assert {"best", "first"} <= {each["statistic"] for each in rates}  # on a busy machine there may be no median
    for rate in rates:
        assert rate["unit"] == "B/s"
        assert rate["params"] | {"device": "opencl:0", "bytes": 1 << 20, "kernel": "triad"} == rate["params"]
    assert any(rate["value"] and rate["value"] > 0 for rate in rates)
    refused = subprocess.run(
        [sys.executable, "-P", "-m", "assay", "run", "sieve", "--device", "opencl"], capture_output=True, text=True
    )
    assert refused.returncode == 2 and "sieve measures no device" in refused.stderr
