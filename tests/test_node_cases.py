"""A node that is less than it seems: it says what it left out or doubts, and gives no clean wrong number."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import started
from assay.benchmark.record import programs_root, read_record
from by_night import by_night
from cgroup_quota import processor_share
from compiled import kept
from remarked import texts

PROGRAMS = programs_root()
BOTH = len(os.sched_getaffinity(0)) >= 2
ALONE = str(min(os.sched_getaffinity(0)))

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def notes(lines: list[dict[str, Any]]) -> list[str]:
    return texts(lines)


def told(*command: str) -> dict[str, Any]:
    """The document of a whole command in a process of its own."""
    done = subprocess.run([*command], capture_output=True, text=True, timeout=280)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


def test_on_one_processor_there_is_no_speedup_and_it_is_said(tmp_path: Path) -> None:
    words = ["run", "integration", "--launches", "1", "--set", "intervals=20000", "--out", "run", "--json"]
    found = told("taskset", "-c", ALONE, sys.executable, "-m", "assay", *words)
    assert {figure["params"]["threads"] for figure in found["figures"]} == {1}
    assert found["fits"] == []
    assert any(
        "left out: whatever takes two threads: this process may use one hardware thread" in n for n in found["notes"]
    )


@pytest.mark.skipif(not BOTH, reason="needs two processors")
def test_two_threads_pushed_onto_one_core_are_no_clean_measurement(tmp_path: Path) -> None:
    program = kept("memory/stream")
    words = ["--set", "kernel=copy", "--set", "threads=2", "--set", "size=1MiB", "--slice", "0.7", "--blocks", "2"]
    running = subprocess.Popen([program, *started.words("stream", *words)], stdout=subprocess.PIPE, text=True)
    tasks = Path(f"/proc/{running.pid}/task")
    for _ in range(200):
        time.sleep(0.02)
        if len(list(tasks.glob("*"))) == 2:
            break
    time.sleep(0.3)
    for task in tasks.glob("*"):
        os.sched_setaffinity(int(task.name), {int(ALONE)})
    out, _ = running.communicate(timeout=100)
    assert any("doubted: a thread was moved off its hardware thread" in text for text in notes(events(out)))


OPENMP = [("threads/lock", "kind"), ("threads/barrier", "kind"), ("kernels/integration", "by")]


@pytest.mark.parametrize(("name", "parameter"), by_night(OPENMP, OPENMP[-1:]))
def test_without_openmp_the_rest_is_measured_and_it_is_said(name: str, parameter: str) -> None:
    record = read_record(programs_root() / f"{name}.cpp")
    assert record is not None
    program = kept(name, own=False)  # without the record's -fopenmp
    few = started.words(record.name, "--set", "threads=1", "--slice", "0.0005", "--blocks", "1")
    done = subprocess.run([program, *few], capture_output=True, text=True)
    lines = events(done.stdout)
    assert done.returncode == 0, done.stderr
    measured = {line["case"][parameter] for line in lines if line["event"] == "block"}
    assert measured and "openmp" not in measured
    assert any(text.startswith("left out: OpenMP") for text in notes(lines))


def test_arrays_that_a_limit_forbids_are_left_out_and_said(tmp_path: Path) -> None:
    program = kept("memory/stream")
    words = [
        "--set",
        "kernel=copy",
        "--set",
        "threads=1",
        "--set",
        "size=64MiB,1GiB",
        "--blocks",
        "1",
        "--slice",
        "0.01",
    ]
    done = subprocess.run(
        ["prlimit", "--as=800000000", program, *started.words("stream", *words)], capture_output=True, text=True
    )
    lines = events(done.stdout)
    assert {line["case"]["size"] for line in lines if line["event"] == "block"} == {64 << 20}
    assert any("would not fit the limit of address space" in text for text in notes(lines))


@pytest.fixture
def quota() -> Iterator[list[str]]:
    """A command's beginning that puts it into a cgroup with three tenths of a processor."""
    with processor_share(0.3) as words:
        yield words


def skip_unless_throttled(quota: list[str]) -> None:
    """Skip where the kernel hardly stopped the group: other work left it less time than its quota gives."""
    folder = Path(quota[2].split(" > ")[1].split("/cgroup.procs")[0])
    counts = dict(line.split() for line in (folder / "cpu.stat").read_text().splitlines())
    if int(counts["nr_throttled"]) < 10:  # a second's worth
        pytest.skip(f"the machine is too busy for a quota: the kernel stopped the group {counts['nr_throttled']} times")


def test_a_quota_of_processors_time_is_named_and_the_run_is_not_clean(tmp_path: Path, quota: list[str]) -> None:
    program = kept("kernels/integration")
    words = ["--set", "intervals=20000", "--set", "by=threads", "--slice", "0.6", "--blocks", "1"]
    done = subprocess.run(
        [*quota, program, *started.words("integration", *words)], capture_output=True, text=True, timeout=100
    )
    lines = events(done.stdout)
    assert {line["case"]["threads"] for line in lines if line["event"] == "block"} == {1}
    if not any("doubted: a cgroup's quota of CPU time" in text for text in notes(lines)):
        skip_unless_throttled(quota)
        pytest.fail("the kernel stopped the group, and no note says so")
    if BOTH:
        assert any("whose time /sys/fs/cgroup" in text for text in notes(lines))
