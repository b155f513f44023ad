"""A stream beside a file: shares and sum agree, what the file system refuses is said, one processor leaves it out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import programs_root
from compiled import kept
from file_faults import faulty
from started import words

PROGRAMS = programs_root()
BOTH = len(os.sched_getaffinity(0)) >= 2
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@pytest.fixture(scope="module")
def program() -> Path:
    return kept("memory/bus_files")


def run(program: Path, *given: str, scratch: Path | str | None = None, **env: str) -> list[dict[str, Any]]:
    small = ["--set", "size=1048576", "--set", "bytes=65536", "--slice", "0.006", "--blocks", "2", *given]
    environment = os.environ | ({"ASSAY_SCRATCH": str(scratch)} if scratch else {}) | env
    done = subprocess.run(
        [program, *words("bus-files", *small)], capture_output=True, text=True, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def notes(lines: list[dict[str, Any]]) -> str:
    return "; ".join(line["text"] for line in lines if line["event"] == "note")


@pytest.mark.skipif(not BOTH, reason="needs two processors")
def test_what_each_keeps_and_the_sum_follow_from_the_rates(program: Path, tmp_path: Path) -> None:
    lines = run(program, "--set", "kernel=copy", scratch=tmp_path)
    assert not list(tmp_path.iterdir())  # the file has no name, and nothing is left of it
    of: dict[tuple[str, int], dict[tuple[str, str | None], float]] = {}
    for line in lines:
        if line["event"] == "block":
            key = (line["case"]["direction"], line["block"])
            of.setdefault(key, {})[line["metric"], line["case"].get("load")] = line["values"][0]
    assert {direction for direction, _ in of} == {"write", "read"}
    for values in of.values():
        assert values["sum", "both"] == pytest.approx(values["stream", "both"] + values["file", "both"])
        for side in ("stream", "file"):
            assert values[side, "alone"] > 0 and values[side, "both"] > 0
            assert values[f"{side}_kept", None] == pytest.approx(values[side, "both"] / values[side, "alone"])
    assert all(line["passed"] for line in lines if line["event"] == "check")


@pytest.mark.skipif(not BOTH, reason="needs two processors")
def test_the_file_s_rate_says_where_its_bytes_came_from(program: Path, tmp_path: Path) -> None:
    def found(*given: str, scratch: Path | str, **env: str) -> dict[str, set[str]]:
        rates: dict[str, set[str]] = {"write": set(), "read": set()}
        for line in run(program, *given, scratch=scratch, **env):
            if line["event"] == "block" and line["metric"] == "file":
                rates[line["case"]["direction"]].add(line["case"]["source"])
        return rates

    if Path("/dev/shm").is_dir():
        assert found(scratch="/dev/shm") == {"write": {"cache"}, "read": {"cache"}}
    disk = found(scratch=tmp_path)
    assert all(len(each) >= 1 for each in disk.values()) and (disk["write"] | disk["read"]) <= {"device", "unknown"}
    # parts of pages go through the page cache, which holds the file where it cannot be emptied
    assert found("--set", "bytes=5000", "--set", "direction=read", scratch=tmp_path, **faulty("warm"))["read"] <= {
        "unknown"
    }
    if "device" in disk["write"]:
        assert found("--set", "direction=write", scratch=tmp_path, **faulty("nosync"))["write"] <= {"unknown"}


@pytest.mark.skipif(not BOTH, reason="needs two processors")
def test_where_the_device_is_not_reached_it_is_said(program: Path) -> None:
    assert "multiples of 4096" in notes(run(program, "--set", "bytes=5000"))
    if Path("/dev/shm").is_dir():
        assert "a file system in memory" in notes(run(program, scratch="/dev/shm"))
    assert "the file lies in" in notes(run(program, scratch="/nowhere/at/all"))


def test_on_one_processor_it_is_left_out_and_said_and_no_failure(tmp_path: Path) -> None:
    alone = str(min(os.sched_getaffinity(0)))
    command = ["taskset", "-c", alone, sys.executable, "-m", "assay", "run", "bus-files", "--launches", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=240)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["figures"] == [] and (document["state"], document["valid"]) == ("invalid", False)
    (left_out,) = document["left_out"]
    assert left_out["benchmark"] == "bus-files" and "it needs two hardware threads" in left_out["reason"]
