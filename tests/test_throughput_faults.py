"""Nodes that fail and return, jobs that fail, wrong requests: by hand, and distributions against their definition."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.throughput import faults, lublin
from batch_twin import TwinJob
from command_line import assay
from test_batch_placement import placed as by_core
from test_throughput_placed import MIX, TABLE, files


def test_a_node_that_fails_ends_its_jobs_which_run_again() -> None:
    """Of three nodes, 0 is down from 3 to 10: job 0 loses 2 x 3 s and waits for two nodes until job 1 ends at 6."""
    jobs = [TwinJob(0, 0, 8, 8, 2), TwinJob(1, 0, 6, 6, 1)]
    found = by_core((3, 1, "scattered", True), "fcfs", jobs, closures=(([0], 3, 10, False),), again=True)
    assert found["starts"] == [6, 0] and found["ends"] == [14, 6] and found["failures"] == [1, 0]
    assert (found["lost"], found["closed"]) == (2 * 3, 7) and found["places"][0] == [(1, 1), (2, 1)]
    idle = sum(int(found[why]) for why in ("nobody_waited", "none_fitted", "held", "fragmented", "closed", "lost"))  # type: ignore
    assert idle + 2 * 8 + 6 == 3 * 14


def test_outages_are_weibull_and_exponential() -> None:
    """Times between failures and until the return, of 400 nodes over 100 times their mean, by Kolmogorov-Smirnov."""
    failures = faults.BatchFailures(every="10000 s", shape=0.7, repair="2000 s", jobs=0.0, seed=3)
    found = faults.outages(failures, 400, 1_000_000)
    own = [[each for each in found if each.nodes == (node,)] for node in range(400)]
    up = [now.begins - before.ends for each in own for before, now in itertools.pairwise(each)]
    down = [each.ends - each.begins for each in found]
    assert np.mean(up) == pytest.approx(10_000, rel=0.05) and np.mean(down) == pytest.approx(2000, rel=0.05)
    assert stats.kstest(up, stats.weibull_min(0.7, scale=10_000 / stats.weibull_min(0.7).mean()).cdf).statistic < 0.02
    assert stats.kstest(down, stats.expon(scale=2000).cdf).statistic < 0.02
    shorter = faults.outages(failures, 400, 500_000)
    assert set(shorter) == {each for each in found if each.begins < 500_000}


def test_failing_jobs_and_wrong_requests() -> None:
    jobs = lublin.drawn(lublin.LublinSettings(jobs=20_000))
    wrong = faults.estimated(jobs, faults.BatchEstimates(factor=5, seed=2))
    long = jobs.runs > 1000
    assert stats.kstest((wrong.requested / np.maximum(jobs.runs, 1))[long], stats.uniform(1, 4).cdf).statistic < 0.02
    tailed = faults.estimated(jobs, faults.BatchEstimates(factor=5, distribution="exponential", seed=2))
    ratio = (tailed.requested / np.maximum(jobs.runs, 1))[long]
    assert stats.kstest(ratio, stats.expon(1, 4).cdf).statistic < 0.02
    rounded = faults.estimated(jobs, faults.BatchEstimates(factor=5, round="15 min", seed=2)).requested
    assert (rounded % 900 == 0).all() and (rounded >= wrong.requested).all()
    assert (rounded - wrong.requested < 900).all() and (rounded > 0).all()
    failing = faults.failing(jobs, faults.BatchFailures(every=None, shape=1.0, repair="60 min", jobs=0.2, seed=2))
    assert failing.fails is not None and failing.fails.mean() == pytest.approx(0.2, abs=0.015)
    assert (failing.runs[~failing.fails] == jobs.runs[~failing.fails]).all()
    share = (failing.runs / np.maximum(jobs.runs, 1))[failing.fails & long]
    assert stats.kstest(share, stats.uniform(0, 1).cdf).statistic < 0.04


def test_faults_are_seen_in_what_is_reported(tmp_path: Path) -> None:
    machine = "[machine]\nnodes = 8\n"
    asked = (*files(tmp_path, machine + '[failures]\nevery = "40 s"\nrepair = "5 s"\n'), "--policy", "easy")
    found = assay(*asked, "--json").document
    assert found["restarts"] > 0 and found["idle"]["lost"]["processor_seconds"] > 0
    assert found["scheduled"] == 3 and all(job["state"] == "completed" for job in found["jobs"])
    other = assay(*asked, "--set", "failures.seed=2", "--json").document
    assert other["idle"] != found["idle"]
    asked = files(tmp_path, machine + "[failures]\njobs = 1.0\n[estimates]\nfactor = 3\n", TABLE, MIX)
    found = assay(*asked, "--json").document
    assert found["failed"] == 3 and {job["state"] for job in found["jobs"]} == {"failed"}


def test_jobs_that_failed_are_in_the_first_line_in_tables_and_files(tmp_path: Path) -> None:
    """All three fail; without failures nothing is said of any."""
    asked = files(tmp_path, "[machine]\nnodes = 8\n[failures]\njobs = 1.0\n", TABLE, MIX)
    written = [tmp_path / f"out.{kind}" for kind in ("swf", "csv", "html")]
    said = assay(*asked, *(word for file in written for word in ("--export", str(file)))).out
    assert "3 of 3 jobs failed" in said.splitlines()[0] and "jobs that failed" in said
    status = [line.split()[10] for line in written[0].read_text().splitlines() if line[0] != ";"]
    assert status == ["0"] * 3 and written[1].read_text().count(",failed,") == 3
    assert "3 of 3 jobs failed" in written[2].read_text()
    compared = assay(*asked, "--set", "failures.jobs=0,1").out
    assert "0 to 3 of 3 jobs failed" in compared.splitlines()[1]
    (head,) = [line for line in compared.splitlines() if "makespan" in line]
    assert head.split()[-1] == "failed"
    assert "failed" not in assay(*asked, "--set", "failures.jobs=0").out


@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0])
def test_how_many_tries_a_run_takes_until_no_failure_ends_it(shape: float) -> None:
    """Against drawn lives of nodes: the part of all moments, or of beginnings, after which 1000 s are left."""
    failures = faults.BatchFailures(every="2000 s", shape=shape)
    lives = stats.weibull_min(shape, scale=2000 / stats.weibull_min(shape).mean()).rvs(400_000, random_state=5)
    share = np.mean(lives > 1000) if shape > 1 else np.maximum(lives - 1000, 0).sum() / lives.sum()
    assert faults.log_of_tries(failures, np.array([1000.0]))[0] == pytest.approx(-np.log(share), rel=0.02)


def test_jobs_that_would_never_end_are_refused_at_once_and_named(tmp_path: Path) -> None:
    """The example has jobs of thousands of nodes, each of which fails every minute; no failure is drawn."""
    example = Path(__file__).resolve().parent.parent / "examples" / "jobs.swf"
    path = tmp_path / "machine.toml"
    path.write_text('[machine]\nnodes = 10000\n[failures]\nevery = "1 min"\nrepair = "60 min"\n')
    answer = assay("throughput", str(example), "--on", str(path))
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "machine.toml:4: failures.every: is so short" in answer.err and "got '1 min'" in answer.err
    assert "nodes for" in answer.err and "expected a longer time" in answer.err
    answer = assay("throughput", str(example), "--on", str(path), "--set", "failures.every=2 min")
    assert answer.status == 2 and "--set failures.every=2 min: failures.every: is so short" in answer.err


def test_more_failures_than_can_be_simulated_are_refused(tmp_path: Path) -> None:
    """Two short jobs a week apart, and 100,000 nodes that fail each second meanwhile."""
    machine = '[machine]\nnodes = 100000\n[failures]\nevery = "1 s"\nrepair = "1 s"\n'
    table = '[short]\nprocessors = 1\ntime = "1 s"\n'
    answer = assay(*files(tmp_path, machine, table, "0: 1 * short\n600000: 1 * short\n"))
    assert answer.status == 2 and answer.err.count("\n") == 1 and ":4: failures.every: " in answer.err, answer.err


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('[failures]\nevery = "0 s"\n', ":4: failures.every: '0 s' is not between 1 s and 68 years"),
        ("[failures]\njobs = 2.0\n", "failures.jobs: is out of bounds; got 2"),
        (
            '[failures]\nevery = "1 s"\nrepair = "540 min"\n',
            ":4: failures.every: is so short that jobs do not come to their end: ",
        ),
        ("[estimates]\nfactor = 0.5\n", "estimates.factor: is out of bounds"),
        ('[estimates]\ndistribution = "normal"\n', "estimates.distribution: is wrong; got 'normal'"),
        ('[estimates]\nround = "0 s"\n', ":4: estimates.round: '0 s' is not between 1 s and 68 years"),
    ],
)
def test_wrong_faults_are_refused_in_a_line(table: str, words: str, tmp_path: Path) -> None:
    answer = assay(*files(tmp_path, "[machine]\nnodes = 8\n" + table))
    assert answer.status == 2 and answer.err.count("\n") == 1 and words in answer.err, answer.err
