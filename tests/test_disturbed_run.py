"""A hog on a core, from the start or from the middle of a run: the run is not called clean (method.md, rule 14)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from command_line import assay

pytestmark = pytest.mark.measures


@contextmanager
def hog(processors: int) -> Iterator[None]:
    """Keep hardware threads busy by other processes than the benchmark's."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processors)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


def test_a_hog_from_the_start_is_named(tmp_path: Path) -> None:
    with hog(1):
        answer = assay("run", "sieve", "--launches", "2", "--out", str(tmp_path / "run"), "--json")
    assert answer.status in (0, 1)
    assert answer.document["state"] != "clean"
    assert any("hardware threads" in text for text in answer.document["warnings"])


@pytest.mark.parametrize("benchmark", ["numa", "bus-files"])
def test_a_hog_beside_what_shares_memory_is_named(tmp_path: Path, benchmark: str) -> None:
    words = {"numa": ["--set", "size=8388608"], "bus-files": ["--set", "size=4194304", "--set", "direction=read"]}
    with hog(len(os.sched_getaffinity(0))):
        answer = assay("run", benchmark, *words[benchmark], "--launches", "2", "--out", str(tmp_path / "run"), "--json")
    assert answer.status in (0, 1), answer.err
    assert answer.document["state"] != "clean" or not answer.document["figures"]  # bus-files needs two processors


def test_a_hog_from_the_middle_is_named(tmp_path: Path) -> None:
    processors = len(os.sched_getaffinity(0))
    assert assay("run", "sieve", "--launches", "1", "--out", str(tmp_path / "warm")).status in (0, 1)  # compiled
    folder = tmp_path / "run"
    stop = threading.Event()

    def later() -> None:
        while not stop.wait(0.02):
            if len(list((folder / "launches").glob("*.jsonl"))) >= 3:
                with hog(processors):
                    stop.wait()

    watcher = threading.Thread(target=later)
    watcher.start()
    try:
        answer = assay("run", "sieve", "--launches", "6", "--out", str(folder), "--json")
    finally:
        stop.set()
        watcher.join()
    assert answer.document["state"] != "clean" and answer.document["warnings"]


def test_a_busy_process_makes_a_barrier_s_time_unclean(tmp_path: Path) -> None:
    """One busy process beside as many threads as processors: the barrier waits for whoever was switched out."""
    processors = len(os.sched_getaffinity(0))
    words = ["--set", f"threads={min(2, processors)}", "--set", "kind=standard,central", "--launches", "2"]
    with hog(processors - 1 or 1):
        answer = assay("run", "thread-barrier", *words, "--out", str(tmp_path / "run"), "--json")
    assert answer.document["state"] != "clean"
    assert any("waited for a processor" in text for text in answer.document["warnings"])
    assert all(figure["state"] != "clean" or figure["value"] is None for figure in answer.document["figures"])


def test_time_on_a_processor_and_time_waited_for_one_are_all_of_a_thread_s_time(tmp_path: Path) -> None:
    """A thread that never sleeps, with a busy process on its only processor: it has half of it, and waits for half."""
    processor = min(os.sched_getaffinity(0))
    busy = subprocess.Popen(["taskset", "-c", str(processor), sys.executable, "-c", "while True: pass"])
    words = ("run", "sieve", "--launches", "2", "--out", str(tmp_path / "run"), "-q")
    try:
        done = subprocess.run(
            ["taskset", "-c", str(processor), sys.executable, "-m", "assay", *words], check=False, timeout=200
        )
    finally:
        busy.kill()
        busy.wait()
    assert done.returncode in (0, 1)
    blocks = pq.read_table(tmp_path / "run" / "blocks.parquet").to_pylist()
    wall, own, waited, steal = (sum(block[key] for block in blocks) for key in ("wall", "own", "waited", "steal"))
    assert own + waited == pytest.approx(wall, abs=0.03 * wall + steal)
    assert 0.3 < waited / wall < 0.7
