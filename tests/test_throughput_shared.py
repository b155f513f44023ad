"""A shared Slurm cluster, real nodes on this host: others' jobs, nodes that are away, rules of jobs, jobs that never
start, and a wrapper that prints notices around sbatch's answer.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import slurm_cluster
from assay.throughput.batch_system import SystemRequest, opened
from assay.throughput.occupancy import Occupancy
from slurm_cluster import SlurmCluster
from throughput_folder import end_all_jobs, log_lines, throughput

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.paced,
    pytest.mark.skipif(slurm_cluster.missing() is not None, reason=slurm_cluster.missing() or ""),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[SlurmCluster]:
    with SlurmCluster() as up:
        yield up


@pytest.fixture
def mix(tmp_path: Path, cluster: SlurmCluster) -> Iterator[Path]:
    yield tmp_path
    cluster.ask("scancel", "--me")
    cluster.left()
    cluster.ask("scontrol", "update", "nodename=n[1-8]", "state=resume")
    end = time.monotonic() + 30
    while cluster.idle() < slurm_cluster.NODES and time.monotonic() < end:
        time.sleep(0.1)
    end_all_jobs(tmp_path / "out")


def result(folder: Path, cluster: SlurmCluster, table: str, schedule: str, path: str = "", via: str = "slurm") -> Any:
    (folder / "jobs.toml").write_text(table)
    (folder / "mix").write_text(schedule)
    words = (str(folder / "mix"), "--jobs", str(folder / "jobs.toml"), "--via", via, "--out", str(folder / "out"))
    environment = cluster.environment
    environment["PATH"] = f"{path}:{environment['PATH']}" if path else environment["PATH"]
    process = throughput(*words, "--json", environment=environment)
    out, err = process.communicate(timeout=200)
    assert out, err
    return json.loads(out)


def job(processors: int, seconds: float, *rules: str) -> str:
    lines = "\n".join(rules)
    return f'[a]\nprocessors = {processors}\ntime = "{seconds} s"\nwait = "{seconds} s"\n{lines}\n'


def spells(found: Any) -> list[tuple[float, float, tuple[str, ...]]]:
    return sorted((each["started"], each["ended"], tuple(each["nodes"])) for each in found["jobs"])


def test_others_jobs_and_nodes_that_are_away_are_in_the_books(mix: Path, cluster: SlurmCluster) -> None:
    """Of 16 processors another holds 8, a drained node 2: of three jobs of 6 one runs at a time, held by nobody."""
    cluster.ask("scontrol", "update", "nodename=n8", "state=drain", "reason=fan")
    other = cluster.ask(
        "sbatch", "--parsable", "--exclusive", "--nodelist=n[1-4]", "--output=/dev/null", "--wrap", "sleep 600"
    ).strip()
    while "RUNNING" not in cluster.ask("squeue", "-h", "-j", other, "-o", "%T"):
        time.sleep(0.1)
    found = result(mix, cluster, job(6, 4), "0: 3 * a\n")
    assert found["completed"] == 3 and found["processors"] == 14
    use, span = found["machine_use"], found["makespan"]
    assert use["total"] == 16 and use["left"] == pytest.approx(6)
    assert (use["others"] / span, use["down"] / span, use["reserved"]) == (pytest.approx(8), pytest.approx(2), 0)
    parts = sum(use[key] for key in ("ours", "others", "down", "reserved", "idle"))
    assert parts == pytest.approx(16 * span) and use["ours"] == pytest.approx(3 * 6 * 4, rel=0.3)
    assert found["ideal_processors"] == 6 and found["idle"]["held"]["share"] < 0.01
    work = found["utilisation"] + sum(each["share"] for each in found["idle"].values())
    assert work == pytest.approx(6 / 14, abs=0.01)  # of the 14 that were up
    assert all(each["makespan"] <= span for each in found["ideal"].values())
    page = (mix / "out/report.html").read_text()
    assert "of all 16 processors: others&#x27; jobs" in page and "on 6 processors" in page


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second user: run it as root")
def test_jobs_that_slurm_does_not_show_are_in_the_books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With PrivateData=jobs another user's squeue shows nothing of a job that holds 8 of 16 processors."""
    monkeypatch.setattr(slurm_cluster, "CONFIGURATION", slurm_cluster.CONFIGURATION + "PrivateData=jobs\n")
    with SlurmCluster() as private:
        private.folder.chmod(0o755)  # another user reads its configuration
        held = ("sbatch", "--parsable", "--exclusive", "--nodelist=n[1-4]", "--output=/dev/null")
        job = private.ask(*held, "--wrap", "sleep 600").strip()
        while "RUNNING" not in private.ask("squeue", "-h", "-j", job, "-o", "%T"):
            time.sleep(0.1)
        wrapper = tmp_path / "squeue"
        another = "setpriv --reuid=65534 --regid=65534 --clear-groups"
        wrapper.write_text(f'#!/bin/sh\nexec {another} {shutil.which("squeue")} "$@"\n')
        wrapper.chmod(0o755)
        for key, value in private.environment.items():
            monkeypatch.setenv(key, value)
        system = opened("slurm", SystemRequest())
        system.facts()
        assert system.occupancy() == Occupancy(total=16, others=8)
        monkeypatch.setenv("PATH", f"{tmp_path}:{private.environment['PATH']}")
        assert system.occupancy() == Occupancy(total=16, hidden=8)


