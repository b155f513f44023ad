"""Metadata of files: the tree is what it must be after each operation, faults are one line, and nothing is left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.execute.build import build
from command_line import assay
from file_faults import faulty
from memory_mounts import mounted_in_memory
from started import words

OPERATIONS = {"create", "sync", "stat", "open", "readdir", "rename", "unlink"}
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@pytest.fixture(scope="module")
def program() -> Path:
    """As a run compiles it, so that it is compiled once."""
    return build([benchmark("metadata")], mpi=None)["metadata"].path


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a person's file in it, which holds that and nothing else afterwards."""
    place = tmp_path / "given"
    place.mkdir()
    (place / "thesis").write_text("mine")
    yield place
    assert [each.name for each in place.iterdir()] == ["thesis"]
    assert (place / "thesis").read_text() == "mine"


def command(program: Path, folder: Path, *given: str) -> list[str | Path]:
    settings = [word for each in (*given, f"folder={folder}") for word in ("--set", each)]
    return [program, *words("metadata", "--blocks", "2", *settings)]


def run(
    program: Path, folder: Path, *given: str, status: int = 0, **env: str
) -> tuple[list[dict[str, Any]], list[str]]:
    done = subprocess.run(
        command(program, folder, *given), capture_output=True, text=True, timeout=120, env=os.environ | env
    )
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.splitlines()


def blocks(lines: list[dict[str, Any]], metric: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["event"] == "block" and line["metric"] == metric]


def test_every_operation_is_timed_and_the_tree_is_right(program: Path, folder: Path) -> None:
    lines, _ = run(program, folder, "processes=1,3", "files=50", "whose=own,neighbour")
    checks = [line for line in lines if line["event"] == "check"]
    assert len(checks) == 6 and all(line["passed"] for line in checks)  # of one process there is no neighbour
    assert all("2 cycles over 50 files" in line["detail"] for line in checks)
    assert {line["case"]["operation"] for line in blocks(lines, "time")} == OPERATIONS
    assert any("left out: a neighbour's files: there is one process" in line.get("text", "") for line in lines)


def test_a_cycle_is_the_sum_of_its_operations(program: Path, folder: Path) -> None:
    """Over the operations counted by hand: 3 processes, 40 files each, and listings of all that a folder holds."""
    lines, _ = run(program, folder, "processes=3", "files=40")
    for cycle in blocks(lines, "cycle"):
        sharing = cycle["case"]["sharing"]
        times = {
            line["case"]["operation"]: line["values"][0]
            for line in blocks(lines, "time")
            if line["block"] == cycle["block"] and line["case"]["sharing"] == sharing
        }
        counts = dict.fromkeys(OPERATIONS, 120) | {"sync": 3, "readdir": 3 * (120 if sharing == "one" else 40)}
        assert sum(counts[name] * times[name] for name in times) == pytest.approx(cycle["values"][0], rel=1e-9)


def test_percentiles_rise_and_are_given_where_operations_suffice(program: Path, folder: Path) -> None:
    """An interval of the median takes 6 values, of p95 73, of p99 368 (method.md, rule 6)."""
    lines, _ = run(program, folder, "processes=1,4", "files=92", "sharing=own")
    found: dict[tuple[int, int, str], dict[str, float]] = {}
    for line in blocks(lines, "latency"):
        case = line["case"]
        values = found.setdefault((line["block"], case["processes"], case["operation"]), {})
        values[case["percentile"]] = line["values"][0]
    assert {name for _, _, name in found} == OPERATIONS - {"sync", "readdir"}
    for (_, processes, _), values in found.items():
        assert list(values) == (["p50", "p95", "p99"] if processes == 4 else ["p50", "p95"])
        assert list(values.values()) == sorted(values.values())
        assert min(values.values()) > 0


def test_a_file_that_is_left_fails_the_check(program: Path, folder: Path) -> None:
    lines, complaint = run(program, folder, "files=20", "processes=2", status=1, **faulty("kept"))
    checks = [line for line in lines if line["event"] == "check"]
    assert len(checks) == 2 and not any(line["passed"] for line in checks)
    assert all("4 entries wrong" in line["detail"] for line in checks)  # one of each process, in each of two cycles
    assert any("check failed" in line for line in complaint)


@pytest.mark.parametrize(
    ("call", "error", "words_of"),
    [
        ("rename", 5, "rename: Input/output error"),
        ("unlink", 30, "unlink: Read-only file system"),
        ("fsync", 122, "fsync of a folder: Disk quota exceeded"),
    ],
)
def test_an_operation_that_fails_is_one_line(program: Path, folder: Path, call: str, error: int, words_of: str) -> None:
    _, complaint = run(program, folder, "files=30", "processes=2", status=1, **faulty(call, ERROR=error))
    assert complaint == [f"metadata: {words_of}"]


@pytest.mark.paced
def test_a_folder_whose_removal_hangs_costs_a_line_and_not_the_run(program: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    lines, complaint = run(program, tmp_path, "files=20", "processes=1", **faulty("stuck", ASSAY_FILES_PATIENCE=2))
    assert 1.5 < time.monotonic() - began < 60
    assert blocks(lines, "create") or any(line["event"] == "block" for line in lines)
    (line,) = complaint
    assert "cannot be removed: the storage has not answered for 2 s; it goes when Assay starts next" in line
    (own,) = tmp_path.iterdir()
    assert str(own) in line and [each.name for each in own.iterdir()] == [".assay-own"]


def test_a_process_that_is_killed_is_one_line_and_leaves_nothing(program: Path, folder: Path) -> None:
    process = subprocess.Popen(
        command(program, folder, "files=200000", "processes=2", "sharing=own"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        end = time.monotonic() + 60
        while len(found := children.read_text().split()) < 2 and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(int(found[1]), signal.SIGKILL)
        _, complaint = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 1
    assert complaint.splitlines() == ["metadata: a process that took part has ended before its time"]


def test_more_files_than_a_quarter_of_what_the_file_system_takes_are_left_out(program: Path, tmp_path: Path) -> None:
    with mounted_in_memory(tmp_path / "small", "nr_inodes=200") as small:
        lines, _ = run(program, small, "files=40,60", "processes=1", "sharing=own")
        assert {line["case"]["files"] for line in blocks(lines, "cycle")} == {40}
        assert any(
            "more files than a quarter of those that the file system still takes (" in str(line) for line in lines
        )
        assert list(small.iterdir()) == []


def test_operations_per_second_and_percentiles_reach_the_answer(folder: Path, tmp_path: Path) -> None:
    answer = assay(
        *("run", "metadata", "--set", f"folder={folder}", "--set", "processes=1", "--set", "files=100"),
        *("--out", str(tmp_path / "run"), "--json"),
    )
    assert answer.status in (0, 1), answer.err  # 1: a busy machine may disturb a measurement beyond use
    figures = answer.document["figures"]
    assert {f["params"]["operation"] for f in figures if f["name"] == "rate"} == OPERATIONS
    percentiles = {f["params"]["percentile"] for f in figures if f["name"] == "latency"}
    assert percentiles == {"p50", "p95"}
    assert all("folder" not in f["params"] for f in figures)
