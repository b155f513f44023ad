"""What cannot be measured is decided before anything is: left out and said, or, where it was named, one error."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.execute import process_tree
from command_line import assay
from small_programs import script
from test_launchers import gone, marked


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


@pytest.fixture
def few_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluates one node program and one of ranks: all would take minutes."""
    from assay.execute import plan

    everything = plan.benchmarks()
    few = {name: everything[name] for name in ("clock", "echo")}
    monkeypatch.setattr(plan, "benchmarks", lambda: few)


@pytest.fixture(params=["no MPI", "an mpicxx that fails"])
def broken_mpi(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Words of the reason that must be given."""
    if request.param == "no MPI":
        monkeypatch.setattr("assay.execute.preflight_tools.find_mpi", lambda: None)
        return "no MPI found"
    fails = 'case "$*" in *--version*) echo "g++ 12"; exit 0;; esac; echo "no such luck" >&2; exit 3'
    monkeypatch.setenv("MPICXX", str(script(tmp_path / "bin", "mpicxx", fails)))
    monkeypatch.setenv("MPIEXEC", str(script(tmp_path / "bin", "mpiexec", "echo 'mpiexec (OpenRTE) 4.1.4'")))
    return "no such luck"


def test_a_part_that_is_absent_is_left_out_and_said(few_benchmarks: None, broken_mpi: str, tmp_path: Path) -> None:
    answer = assay("evaluate", "--launches", "1", "--out", str(tmp_path / "run"), "--json")
    assert answer.status == 0, answer.err
    assert [section["benchmark"] for section in answer.document["benchmarks"]] == ["clock"]
    (left_out,) = answer.document["left_out"]
    assert left_out["benchmark"] == "echo" and broken_mpi in left_out["reason"]
    assert "skipped: message-passing benchmarks (echo)" in answer.err
    assert broken_mpi in (tmp_path / "run" / "report.html").read_text()
    assert broken_mpi in assay("report", str(tmp_path / "run")).out.replace("\n", " ")


def test_a_part_that_was_named_is_an_error_before_anything_is_measured(broken_mpi: str, tmp_path: Path) -> None:
    answer = assay("evaluate", "--only", "processor,messages", "--out", str(tmp_path / "run"))
    assert answer.status == 1 and answer.out == ""
    lines = answer.err.strip().splitlines()
    assert len(lines) == 1 and "cannot be measured" in lines[0] and broken_mpi in lines[0]
    assert not (tmp_path / "run").exists()


_ASKS = """
import sys
from assay.execute import process_tree
process_tree.ask(["sh", "-c", "echo begun >$0; sleep 1000", sys.argv[1]], timeout=2000)
"""


def test_kill_9_while_a_command_is_asked_leaves_nothing_in_tmpdir(tmp_path: Path) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", _ASKS, str(tmp_path / "begun")],
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(scratch), "ASSAY_TEST_MARK": str(tmp_path)},
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while not (tmp_path / "begun").exists() and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (tmp_path / "begun").exists() and gone(marked(f"ASSAY_TEST_MARK={tmp_path}"), 10)
    assert list(scratch.iterdir()) == []


def test_a_command_that_is_asked_answers_from_both_streams() -> None:
    ended, said = process_tree.ask(["sh", "-c", "echo one; echo two >&2; exit 3"], timeout=20)
    assert ended.statuses == (3,) and sorted(said.split()) == ["one", "two"]
    assert process_tree.ask(["true"], timeout=20)[1] == ""
