"""What is taken to a machine with a device: programs and a script for bash, and what they wrote, shown."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from bench import device_check

from devices_here import needs_opencl

CASE = {"device": "cuda:0", "type": "float64", "code": "library", "n": 4096, "on": "GPU", "name": "NVIDIA H200"}


def line(event: str, **more: Any) -> str:
    return json.dumps({"event": event, "case": CASE} | more) + "\n"


def test_what_was_written_is_shown_with_what_the_vendor_states(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = [line("block", metric="time", values=[1 / 50e12, 1 / 60e12]), line("block", metric="error", values=[0.1])]
    (tmp_path / "products-0.lines").write_text("".join(blocks) + line("check", passed=True, detail=""))
    state = {"event": "device", "device": "cuda:0", "limits": ["", "power"], "others": [0, 1]}
    (tmp_path / "products-1.lines").write_text(line("block", metric="time", values=[1 / 40e12]) + json.dumps(state))
    assert device_check.show(tmp_path) == 0
    shown = capsys.readouterr().out
    case = "device-gemm: device=cuda:0 type=float64 code=library n=4096"
    assert f"{case}: 60 Tflop/s, 90% of 67 Tflop/s as stated\n" in shown
    assert "products-1: cuda:0 slowed down in 50% of looks, 1 others" in shown
    (tmp_path / "products-1.lines").write_text(json.dumps(state | {"limits": [None, None], "others": [None, None]}))
    assert device_check.show(tmp_path) == 0
    assert "slowed down in an unknown part of looks, an unknown number of others" in capsys.readouterr().out
    (tmp_path / "products-2.lines").write_text(line("check", passed=False, detail="wrong"))
    assert device_check.show(tmp_path) == 1 and "; 1 checks FAILED" in capsys.readouterr().out
    assert device_check.show(tmp_path / "empty") == 1


@needs_opencl
@pytest.mark.measures
@pytest.mark.nightly
def test_the_script_runs_without_assay_and_ends_in_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXXFLAGS", os.environ.get("CXXFLAGS", ""))  # put back behind the test
    folder = tmp_path / "check"
    assert device_check.main([str(folder), "--prepare", "--device", "opencl"]) == 0
    # pocl links its kernels by the system's linker, so that no PATH of bash alone will do here
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "POCL_CACHE_DIR": str(tmp_path / "pocl")}
    command = [str(shutil.which("bash")), folder / "check.sh", "30"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0 and "no time is left" in done.stdout, done.stderr
    capsys.readouterr()
    assert device_check.show(folder) == 0
    case = r"device-stream: device=opencl:0 kernel=triad width=1 bytes=0: [0-9.]+ [MG]B/s"
    assert re.search(case, capsys.readouterr().out)
