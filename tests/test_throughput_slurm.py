"""`assay throughput --via slurm` on eight real Slurm nodes on this host: the mix runs, and what goes wrong is named."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import slurm_cluster
from command_line import assay
from mpis_here import MPI
from slurm_cluster import SlurmCluster
from test_launchers import marked
from test_session import processes_naming
from throughput_folder import end_all_jobs, events, four_jobs, log_lines, throughput

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.paced,
    pytest.mark.skipif(slurm_cluster.missing() is not None, reason=slurm_cluster.missing() or ""),
]
TABLE = (
    four_jobs(16, 60)
    + """
[some]
processors = 2
time = "2 s"
wait = "2 s"
"""
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[SlurmCluster]:
    with SlurmCluster() as up:
        yield up


@pytest.fixture
def mix(tmp_path: Path, cluster: SlurmCluster) -> Iterator[Path]:
    (tmp_path / "jobs.toml").write_text(TABLE)
    yield tmp_path
    cluster.ask("scancel", "--me")
    end_all_jobs(tmp_path / "out")


def begun(folder: Path, cluster: SlurmCluster, schedule: str, *more: str) -> subprocess.Popen[str]:
    (folder / "mix").write_text(schedule)
    words = (str(folder / "mix"), "--jobs", str(folder / "jobs.toml"), "--via", "slurm", "--out", str(folder / "out"))
    return throughput(*words, *more, environment=cluster.environment)


def result(process: subprocess.Popen[str]) -> Any:
    out, err = process.communicate(timeout=200)
    assert out, err
    return json.loads(out)


def until(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Wait until something has happened, as long as the test runs."""
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def batch_id(out: Path, job: str) -> str | None:
    if not (out / "log.jsonl").exists():
        return None
    return next((line["batch_id"] for line in log_lines(out) if line.get("job") == job and "batch_id" in line), None)


PROGRAMS = """
[one]
processors = 1
time = "1 s"
program = "sieve"
set = ["size=1000", "repetitions=2"]
[four]
processors = 4
time = "2 s"
program = "echo"
set = ["bytes=8"]
slice = "0.001 s"
"""


@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_benchmark_programs_run_in_the_nodes_that_they_are_given(mix: Path, cluster: SlurmCluster) -> None:
    """Nodes have two processors: four ranks are started on several; the checks of both programs are the answers."""
    (mix / "jobs.toml").write_text(PROGRAMS)
    found = result(begun(mix, cluster, "0: 1 * one\n0: 1 * four\n", "--json"))
    ended = {job["name"]: (job["state"], job["answer"], len(job["nodes"]) > 1) for job in found["jobs"]}
    assert ended == {"one.1": ("completed", True, False), "four.1": ("completed", True, True)}
    assert found["findings"] == []
    launch = json.loads((mix / "out/jobs/0002-four.1/samples.jsonl").read_text().splitlines()[0])
    assert launch["ranks"] == len(launch["placement"]) == 4


def test_every_node_of_a_job_is_sampled_and_drawn(mix: Path, cluster: SlurmCluster) -> None:
    """Four processors are two nodes, or more; those of the cluster are one host, whose memory all of them show."""
    (mix / "jobs.toml").write_text('[four]\nprocessors = 4\ntime = "3 s"\nwait = "3 s"\n')
    found = result(begun(mix, cluster, "0: 1 * four\n", "--json"))
    (job,) = found["jobs"]
    looks = {each["node"]: each for each in found["use"]}
    assert set(looks) == set(job["nodes"]) and len(looks) > 1 and found["not_sampled"] == []
    memory = [value for each in looks.values() for value in each["memory"]]
    assert max(memory) - min(memory) < 0.2
    for node, each in looks.items():
        assert each["begins"][0] < 2.0 and each["ends"][-1] > 2.0, node
    page = (mix / "out/report.html").read_text()
    assert all(f"{node}: processors" in page for node in job["nodes"])
    assert f"<td>nodes sampled</td><td>{len(looks)}</td>" in page
    assert not processes_naming(str(mix))


def test_wrong_answers_deleted_and_killed_jobs_are_named(mix: Path, cluster: SlurmCluster) -> None:
    """scancel of a waiting job, kill -9 of a running one, a wrong answer: each named; the rest goes on."""
    out = mix / "out"
    process = begun(mix, cluster, "0: 1 * long\n0: 1 * wrong\n0: 1 * whole\n1: 2 * short\n", "--json")
    until(lambda: events(out, "0001-long.1") and batch_id(out, "0003-whole.1"), process)
    cluster.ask("scancel", str(batch_id(out, "0003-whole.1")))
    about = json.loads((out / "jobs/0001-long.1/record.jsonl").read_text().splitlines()[0])
    os.kill(about["pid"], signal.SIGKILL)
    found = result(process)
    states = {job["name"]: job["state"] for job in found["jobs"]}
    assert states == {
        "long.1": "killed", "wrong.1": "completed", "whole.1": "deleted",
        "short.1": "completed", "short.2": "completed",
    }  # fmt: skip
    kinds = {(each["job"], each["kind"]) for each in found["findings"]}
    assert kinds == {("long.1", "killed"), ("wrong.1", "wrong answer"), ("whole.1", "deleted")}
    assert process.returncode == 1 and (found["lost"], found["failed"], found["completed"]) == (0, 3, 2)
    assert found["queues"][0]["name"] == "main" and found["processors"] == 16 and found["policy"] == "backfill"
    nodes = {node for job in found["jobs"] for node in job["nodes"]}
    assert nodes <= {f"n{n}" for n in range(1, 9)} and nodes


