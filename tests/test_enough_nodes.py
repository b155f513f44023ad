"""Ranks per node that would take more nodes than there are: refused before anything is compiled, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.errors import InputError
from assay.execute.enough_nodes import enough_nodes
from assay.execute.mpi import find_mpi
from assay.execute.mpiexec import _NODES
from assay.execute.plan import Plan, Size, make
from command_line import assay


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No batch system's job around the test."""
    monkeypatch.chdir(tmp_path)
    for key in _NODES:
        monkeypatch.delenv(key, raising=False)


def planned(ranks: int, ppn: int | None) -> Plan:
    return make([benchmark("echo")], profile="quick", sizes={"echo": [Size(ranks, ppn)]})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("-n", "4", "--ppn", "2"),
            "--ppn: needs 2 nodes for 4 ranks; here is 1; seen: 2; accepted: 4 or more, or sev",
        ),
        (
            ("-n", "3", "--ppn", "2"),
            "--ppn: needs 2 nodes for 3 ranks; here is 1; seen: 2; accepted: 3 or more, or sev",
        ),
        (("-n", "9", "--ppn", "4"), "--ppn: needs 3 nodes for 9 ranks; here is 1; seen: 4; accepted: 9 or more"),
        (("-n", "4", "--ppn", "4,2"), "--ppn: needs 2 nodes for 4 ranks; here is 1; seen: 2"),
        (("-n", "4", "--ppn", "2", "-N", "1"), "--ppn: needs 2 nodes for 4 ranks; -N says 1; seen: 2"),
        (
            ("-n", "3", "-N", "2"),
            "-N: are more nodes than this host; seen: 2; accepted: 1, or --via hosts:FILE or slurm",
        ),
        (("-n", "4", "--ppn", "2", "--via", "mpiexec"), "--ppn: needs 2 nodes for 4 ranks; here is 1; seen: 2"),
    ],
)
@pytest.mark.skipif(find_mpi() is None, reason="no MPI here")
def test_more_nodes_than_this_host_are_refused(words: tuple[str, ...], said: str) -> None:
    ended = assay("run", "echo", *words)
    assert (ended.status, ended.out) == (2, "") and len(ended.err.splitlines()) == 1
    assert said in ended.err
    assert not Path("runs").exists()


def test_more_ranks_than_the_nodes_hold_are_refused_behind_a_launcher() -> None:
    with pytest.raises(
        InputError, match=r"needs 4 nodes for 8 ranks; -N says 2; seen: 2; accepted: 4 or more, or more"
    ):
        enough_nodes(planned(8, 2), "slurm", 2)
    enough_nodes(planned(8, 4), "slurm", 2)
    enough_nodes(planned(8, 2), "slurm", None)


@pytest.mark.parametrize(("ranks", "ppn", "nodes"), [(4, 4, None), (4, 8, 1), (4, None, None), (4, None, 1)])
def test_what_one_host_holds_is_let_through(ranks: int, ppn: int | None, nodes: int | None) -> None:
    enough_nodes(planned(ranks, ppn), None, nodes)


def test_nodes_that_the_starter_finds_may_be_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch system's allocation, or a host file of the site's, which only a starter knows."""
    enough_nodes(planned(4, 2), "mpiexec", 2)
    monkeypatch.setenv("PBS_NODEFILE", "nodes")
    enough_nodes(planned(4, 2), None, None)
    enough_nodes(planned(4, 2), None, 2)