def test_a_job_that_can_never_start_is_ended_with_slurms_reason(mix: Path, cluster: SlurmCluster) -> None:
    """One asks for more time than the partition gives: Slurm lets it wait; the others run, and the test ends."""
    cluster.ask("scontrol", "update", "partitionname=main", "maxtime=60")
    try:
        table = job(2, 1) + '[long]\nprocessors = 1\ntime = "3 h"\nwait = "1 s"\n'
        found = result(mix, cluster, table, "0: 1 * long\n0: 2 * a\n")
    finally:
        cluster.ask("scontrol", "update", "partitionname=main", "maxtime=infinite")
    states = {each["name"]: each["state"] for each in found["jobs"]}
    assert states == {"long.1": "never started", "a.1": "completed", "a.2": "completed"}
    (finding,) = found["findings"]
    assert finding["kind"] == "never started" and "PENDING (PartitionTimeLimit)" in finding["text"]
    assert found["failed"] == 1 and cluster.left() == []


SOONER = "from assay.throughput.systems import slurm\nslurm.UNAVAILABLE_AFTER = 6.0"


@pytest.mark.parametrize("before", [SOONER, pytest.param("", marks=pytest.mark.nightly)], ids=["sooner", "a minute"])
def test_a_job_for_which_too_few_nodes_are_left_is_ended(mix: Path, cluster: SlurmCluster, before: str) -> None:
    """Eight nodes are asked for, and then one is drained: after a minute the test says so, and ends."""
    other = cluster.ask(
        "sbatch", "--parsable", "--exclusive", "--nodes=8", "--output=/dev/null", "--wrap", "sleep 4"
    ).strip()
    while "RUNNING" not in cluster.ask("squeue", "-h", "-j", other, "-o", "%T"):
        time.sleep(0.1)
    (mix / "jobs.toml").write_text(job(8, 1, "per_node = 1"))
    (mix / "mix").write_text("0: 1 * a\n")
    words = (str(mix / "mix"), "--jobs", str(mix / "jobs.toml"), "--via", "slurm", "--out", str(mix / "out"))
    process = throughput(*words, "--json", environment=cluster.environment, before=before)
    while not any("0001-a.1" in line for line in cluster.ask("squeue", "-h", "-o", "%j").splitlines()):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    cluster.ask("scontrol", "update", "nodename=n8", "state=drain", "reason=fan")
    out, err = process.communicate(timeout=200)
    found = json.loads(out) if out else pytest.fail(err)
    (finding,) = found["findings"]
    assert finding["kind"] == "never started" and "UnavailableNodes:n8" in finding["text"], finding


def test_rules_of_jobs_hold(mix: Path, cluster: SlurmCluster) -> None:
    """One job at a time of a name; nodes shared with none; a job alone on the machine; at least so many nodes."""
    table = job(1, 1, "instances = 1") + (
        job(1, 1, 'alone = "nodes"').replace("[a]", "[own]")
        + job(3, 1, 'alone = "machine"').replace("[a]", "[machine]")
        + job(2, 1, "nodes = 4").replace("[a]", "[wide]")
    )  # fmt: skip
    found = result(mix, cluster, table, "0: 3 * a\n0: 3 * own\n0: 1 * machine\n0: 2 * wide\n")
    assert found["findings"] == [] and found["completed"] == 9
    jobs = found["jobs"]

    def beside(one: Any, other: Any) -> bool:
        return one is not other and one["started"] < other["ended"] and other["started"] < one["ended"]

    for one in jobs:
        name, others = one["name"].partition(".")[0], [each for each in jobs if beside(one, each)]
        if name == "a":
            assert not any(each["name"].startswith("a.") for each in others)
        elif name == "own":
            assert not any(set(one["nodes"]) & set(each["nodes"]) for each in others)
        elif name == "machine":
            assert (others, len(one["nodes"])) == ([], 8), (one, cluster.ask("scontrol", "show", "job", "--oneliner"))
        else:
            assert len(one["nodes"]) >= 4


def test_rules_that_a_system_cannot_obey_are_refused_by_name(mix: Path, cluster: SlurmCluster) -> None:
    for rule, key in (("ports = [2]", "a.ports"), ("on = [0]", "a.on")):
        (mix / "jobs.toml").write_text(job(1, 1, rule))
        (mix / "mix").write_text("0: 1 * a\n")
        words = (str(mix / "mix"), "--jobs", str(mix / "jobs.toml"), "--via", "slurm", "--out", str(mix / "out"))
        process = throughput(*words, environment=cluster.environment)
        err = process.communicate(timeout=60)[1]
        assert process.returncode == 2 and err.count("\n") == 1 and not (mix / "out").exists()
        assert f"jobs.toml: {key}: is a rule that --via slurm cannot obey" in err, err


@pytest.mark.parametrize("notice", ["echo Welcome, 3 nodes are down; {}", "{}; echo 2026", "{}; exit 1", "{} >&2"])
def test_a_wrapper_around_sbatch_loses_no_job(mix: Path, cluster: SlurmCluster, notice: str) -> None:
    """Notices before and after, a failure after the submission, an answer that goes elsewhere: no job is lost."""
    (mix / "bin").mkdir()
    inner = f'{shutil.which("sbatch")} "$@"'
    (mix / "bin/sbatch").write_text(f"#!/bin/sh\n{notice.format(inner)}\n")
    (mix / "bin/sbatch").chmod(0o755)
    found = result(mix, cluster, job(1, 0.2), "0: 2 * a\n", path=str(mix / "bin"))
    assert found["completed"] == 2 and found["findings"] == [], found["findings"]
    assert sum(each["event"] == "submitted" for each in log_lines(mix / "out")) == 2
