"""What all nodes of a job do, written by processes that the job's starter has the batch system start on the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from assay.throughput import job_programs
from assay.throughput.node_use import nodes_used

HOSTS = "n1 2 all.q\nn2 2 all.q\nn1 2 all.q\nn3 2 all.q\n"  # as Grid Engine writes them


@pytest.fixture(scope="module")
def starter() -> Path:
    return job_programs.compiled().record


def shell(folder: Path, name: str, text: str) -> str:
    """A command of a batch system's: starts what follows a host's name as on that host."""
    path = folder / name
    path.write_text(f"#!/bin/sh\nSLURMD_NODENAME=$1\nexport SLURMD_NODENAME\nshift\n{text}\n")
    path.chmod(0o755)
    return str(path)


def begun(starter: Path, folder: Path, launcher: tuple[str, ...], *options: str, runs: str = "1.5") -> Any:
    """A job on nodes n1 to n3, whose starter is on n1."""
    (folder / "hosts").write_text(HOSTS)
    words = [str(starter), "--record", f"{folder}/record.jsonl", "--output", f"{folder}/output"]
    words += [word for each in launcher for word in ("--nodes", each)]
    environment = {**os.environ, "SLURMD_NODENAME": "n1", "HOSTS": str(folder / "hosts"), "THREE": "3", "ONE": "1"}
    return subprocess.Popen([*words, *options, "--", "sleep", runs], env=environment)


def lines(folder: Path, node: str) -> list[dict[str, Any]]:
    path = folder / ("record.jsonl" if node == "n1" else f"node-{node}.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def watchers(folder: Path) -> list[Path]:
    """Processes that still look at a node for this job."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        found += [path] if b"--watch" in words and str(folder).encode() in words else []
    return found


def gone(folder: Path, within: float) -> bool:
    end = time.monotonic() + within
    while watchers(folder) and time.monotonic() < end:
        time.sleep(0.05)
    return not watchers(folder)


@pytest.mark.parametrize("apart", [False, True])
def test_each_other_node_is_looked_at_until_the_job_ends(starter: Path, tmp_path: Path, apart: bool) -> None:
    """Also where what looks is no child of the starter's, and learns of the end from the record alone."""
    text = 'setsid "$@" >/dev/null 2>&1 &' if apart else 'exec "$@"'
    job = begun(starter, tmp_path, (shell(tmp_path, "rsh", text), "{host}"), "--hosts", "HOSTS")
    assert job.wait() == 0 and gone(tmp_path, 2.0)
    assert sorted(path.name for path in tmp_path.glob("node-*")) == ["node-n2.jsonl", "node-n3.jsonl"]
    first = [line for line in lines(tmp_path, "n1") if line["event"] != "node"]
    start, end = first[0]["time"], first[-1]["ended"]
    for node in ("n2", "n3"):
        looks = [line["time"] for line in lines(tmp_path, node)]
        assert {line["host"] for line in lines(tmp_path, node)} == {node}
        assert looks[0] - start < 1.0 and end - looks[-1] < 0.5 and len(looks) >= 4, (start, looks, end)
    files = [tmp_path / name for name in ("record.jsonl", "node-n2.jsonl", "node-n3.jsonl")]
    assert [each.node for each in nodes_used(files, start, end - start)] == ["n1", "n2", "n3"]


def test_one_command_for_all_nodes_looks_at_each_once_and_not_at_the_first(starter: Path, tmp_path: Path) -> None:
    """As srun does: a process on every node, of which some may have two."""
    text = 'for n in n1 n2 n3 n2; do SLURMD_NODENAME=$n "$@" & done; wait'
    job = begun(starter, tmp_path, (shell(tmp_path, "all", text), "{count}"), "--count", "THREE", runs="0.6")
    assert job.wait() == 0 and gone(tmp_path, 2.0)
    assert sorted(path.name for path in tmp_path.glob("node-*")) == ["node-n2.jsonl", "node-n3.jsonl"]
    times = [line["time"] for line in lines(tmp_path, "n2")]
    assert len({line["pid"] for line in lines(tmp_path, "n2")}) == 1 and times == sorted(times)


@pytest.mark.parametrize("options", [("--count", "ONE"), ("--count", "NOWHERE"), ("--hosts", "NOWHERE")])
def test_a_job_of_one_node_has_no_others(starter: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    launcher = shell(tmp_path, "rsh", f"touch {tmp_path}/asked")
    assert begun(starter, tmp_path, (launcher, "{host}"), *options, runs="0.3").wait() == 0
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("launcher", ["/nonexistent", "false"])
def test_a_command_that_fails_changes_nothing_of_the_job(starter: Path, tmp_path: Path, launcher: str) -> None:
    assert begun(starter, tmp_path, (launcher, "{host}"), "--hosts", "HOSTS", runs="0.3").wait() == 0
    assert [line["event"] for line in lines(tmp_path, "n1") if line["event"] != "node"] == ["start", "end"]
    said = (tmp_path / "nodes.log").read_text()
    assert said == ("" if launcher == "false" else 2 * "job_record: /nonexistent cannot be started: No such file or "
                    "directory\n")  # fmt: skip


def test_a_starter_that_is_killed_takes_what_looks_with_it(starter: Path, tmp_path: Path) -> None:
    job = begun(starter, tmp_path, (shell(tmp_path, "rsh", 'exec "$@"'), "{host}"), "--hosts", "HOSTS", runs="60")
    end = time.monotonic() + 5
    while len(watchers(tmp_path)) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    assert len(watchers(tmp_path)) == 2
    job.send_signal(signal.SIGKILL)
    job.wait()
    assert gone(tmp_path, 2.0)


@pytest.mark.nightly
def test_what_looks_ends_when_the_record_stands_still(starter: Path, tmp_path: Path) -> None:
    """On another host nobody kills it with the starter: it looks for ten seconds more."""
    text = 'setsid "$@" >/dev/null 2>&1 &'
    job = begun(starter, tmp_path, (shell(tmp_path, "rsh", text), "{host}"), "--hosts", "HOSTS", runs="60")
    time.sleep(2.0)
    job.send_signal(signal.SIGKILL)
    job.wait()
    time.sleep(5.0)
    assert len(watchers(tmp_path)) == 2 and gone(tmp_path, 10.0)
