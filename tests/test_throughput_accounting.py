"""`assay throughput --via slurm` where Slurm has an accounting database: what it has forgotten is asked of sacct."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import slurm_accounting
from slurm_accounting import AccountedCluster
from throughput_folder import end_all_jobs, four_jobs, log_lines, throughput

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slurm,
    pytest.mark.paced,
    pytest.mark.skipif(slurm_accounting.missing() is not None, reason=slurm_accounting.missing() or ""),
]
FORGETS_WITHIN = 150.0  # s: slurmctld looks once a minute for jobs that ended MinJobAge before


@pytest.fixture(scope="module")
def cluster() -> Iterator[AccountedCluster]:
    with AccountedCluster() as up:
        yield up


def test_jobs_that_slurm_has_forgotten_are_found_and_accounted(tmp_path: Path, cluster: AccountedCluster) -> None:
    """The submitter dies between Slurm's answers and the log's lines; when it is resumed sacct alone knows the jobs."""
    (tmp_path / "jobs.toml").write_text(four_jobs(16, 60))
    (tmp_path / "mix").write_text("0: 2 * short\n0: 1 * wrong\n30: 1 * short\n")
    words = (str(tmp_path / "mix"), "--jobs", str(tmp_path / "jobs.toml"), "--via", "slurm")
    out = tmp_path / "out"
    begun = throughput(*words, "--out", str(out), "--json", environment=cluster.environment)
    try:
        while not (out / "log.jsonl").exists() or sum(line["event"] == "settled" for line in log_lines(out)) < 3:
            assert begun.poll() is None, begun.communicate()
            time.sleep(0.1)
        begun.kill()
        begun.communicate()
        ids = {line["job"]: line["batch_id"] for line in log_lines(out) if line["event"] == "submitted"}
        gone = ("submitted", "settled")
        kept = [line for line in log_lines(out) if line["event"] not in gone]
        (out / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept))
        end = time.monotonic() + FORGETS_WITHIN
        while "JobId" in cluster.ask("scontrol", "show", "job", "--oneliner") and time.monotonic() < end:
            time.sleep(1.0)
        assert "JobId" not in cluster.ask("scontrol", "show", "job", "--oneliner")
        again = throughput(*words, "--out", str(out), "--json", "--only-resume", environment=cluster.environment)
        text, err = again.communicate(timeout=200)
        found = json.loads(text) if text else pytest.fail(err)
    finally:
        end_all_jobs(out)
    assert {line["job"]: line["batch_id"] for line in log_lines(out) if line["event"] == "found"} == ids
    assert found["completed"] == 3 and found["lost"] == 0 and found["failed"] == 1
    assert [(each["job"], each["kind"]) for each in found["findings"]] == [("wrong.1", "wrong answer")]
    said = {
        line["job"]: line["about"]["accounted"]["word"]
        for line in log_lines(out)
        if line["event"] == "settled" and line["about"]["accounted"] is not None
    }
    assert len(said) == 4 and set(said.values()) == {"COMPLETED"}
