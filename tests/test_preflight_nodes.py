"""Ranks per node that would take more nodes than there are: refused before anything is compiled, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.errors import InputError
from assay.execute.failure import reason
from assay.execute.mpi import find_mpi
from assay.execute.mpiexec import _NODES
from assay.execute.plan import Plan, Size, make
from assay.execute.preflight_nodes import enough_nodes
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
            "--ppn: needs 2 nodes for 4 ranks; here is 1; got 2, expected 4 or more, or sev",
        ),
        (
            ("-n", "3", "--ppn", "2"),
            "--ppn: needs 2 nodes for 3 ranks; here is 1; got 2, expected 3 or more, or sev",
        ),
        (("-n", "9", "--ppn", "4"), "--ppn: needs 3 nodes for 9 ranks; here is 1; got 4, expected 9 or more"),
        (("-n", "4", "--ppn", "4,2"), "--ppn: needs 2 nodes for 4 ranks; here is 1; got 2"),
        (("-n", "4", "--ppn", "2", "-N", "1"), "--ppn: needs 2 nodes for 4 ranks; -N is 1; got 2"),
        (
            ("-n", "3", "-N", "2"),
            "-N: are more nodes than this host; got 2, expected 1, or --via hosts:FILE or slurm",
        ),
        (("-n", "4", "--ppn", "2", "--via", "mpiexec"), "--ppn: needs 2 nodes for 4 ranks; here is 1; got 2"),
    ],
)
@pytest.mark.skipif(find_mpi() is None, reason="no MPI here")
def test_more_nodes_than_this_host_are_refused(words: tuple[str, ...], said: str) -> None:
    ended = assay("run", "echo", *words)
    assert (ended.status, ended.out) == (2, "") and len(ended.err.splitlines()) == 1
    assert said in ended.err
    assert not Path("runs").exists()


def test_more_ranks_than_the_nodes_hold_are_refused_behind_a_launcher() -> None:
    with pytest.raises(InputError, match=r"needs 4 nodes for 8 ranks; -N is 2; got 2, expected 4 or more, or more"):
        enough_nodes(planned(8, 2), "slurm", 2)
    enough_nodes(planned(8, 4), "slurm", 2)
    enough_nodes(planned(8, 2), "slurm", None)


def test_a_file_of_hosts_says_how_many_nodes_there_are(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("one\ntwo slots=4\n")
    enough_nodes(planned(8, 4), f"hosts:{file}", None)
    with pytest.raises(InputError, match=r"needs 3 nodes for 3 ranks; the file of hosts names 2; got 1, expected 2"):
        enough_nodes(planned(3, 1), f"hosts:{file}", None)


def test_a_number_of_ranks_per_node_is_named_once() -> None:
    answer = assay("run", "echo", "-n", "2", "--ppn", "2,2")
    assert answer.status == 2 and answer.err.splitlines() == [
        "assay: --ppn: names a count twice; got '2,2', expected 1, or 1,2"
    ]


@pytest.mark.skipif(find_mpi() is None, reason="no MPI here")
@pytest.mark.parametrize(
    ("words", "seen", "ranks"),
    [
        (("-n", "2", "--ppn", "3"), 3, 2),
        (("-n", "2", "--ppn", "2,3"), 3, 2),
        (("--ppn", "3"), 3, 2),  # echo has two where nobody says how many
        (("-n", "4", "-N", "2", "--ppn", "5", "--via", "slurm"), 5, 4),
    ],
)
def test_more_ranks_per_node_than_there_are_ranks_are_refused(words: tuple[str, ...], seen: int, ranks: int) -> None:
    """A launch with another number of ranks per node than asked has no valid figure (docs/clusters.md)."""
    ended = assay("run", "echo", *words)
    assert (ended.status, ended.out) == (2, "") and len(ended.err.splitlines()) == 1
    problem = f"echo --ppn: no node gets so many of {ranks} ranks; got {seen}, expected up to {ranks}"
    assert ended.err == f"assay: {problem}, or more ranks (-n, -N)\n"
    assert not Path("runs").exists()


def test_more_ranks_per_node_than_there_are_ranks_are_refused_on_a_described_machine() -> None:
    ended = assay("run", "echo", "--on", "sgi-l1200-cluster", "-n", "1", "--ppn", "2")
    assert ended.status == 2 and "needs more ranks" in ended.err  # the benchmark's own least number is said first
    ended = assay("run", "echo", "--on", "sgi-l1200-cluster", "-n", "2", "--ppn", "2", "--json")
    assert ended.status == 0
    ended = assay("run", "self", "--on", "sgi-l1200-cluster", "-n", "1", "--ppn", "2")
    assert ended.status == 2 and "self --ppn: no node gets so many of 1 ranks; got 2" in ended.err


@pytest.mark.parametrize(("ranks", "ppn", "nodes"), [(4, 4, None), (4, 4, 1), (4, None, None), (4, None, 1)])
def test_what_one_host_holds_is_let_through(ranks: int, ppn: int | None, nodes: int | None) -> None:
    enough_nodes(planned(ranks, ppn), None, nodes)


def test_nodes_that_the_starter_finds_may_be_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch system's allocation, or a host file of the site's, which only a starter knows."""
    enough_nodes(planned(4, 2), "mpiexec", 2)
    monkeypatch.setenv("PBS_NODEFILE", "nodes")
    enough_nodes(planned(4, 2), None, None)
    enough_nodes(planned(4, 2), None, 2)


def test_more_ranks_than_this_host_has_processes_for_are_refused_before_anything_is_compiled() -> None:
    most = int(Path("/proc/sys/kernel/pid_max").read_text())
    answer = assay("run", "echo", "-n", str(most + 1))
    assert answer.status == 2 and answer.out == "" and len(answer.err.splitlines()) == 1
    said = "-n: are more ranks than processes can be started here (kernel.pid_max, threads-max, RLIMIT_NPROC)"
    assert f"{said}; got {most + 1}, expected up to " in answer.err
    enough_nodes(planned(33, None), None, None)  # more than the processors, which share them


def test_a_starter_that_has_no_room_for_ranks_is_one_reason(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        "[proxy:0:0@vm] HYDU_create_process (utils/launch/launch.c:24): pipe error (Too many open files)\n"
        "[proxy:0:0@vm] launch_procs (pm/pmiserv/pmip_cb.c:730): create process returned error\n"
        "[mpiexec@vm] main (ui/mpich/mpiexec.c:325): process manager error waiting for completion\n"
    )
    why = reason("echo", 7, log, 0, (), "mpiexec", 200)
    assert why == f"exit status 7: the starter could not start a process (pipe: Too many open files); log: {log}"
