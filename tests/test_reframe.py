"""The shipped ReFrame test runs Assay under the real ReFrame, which reads its figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import assay

ROOT = Path(__file__).parents[1]
INSTALLED = ROOT / "build" / "reframe"  # by `./x test --nightly`


@pytest.mark.nightly
@pytest.mark.skipif(not (INSTALLED / ".stamp").exists(), reason="no ReFrame: ./x test --nightly installs it")
def test_reframe_runs_the_shipped_test_and_reads_its_figures(tmp_path: Path) -> None:
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "assay").write_text(f'#!/bin/sh\nexec {sys.executable} -P -m assay "$@"\n')
    (bin_ / "assay").chmod(0o755)
    env = os.environ | {"PATH": f"{bin_}:{os.environ['PATH']}", "ASSAY_RUNS": str(tmp_path / "state")}
    env |= {"PYTHONPATH": str(INSTALLED)}
    reframe = [sys.executable, "-P", str(INSTALLED / "bin" / "reframe")]
    command = [*reframe, "-c", str(ROOT / "examples" / "reframe" / "assay_checks.py"), "-t", "described", "-r"]
    command += ["--prefix", str(tmp_path / "reframe"), "--report-file", str(tmp_path / "report.json")]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    (case,) = [case for session in report["runs"] for case in session["testcases"]]
    assert case["result"] == "pass"
    read = {name.rpartition(":")[2]: values for name, values in case["perfvalues"].items()}
    printed = assay("run", "echo", "--on", "ipsc860", "-n", "2", "--set", "bytes=8,1024", "--json").document
    wanted = [(each["value"], each["unit"]) for each in printed["headlines"]]
    assert [(values[0], values[4]) for values in read.values()] == [(pytest.approx(v), unit) for v, unit in wanted]