def test_the_submitter_killed_and_resumed_submits_nothing_twice(mix: Path, cluster: SlurmCluster) -> None:
    """Also where the crash came between Slurm's answer and the log's line: the job is found by its mark."""
    out, schedule = mix / "out", "0: 3 * short\n1: 3 * short\n"
    process = begun(mix, cluster, schedule, "--json")
    until(lambda: batch_id(out, "0002-short.2"), process)
    process.kill()
    process.communicate()
    path = out / "log.jsonl"
    kept = [line for line in log_lines(out) if not (line["event"] == "submitted" and line["job"] == "0002-short.2")]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept))
    process = begun(mix, cluster, schedule, "--json", "--only-resume")
    found = result(process)
    assert process.returncode == 0 and found["completed"] == 6 and found["interrupted"] == 1
    again = {line["job"] for line in log_lines(out) if line["event"] == "found"}
    assert "0002-short.2" in again <= {"0002-short.2", "0003-short.3"}  # the third may have been in flight, too
    shown = cluster.ask("scontrol", "show", "job", "--oneliner")
    mark = json.loads((out / "plan.json").read_text())["mark"]
    submitted = [line.split("JobName=")[1].split()[0] for line in shown.splitlines() if f"Comment={mark}" in line]
    assert Counter(submitted) == {f"000{n}-short.{n}": 1 for n in range(1, 7)}


def test_ctrl_c_leaves_nothing_in_the_queue(mix: Path, cluster: SlurmCluster) -> None:
    process = begun(mix, cluster, "0: 3 * whole\n")
    until(lambda: batch_id(mix / "out", "0003-whole.3") and events(mix / "out", "0001-whole.1"), process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130 and "3 jobs " in err and cluster.left() == []


@pytest.mark.nightly
@pytest.mark.parametrize("compress", [500, 100])
def test_the_papers_schedule_runs(mix: Path, cluster: SlurmCluster, compress: int) -> None:
    """33 jobs of van der Steen 2000, compressed: none lost, as many processors as Slurm has."""
    words = ("eurobench2000", "--jobs", "eurobench2000-ibm", "--via", "slurm", "--slots", "18")
    process = throughput(
        *words, "--compress", str(compress), "--out", str(mix / "out"), "--json", environment=cluster.environment
    )
    found = result(process)
    assert found["completed"] == 33 and found["findings"] == [] and process.returncode == 0
    assert found["makespan"] >= found["least_makespan"] and found["ideal"]["easy"]["makespan"] > 0
    # beside others' load the shorter one shows delays more than its policy
    assert abs(found["predicted"]["difference"]) <= (0.05 if compress == 100 else 0.25), found["predicted"]


@pytest.mark.nightly
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_the_papers_mix_of_benchmark_programs_runs(mix: Path, cluster: SlurmCluster) -> None:
    """33 jobs by Assay's own programs, each answer checked; adf has ranks on all eight nodes."""
    words = ("eurobench2000", "--jobs", "assay-mix", "--via", "slurm", "--slots", "18", "--compress", "1000")
    process = throughput(*words, "--out", str(mix / "out"), "--json", environment=cluster.environment)
    text, err = process.communicate(timeout=1200)
    found = json.loads(text) if text else pytest.fail(err)
    assert found["completed"] == 33 and found["findings"] == [] and process.returncode == 0
    assert all(job["answer"] for job in found["jobs"])
    widths = {job["name"].partition("_")[0]: len(job["nodes"]) for job in found["jobs"]}
    assert widths["adf"] == 8


def test_slurm_that_is_not_there_or_wrong_options(
    mix: Path, cluster: SlurmCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_CONF", cluster.environment["SLURM_CONF"])
    (mix / "mix").write_text("0: 1 * short\n")
    asked = ("throughput", str(mix / "mix"), "--jobs", str(mix / "jobs.toml"), "--via")
    for more, words in (
        (("slurm", "--policy", "easy"), "--policy: is not ours to choose"),
        (("slurm:--partition=none",), "there is no such partition; got 'none', expected main"),
        (("slurm:'",), "cannot be split into words"),
    ):
        answer = assay(*asked, *more)
        assert answer.status == 2 and words in answer.err and answer.err.count("\n") == 1, answer.err
    monkeypatch.setenv("PATH", "/nonexistent")
    answer = assay(*asked, "slurm")
    assert answer.status == 2 and answer.err.count("\n") == 1 and "Slurm is not here: no sbatch" in answer.err


def test_a_slurmd_killed_in_the_middle(mix: Path, cluster: SlurmCluster) -> None:
    """Its node's jobs go on without it and write their records; the test ends, and says what Slurm did not see.

    The last test of the file: the cluster has a node less afterwards.
    """
    out = mix / "out"
    process = begun(mix, cluster, "0: 1 * some\n0: 2 * short\n", "--json")
    until(lambda: events(out, "0001-some.1"), process)
    node = json.loads((out / "jobs/0001-some.1/record.jsonl").read_text().splitlines()[0])["host"]
    for pid in marked(cluster.environment["SLURM_CONF"]):
        with contextlib.suppress(OSError):  # one that has ended meanwhile
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if words[:1] == [b"slurmd"] and node.encode() in words:
                os.kill(pid, signal.SIGKILL)
    found = result(process)
    assert found["completed"] == 3 and found["lost"] == found["failed"] == 0
    assert {each["kind"] for each in found["findings"]} <= {"accounts differ"}
