"""Eight real Slurm nodes: one slow, one that does not answer, one drained, one with another user's job; nightly."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import slurm_cluster
from command_line import assay
from slurm_cluster import SlurmCluster
from test_accept import contract

pytestmark = [
    *(pytest.mark.nightly, pytest.mark.measures, pytest.mark.slurm, pytest.mark.timeout(600)),
    pytest.mark.usefixtures("own_folder"),
    pytest.mark.skipif(slurm_cluster.missing() is not None, reason=slurm_cluster.missing() or ""),
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv: another user's job"
    ),
]
SLOW, SILENT, DRAINED, SHARED = "n3", "n4", "n2", "n6"
OTHER_USER = 65534
SOURCE = Path(__file__).parent / "native" / "slow_node.c"


class ClusterWithSlowNode(SlurmCluster):
    """Every program that a job starts on SLOW is interrupted for half of the time."""

    def configuration(self, text: str) -> str:
        library, prolog = self.folder / "slow_node.so", self.folder / "prolog.sh"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE)], check=True)
        prolog.write_text(f'#!/bin/sh\n[ "$SLURMD_NODENAME" != {SLOW} ] || echo "export LD_PRELOAD={library}"\n')
        prolog.chmod(0o755)
        self.folder.chmod(0o755)
        return text + f"TaskProlog={prolog}\n"


def daemon_of(node: str) -> int:
    """The process of this node's slurmd."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"slurmd") and words[-2] == node.encode():
                return int(folder.name)
    raise AssertionError(f"no slurmd of {node}")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlurmCluster]:
    with ClusterWithSlowNode() as up:
        up.ask("scontrol", "update", f"nodename={DRAINED}", "state=drain", "reason=fan")
        other = ["setpriv", f"--reuid={OTHER_USER}", "--clear-groups", "sbatch", "--exclusive", f"--nodelist={SHARED}"]
        up.ask(*other, "--chdir=/", "--output=/dev/null", "--wrap", "sleep 500")
        end = time.monotonic() + 30
        while "alloc" not in up.ask("sinfo", "-h", "-n", SHARED, "-o", "%T"):
            assert time.monotonic() < end, up.ask("squeue")
            time.sleep(0.2)
        for key, value in up.environment.items():
            monkeypatch.setenv(key, value)
        monkeypatch.delenv("SLURM_JOB_ID", raising=False)
        silent = daemon_of(SILENT)
        os.kill(silent, signal.SIGSTOP)
        try:
            yield up
        finally:
            os.kill(silent, signal.SIGCONT)


@pytest.mark.usefixtures("cluster")
def test_doctor_names_each_for_what_it_is() -> None:
    found = assay("doctor", "--via", "slurm", "--for", "60", "--json").document
    assert [each["node"] for each in found["silent"]] == [SILENT]
    assert {each["node"]: each["why"].split(":")[0] for each in found["not_asked"]} == {
        DRAINED: "Slurm reports it as drained",
        SHARED: "Slurm reports it as allocated",
    }
    (slow,) = found["slow"]
    assert slow["node"] == SLOW and slow["named"] and slow["repeats"] >= 7
    drain = shlex.split(slow["drain"])
    assert drain[:4] == ["scontrol", "update", f"NodeName={SLOW}", "State=DRAIN"]
    assert json.dumps(found).count("State=DRAIN") == 1


def test_accept_judges_each_node_that_is_left(cluster: SlurmCluster) -> None:
    """Slow and silent nodes are drained; what others keep is not waited for. Nodes of one host disturb each other."""
    for node in (SLOW, SILENT):
        cluster.ask("scontrol", "update", f"nodename={node}", "state=drain", "reason=doctor")
    path = contract('name = "clock"\nbenchmark = "clock"\nfigure = "frequency"\nat_least = "1 MHz"\n')
    answer = assay("accept", str(path), "--via", "slurm", "-N", "4", "--most", "6", "--json")
    assert answer.status in (0, 4), answer.err
    (found,) = answer.document["requirements"]
    assert [each["node"] for each in found["nodes"]] == ["n1", "n5", "n7", "n8"]
    assert all(each["launches"] == each["met"] > 0 for each in found["nodes"])
    assert {each["verdict"] for each in found["nodes"]} <= {"accepted", "not shown"}
    assert all(each["reason"] for each in found["nodes"] if each["verdict"] == "not shown")
