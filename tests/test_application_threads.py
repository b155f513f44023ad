"""Ranks times threads, and memory that is asked for before a case is begun."""

from __future__ import annotations

from pathlib import Path

import pytest

from application_runs import broken, built, constant_with, events, on_machine, only_check, over_mpi
from assay.execute.job import Job
from assay.execute.mpi import Mpi
from assay.execute.mpiexec import speak
from command_line import assay
from mpis_here import MPI

with_mpi = pytest.mark.skipif(MPI is None, reason="no MPI here")


@pytest.mark.mpi
@with_mpi
@pytest.mark.parametrize("ranks", [1, 2])
def test_ep_has_the_official_sums_on_any_number_of_threads(ranks: int) -> None:
    """Also on more threads than some ranks have blocks: 256 blocks among 300 threads."""
    text = over_mpi("nas", built("nas"), ranks, "kernel=ep", "class=S", "threads=1,3,300")
    checks = events(text, "check")
    assert [each["passed"] for each in checks] == [True] * 3
    assert sorted(each["case"].get("threads", 1) for each in events(text, "block")) == [1, 3, 300]


@pytest.mark.mpi
@with_mpi
@pytest.mark.nightly
def test_a_thread_that_is_left_out_is_seen(tmp_path: Path) -> None:
    made = broken(tmp_path, "nas", "ep_pairs.cpp", "thread = 1; thread < threads", "thread = 2; thread < threads")
    assert not only_check(over_mpi("nas", made, 1, "kernel=ep", "class=S", "threads=3"))["passed"]


@pytest.mark.mpi
@with_mpi
def test_dense_with_threads_solves_the_same(own_folder: None) -> None:
    given = ("size=300", "threads=2", "factorisation=cholesky,lu")
    text = over_mpi("dense", built("dense"), 2, *given)
    if "left out" in text and "BLAS" in text:
        pytest.skip("no BLAS with threads here")
    assert [each["passed"] for each in events(text, "check")] == [True, True]


@pytest.mark.parametrize(
    ("name", "given", "problem"),
    [
        ("nas", ("kernel=cg", "threads=2"), "only EP has threads"),
        ("dense", ("code=ours", "threads=2"), "own code has one"),
        ("dense", ("size=900000",), "does not fit into memory"),
        ("lattice", ("size=4096",), "does not fit into memory"),
    ],
)
@pytest.mark.mpi
@with_mpi
def test_what_cannot_be_done_here_is_refused_in_one_line(
    name: str, given: tuple[str, ...], problem: str, own_folder: None
) -> None:
    sets = [word for each in given for word in ("--set", each)]
    answer = assay("run", name, *sets, "-n", "2", "--launches", "1", "-q", "--out", "run")
    assert answer.status == 2, answer.out + answer.err
    assert problem in answer.err and not Path("run").exists()
    assert sum("assay:" in line for line in answer.err.splitlines()) == 1


def test_described_machines_have_no_threads(own_folder: None) -> None:
    constant_with(Path(), "ep")
    answer = assay("run", "nas", "--on", "constant.toml", "--set", "kernel=ep", "--set", "threads=2")
    assert answer.status == 2 and "measured, not described" in answer.err


def test_simulated_data_must_fit_too(own_folder: None) -> None:
    """With --verify all ranks' data are in this process; without it there are none."""
    machine = constant_with(Path(), "gemm", "linpack", "cholesky")
    answer = assay("run", "dense", "--on", "constant.toml", "--set", "size=900000", "-n", "2", "--verify")
    assert answer.status == 2 and "does not fit into memory" in answer.err
    assert events(on_machine("dense", machine, 2, "size=2000", "factorisation=lu", "block=500"), "block")


def test_ranks_with_threads_are_bound_to_no_core(tmp_path: Path) -> None:
    mpi = Mpi.__new__(Mpi)
    object.__setattr__(mpi, "implementation", "MPICH")

    def job(threads: int) -> Job:
        return Job("nas", (), 1, None, None, tmp_path, tmp_path, 1.0, threads=threads)

    bound = [
        speak(
            mpi,
            Job("nas", (), 1, None, None, tmp_path, tmp_path, 1.0, threads=n),
            elsewhere=False,
            processors=4,
            cores=2,
        )
        for n in (1, 2)
    ]
    assert [binding for _, _, binding in bound] == ["core", "none"]
    assert "core" in bound[0][0] and "none" in bound[1][0]


@pytest.mark.mpi
@with_mpi
def test_the_report_has_ranks_times_threads(own_folder: None) -> None:
    """Each with its own row, speedups over one rank with one thread, and a prediction by as many threads' rate."""
    sets = ("--set", "kernel=ep", "--set", "class=S", "--set", "threads=1,2", "--set", "repetitions=1")
    answer = assay("run", "nas", *sets, "-n", "1,2", "--launches", "1", "--out", "run", "--json")
    assert answer.status == 0, answer.err
    times = {
        (each["params"]["ranks"], each["params"].get("threads", 1)): each["value"]
        for each in answer.document["figures"]
        if each["name"] == "time" and each["statistic"] != "first"
    }
    written = assay("report", "run", "--markdown").out.partition("**Applications**")[2].split("\n\n")[1]
    shown = [[cell.strip() for cell in line.strip("|").split("|")] for line in written.splitlines()[2:]]
    assert [row[2] for row in shown] == ["1", "1 x 2", "2", "2 x 2"]
    assert all("operations" not in row[1] and "threads" not in row[1] for row in shown)
    base = times[1, 1]
    wanted = [f"{base / times[key]:.3g}" for key in ((1, 1), (1, 2), (2, 1), (2, 2))]
    assert [row[8] for row in shown] == wanted
    predicted = {each["params"].get("threads", 1): each for each in answer.document["predicted"]}
    assert predicted.keys() == {1, 2} and predicted[2]["perfect"] == pytest.approx(times[1, 2] / 2)
