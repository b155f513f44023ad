"""A cluster of eight nodes, evaluated: node benchmarks on every node, messages across nodes, ranks a node varied."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import slurm_cluster
from assay.execute.mpi import find_mpi
from assay.store import Run
from command_line import assay

pytestmark = [
    pytest.mark.paced,
    pytest.mark.slurm,
    pytest.mark.skipif(slurm_cluster.missing() is not None, reason=str(slurm_cluster.missing())),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[slurm_cluster.SlurmCluster]:
    with slurm_cluster.SlurmCluster() as started:
        yield started


@pytest.fixture(autouse=True)
def user(cluster: slurm_cluster.SlurmCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in [key for key in os.environ if key.startswith(("SLURM", "SBATCH", "SALLOC"))]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("SLURM_CONF", str(cluster.folder / "slurm.conf"))
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


def test_a_node_benchmark_runs_on_every_node_and_each_keeps_its_samples(tmp_path: Path) -> None:
    words = ("sieve", "--via", "slurm", "-N", "8", "--launches", "2")
    answer = assay("run", *words, "--out", str(tmp_path / "run"), "--json")
    assert answer.status in (0, 1), answer.err  # eight nodes on one host disturb each other
    run = Run.open(tmp_path / "run")
    hosts = (
        run.connect().execute("SELECT host, count(DISTINCT launch) FROM samples GROUP BY host ORDER BY 1").fetchall()
    )
    assert hosts == [(f"n{i}", 2) for i in range(1, 9)]
    assert [each["node"] for each in answer.document["nodes_over_time"]] == [f"n{i}" for i in range(1, 9)]
    assert "odd_nodes" in answer.document  # eight nodes on one busy host may well differ: that is not judged here


@pytest.mark.mpi
@pytest.mark.skipif(find_mpi() is None, reason="needs an MPI")
def test_messages_go_across_nodes_and_ranks_a_node_are_a_factor(tmp_path: Path) -> None:
    words = ("echo", "--via", "slurm", "-N", "2", "--ppn", "1,2", "--launches", "1", "--set", "bytes=8,1024")
    answer = assay("run", *words, "--out", str(tmp_path / "run"), "--json")
    assert answer.status in (0, 1), (
        answer.err
    )  # four ranks on the two processors of one host: their times may not stand
    factors = {(f["params"]["ppn"], f["params"]["bytes"]) for f in answer.document["figures"] if f["name"] == "rate"}
    assert factors == {(1, 8), (1, 1024), (2, 8), (2, 1024)}
    assert [each["node"] for each in answer.document["nodes_over_time"]] == ["n1", "n2"]
    launches = Run.open(tmp_path / "run").connect().execute("SELECT ranks, transport FROM launches ORDER BY 1")
    ranks, transports = zip(*launches.fetchall(), strict=True)
    assert ranks == (2, 4)
    # the nodes are one machine below one kernel: nothing is between them that goes past it
    assert set(transports) <= {"shared memory", "tcp"}
    # this cluster binds nothing, though it is asked to (TaskPlugin=task/none): an MPI's own starter does
    for entry in Run.open(tmp_path / "run").entries():
        if entry["event"] == "ended":
            expected = "none (requested: core)" if "by srun" in entry["channel"] else "core"
            assert entry["binding"] == expected, entry


def test_more_nodes_than_there_are_is_one_clear_error(tmp_path: Path) -> None:
    answer = assay("run", "sieve", "--via", "slurm", "-N", "9", "--launches", "1", "--out", str(tmp_path / "run"))
    assert answer.status in (1, 2) and "9" in answer.err
