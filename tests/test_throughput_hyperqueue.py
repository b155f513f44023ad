"""`assay throughput --via hyperqueue` on a live server of this process: the mix runs, and what goes wrong is named."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import assay
from throughput_folder import end_all_jobs, events, four_jobs, log_lines, throughput

HERE = importlib.util.find_spec("hyperqueue") is not None
pytestmark = pytest.mark.paced


def live(test: Any) -> Any:
    """Of a test that needs the package."""
    return pytest.mark.nightly(pytest.mark.skipif(not HERE, reason="no Python package hyperqueue")(test))


TABLE = four_jobs(4, 2)


@pytest.fixture
def mix(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "jobs.toml").write_text(TABLE)
    yield tmp_path
    end_all_jobs(tmp_path / "out")


def begun(folder: Path, schedule: str, *more: str) -> Any:
    (folder / "mix").write_text(schedule)
    words = (str(folder / "mix"), "--jobs", str(folder / "jobs.toml"), "--via", "hyperqueue", "--slots", "4")
    return throughput(*words, "--out", str(folder / "out"), "--json", *more)


def until(out: Path, job: str, process: Any) -> None:
    while not events(out, job):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


@live
def test_wrong_answers_and_killed_jobs_are_named(mix: Path) -> None:
    process = begun(mix, "0: 1 * wrong\n0: 1 * long\n0: 1 * whole\n1: 2 * short\n")
    until(mix / "out", "0002-long.1", process)
    os.kill(json.loads((mix / "out/jobs/0002-long.1/record.jsonl").read_text().splitlines()[0])["pid"], signal.SIGKILL)
    text, err = process.communicate(timeout=120)
    found = json.loads(text) if text else pytest.fail(err)
    states = {job["name"]: job["state"] for job in found["jobs"]}
    assert states == {"wrong.1": "completed", "long.1": "killed", "whole.1": "completed", "short.1": "completed",
                      "short.2": "completed"}  # fmt: skip
    assert {each["kind"] for each in found["findings"]} == {"killed", "wrong answer"} and found["lost"] == 0
    assert found["system"] == "hyperqueue" and found["processors"] == 4 and found["policy"] == "HyperQueue's own"


@live
def test_a_killed_submitter_resumes_and_nothing_runs_twice(mix: Path) -> None:
    process = begun(mix, "0: 1 * short\n0: 2 * whole\n0: 1 * short\n")
    until(mix / "out", "0002-whole.1", process)
    process.kill()
    process.communicate()
    process = begun(mix, "0: 1 * short\n0: 2 * whole\n0: 1 * short\n", "--only-resume")
    text, err = process.communicate(timeout=120)
    found = json.loads(text) if text else pytest.fail(err)
    assert found["interrupted"] == 1 and found["lost"] == 0
    assert len(found["jobs"]) == 4 and not any("twice" in each["kind"] for each in found["findings"])
    begins = [line["job"] for line in log_lines(mix / "out") if line["event"] == "submitting"]
    assert sorted(begins) == sorted(set(begins))
    for record in (mix / "out/jobs").glob("*/record.jsonl"):
        assert sum('"start"' in line for line in record.read_text().splitlines()) == 1


@live
def test_ctrl_c_leaves_nothing(mix: Path) -> None:
    """Of three jobs of two processors on four one waits: it never starts."""
    process = begun(mix, "0: 3 * long\n")
    while len(list((mix / "out").glob("jobs/*/record.jsonl"))) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    while sum(line["event"] == "submitted" for line in log_lines(mix / "out")) < 3:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "3 jobs " in err
    records = [path.read_text() for path in (mix / "out").glob("jobs/*/record.jsonl")]
    assert len(records) == 2 and all('"end"' in record for record in records)


@live
@pytest.mark.parametrize("compress", [500, 100])
def test_the_papers_schedule_runs(mix: Path, compress: int) -> None:
    words = ("eurobench2000", "--jobs", "eurobench2000-ibm", "--via", "hyperqueue", "--slots", "18", "--compress")
    process = throughput(*words, str(compress), "--out", str(mix / "out"), "--json")
    text, err = process.communicate(timeout=500)
    found = json.loads(text) if text else pytest.fail(err)
    assert found["completed"] == 33 and found["findings"] == [] and process.returncode == 0
    assert found["makespan"] >= found["least_makespan"]


def test_without_the_package_or_with_wrong_options_it_is_refused_in_a_line(
    mix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mix / "mix").write_text("0: 1 * short\n")
    words = ("throughput", str(mix / "mix"), "--jobs", str(mix / "jobs.toml"), "--via")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    for via, more, problem in (
        ("hyperqueue:x", (), "takes nothing behind the colon; got 'x'"),
        ("hyperqueue", ("--policy", "easy"), "--policy: is not ours to choose"),
    ):
        answer = assay(*words, via, *more)
        assert answer.status == 2 and problem in answer.err and answer.err.count("\n") == 1, answer.err
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    answer = assay(*words, "hyperqueue")
    assert answer.status == 2 and "no Python package hyperqueue" in answer.err and answer.err.count("\n") == 1
