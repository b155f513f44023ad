"""`assay throughput --via sge` on a live Grid Engine cell of one host: the mix runs, and what goes wrong is named."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import grid_engine_cell
from grid_engine_cell import GridEngineCell
from throughput_folder import end_all_jobs, events, four_jobs, log_lines, throughput

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.paced,
    pytest.mark.skipif(grid_engine_cell.missing() is not None, reason=grid_engine_cell.missing() or ""),
]
TABLE = four_jobs(18, 60)


@pytest.fixture(scope="module")
def cell() -> Iterator[GridEngineCell]:
    with GridEngineCell() as up:
        yield up


@pytest.fixture
def mix(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "jobs.toml").write_text(TABLE)
    yield tmp_path
    end_all_jobs(tmp_path / "out")


def begun(folder: Path, cell: GridEngineCell, schedule: str, *more: str) -> Any:
    (folder / "mix").write_text(schedule)
    words = (str(folder / "mix"), "--jobs", str(folder / "jobs.toml"), "--via", "sge", "--out", str(folder / "out"))
    return throughput(*words, "--json", *more, environment=cell.environment)


def submitted(out: Path, count: int) -> list[str]:
    """The ids of the jobs once so many are submitted."""
    while True:
        lines = log_lines(out) if (out / "log.jsonl").exists() else []
        ids = [line["batch_id"] for line in lines if line["event"] == "submitted"]
        if len(ids) >= count:
            return ids
        time.sleep(0.05)


def test_wrong_answers_deleted_and_killed_jobs_are_named_and_a_killed_submitter_resumes(
    mix: Path, cell: GridEngineCell
) -> None:
    """Grid Engine keeps no account of a job that was deleted while it waited: named as one that it does not know."""
    schedule, out = "0: 1 * long\n0: 1 * wrong\n0: 1 * whole\n1: 2 * short\n", mix / "out"
    process = begun(mix, cell, schedule)
    ids = submitted(out, 3)
    while not events(out, "0001-long.1"):
        time.sleep(0.05)
    process.kill()
    process.communicate()
    path = out / "log.jsonl"
    kept = [line for line in log_lines(out) if not (line["event"] == "submitted" and line["job"] == "0003-whole.1")]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept))
    process = begun(mix, cell, schedule, "--only-resume")
    while not any(line["event"] == "found" for line in log_lines(out)):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    cell.ask("qdel", ids[2])
    os.kill(json.loads((out / "jobs/0001-long.1/record.jsonl").read_text().splitlines()[0])["pid"], signal.SIGKILL)
    text, err = process.communicate(timeout=200)
    found = json.loads(text) if text else pytest.fail(err)
    states = {job["name"]: job["state"] for job in found["jobs"]}
    assert states.pop("whole.1") in ("dropped", "lost", "deleted")
    assert states == {"long.1": "killed", "wrong.1": "completed", "short.1": "completed", "short.2": "completed"}
    assert {each["kind"] for each in found["findings"]} >= {"killed", "wrong answer"} and found["completed"] == 2
    assert [line["job"] for line in log_lines(out) if line["event"] == "found"] == ["0003-whole.1"]
    assert found["processors"] == 18 and found["system_version"] == "8.1.9" and found["policy"] == "firstfit"
    queue = {each["name"]: each["facts"] for each in found["queues"]}["all.q"]
    assert queue["slots"] == "18" and queue["pe_list"] == "assay"
    assert all(job["nodes"] for job in found["jobs"] if job["state"] == "completed")


def test_ctrl_c_leaves_nothing_in_the_queue(mix: Path, cell: GridEngineCell) -> None:
    process = begun(mix, cell, "0: 3 * whole\n")
    submitted(mix / "out", 3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130 and "3 jobs " in err
    end = time.monotonic() + 20
    while cell.ask("qstat") and time.monotonic() < end:
        time.sleep(0.2)
    assert cell.ask("qstat") == ""


@pytest.mark.parametrize("compress", [500, 100])
def test_the_papers_schedule_runs(mix: Path, cell: GridEngineCell, compress: int) -> None:
    """33 jobs of van der Steen 2000, compressed, on 18 slots: none lost."""
    words = ("eurobench2000", "--jobs", "eurobench2000-ibm", "--via", "sge", "--slots", "18", "--compress")
    process = throughput(*words, str(compress), "--out", str(mix / "out"), "--json", environment=cell.environment)
    text, err = process.communicate(timeout=500)
    found = json.loads(text) if text else pytest.fail(err)
    assert found["completed"] == 33 and found["findings"] == [] and process.returncode == 0
    assert "firstfit" in found["ideal"] and found["makespan"] >= found["least_makespan"]


def test_wrong_options_are_refused_in_a_line(mix: Path, cell: GridEngineCell) -> None:
    for via, words in (
        ("sge:-q none", "there is no such queue; got 'none', expected all.q"),
        ("sge:-pe mpi", "there is no such parallel environment; got 'mpi', expected assay"),
    ):
        process = begun(mix, cell, "0: 1 * short\n", "--via", via)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 2 and words in err and err.count("\n") == 1, err
