"""Jobs of fractions of a second on a simulated batch system: as exact as those of whole seconds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.throughput import faults, job_table, scaled, schedule_file
from assay.throughput.workload import Workload
from command_line import assay
from test_throughput_verb import machine

POLICIES = ("fcfs", "firstfit", "easy", "conservative", "priority", "fairshare")


def files(folder: Path, time: str, count: int = 10, schedule: str = "") -> tuple[str, ...]:
    (folder / "schedule").write_text(schedule or f"0: {count} * a\n")
    (folder / "jobs.toml").write_text(f'[a]\nprocessors = 1\ntime = "{time}"\n')
    return ("throughput", str(folder / "schedule"), "--jobs", str(folder / "jobs.toml"))


def workload(folder: Path, time: str) -> Workload:
    files(folder, time)
    path = folder / "schedule"
    return job_table.workload(schedule_file.read(path), job_table.load(folder / "jobs.toml"), path)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seconds", [0.5, 1.5, 0.001, 0.000123])
@pytest.mark.parametrize("setting", ["batch.allocation=anywhere", "batch.allocation=contiguous"])
def test_ten_jobs_one_after_the_other(seconds: float, policy: str, setting: str, tmp_path: Path) -> None:
    """On one processor job n waits for n times what each takes."""
    words = (*files(tmp_path, f"{seconds} s"), "--on", str(machine(tmp_path, 1)), "--set", setting)
    found = assay(*words, "--policy", policy, "--json").document
    assert found["makespan"] == pytest.approx(10 * seconds, rel=1e-12) and found["utilisation"] == pytest.approx(1)
    assert found["mean_wait"] == pytest.approx(4.5 * seconds, rel=1e-12)
    assert [job["started"] for job in found["jobs"]] == pytest.approx([n * seconds for n in range(10)], rel=1e-12)
    assert sum(each["processor_seconds"] for each in found["idle"].values()) == 0


def test_submissions_have_fractions_too_and_a_decision_takes_its_time(tmp_path: Path) -> None:
    """At 0.25 s and 0.75 s, of 0.4 s each, decisions of 50 ms: starts are 0.05 s after each submission."""
    words = files(tmp_path, "400 ms", schedule="0.25: 1 * a\n0.75: 1 * a\n")
    words = (*words, "--on", str(machine(tmp_path, 1)), "--json")
    found = assay(*words).document
    assert [(job["submitted"], job["started"], job["ended"]) for job in found["jobs"]] == [(0, 0, 0.4), (0.5, 0.5, 0.9)]
    found = assay(*words, "--set", "batch.decision_cost=50 ms").document
    assert [(job["started"], job["ended"]) for job in found["jobs"]] == [(0.05, 0.45), (0.55, 0.95)]
    assert found["idle"]["scheduler"]["processor_seconds"] == pytest.approx(0.1)


def test_the_example_takes_at_least_what_its_dry_run_says(tmp_path: Path) -> None:
    here = Path(__file__).resolve().parent.parent / "examples" / "programs"
    words = ("throughput", str(here / "mix"), "--jobs", str(here / "jobs.toml"), "--on", str(machine(tmp_path, 1)))
    least = assay(*words, "--dry-run", "--json").document["least_makespan"]
    found = assay(*words, "--json").document
    assert least == 5 * 0.5 and found["least_makespan"] == least and found["makespan"] == least


def test_times_by_factors_failures_and_estimates_keep_their_fractions(tmp_path: Path) -> None:
    jobs = workload(tmp_path, "3 s")
    faster = scaled.scaled(jobs, {"workload.processor": "8"})
    assert (faster.runs == 0.375).all() and (faster.requested == 0.375).all()
    short = workload(tmp_path, "0.5 s")
    failing = faults.failing(short, faults.BatchFailures(jobs=1.0))
    assert ((failing.runs > 0) & (failing.runs <= 0.5)).all() and len(np.unique(failing.runs)) == 10
    wrong = faults.estimated(short, faults.BatchEstimates(factor=3))
    assert ((wrong.requested >= 0.5) & (wrong.requested <= 1.5 + 1e-6)).all() and len(np.unique(wrong.requested)) == 10
    right = faults.estimated(short, faults.BatchEstimates())
    assert (right.requested == 0.5).all()


def test_ticks_are_as_coarse_as_times_allow_and_never_overflow(tmp_path: Path) -> None:
    for time, ticks in (("2 s", 1), ("0.5 s", 1000), ("1.25 ms", 1_000_000)):
        assert workload(tmp_path, time).ticks_needed(1000) == ticks
    long = workload(tmp_path, "100000000.000001 s")  # ten of three years: beyond 64 bits in microseconds
    assert long.ticks_needed(10**10) == 1 and long.ticks_needed(10**6) == 1000 and long.ticks_needed(1) == 1_000_000
