"""Collective calls of the MPI library: data as under another MPI, times as of Assay's own programs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay._core import ranks as core
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.described.shipped import open_described
from assay.mpi import request
from mpi_elsewhere import elsewhere
from mpi_programs import asked, output
from mpis_here import MPI

WAYS = "ASSAY_MPI_COLLECTIVES"
# Each in place of the personality's choice, where the operation has it.
OTHERS = (
    "barrier=linear,broadcast=linear,reduce=linear,allreduce=rooted,gather=linear,scatter=linear,allgather=linear,"
    "allgatherv=linear,alltoall=linear,alltoallv=linear,reduce-scatter=rooted,scan=linear",
    "barrier=doubling,broadcast=scattered-doubling,reduce=rabenseifner,allreduce=rabenseifner,gather=binomial,"
    "scatter=binomial,allgather=doubling,allgatherv=doubling,alltoall=pairwise,alltoallv=pairwise,"
    "reduce-scatter=halving,scan=doubling",
    "barrier=dissemination,broadcast=scattered-ring,reduce=binomial,allreduce=doubling,allgather=bruck,"
    "allgatherv=ring,alltoall=bruck,reduce-scatter=pairwise",
    "broadcast=binomial,allgather=ring",
)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8, 9])
def test_every_collective_brings_what_it_brings_under_another_mpi(ranks: int) -> None:
    lengths = "8" if ranks < 5 else "6"
    expected = elsewhere(ranks, "collectives", lengths)
    assert output("ipsc860", ranks, "collectives", lengths).splitlines() == expected


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize(
    ("program", "ranks", "first"),
    [
        ("between", 2, ("1",)),
        ("between", 5, ("2",)),
        ("between", 8, ("7",)),
        ("persistent", 5, ()),
        ("persistent", 8, ()),
    ],
)
def test_calls_in_all_forms_bring_what_they_bring_under_another_mpi(
    program: str, ranks: int, first: tuple[str, ...]
) -> None:
    """Of two groups and of one. MPICH 4.0.2 fails in persistent calls: they bring what the non-blocking ones bring."""
    expected = elsewhere(ranks, program, *first, "2")
    got = output("ipsc860", ranks, program, *first).splitlines()
    once_more = ["i" + line[1:] for line in got if line.startswith("p")]
    assert [line for line in got if not line.startswith("p")] == expected
    assert len(once_more) > 50 and {*once_more} <= {*expected}


def test_a_send_and_a_receive_that_go_on_together_have_the_receives_status() -> None:
    assert output("ipsc860", 4, "looks", "status").startswith("get_status")


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("ranks", [4, 7])
def test_attributes_info_and_graphs_are_told_as_by_another_mpi(ranks: int) -> None:
    assert output("ipsc860", ranks, "local").splitlines() == elsewhere(ranks, "local")


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("ways", OTHERS)
@pytest.mark.parametrize("ranks", [4, 7])
def test_every_algorithm_brings_the_same(ranks: int, ways: str) -> None:
    expected = elsewhere(ranks, "collectives", "6")
    got = output("fat-tree-hdr", ranks, "collectives", "6", environment={**os.environ, WAYS: ways})
    assert got.splitlines() == expected


def test_the_mpich_1_2_machines_bring_the_same_data() -> None:
    there = output("ibm-netfinity-cluster", 6, "collectives", "6")
    assert there == output("ipsc860", 6, "collectives", "6")


def own_time(machine: str, ranks: int, operation: str, algorithm: str, length: int) -> int:
    """What Assay's own collective takes, in picoseconds."""
    tables, _, _ = request.places_of(open_described(machine, {}), ranks, None, None)
    chosen = {"operation": operation, "algorithm": algorithm, "bytes": length, "repetitions": 1, "call": "blocking"}
    given = [word for key, value in chosen.items() for word in ("--set", f"{key}={value}")]
    words = program_words(benchmark("collective"), given, simulated=True)
    blocks = core.play("collective", tables, ranks, words).blocks
    taken: list[float] = [v for m, v in zip(blocks["metric"], blocks["values"], strict=True) if m == "time"]
    return round(min(taken) * 1e12)


@pytest.mark.parametrize("machine", ["ipsc860", "dragonfly-slingshot"])
@pytest.mark.parametrize(("ranks", "length"), [(8, 1024), (6, 64), (16, 8)])
def test_a_pairwise_alltoall_takes_what_assays_own_takes(machine: str, ranks: int, length: int) -> None:
    lines = output(machine, ranks, "one_collective", "alltoall", str(length),
                   environment={**os.environ, WAYS: "alltoall=pairwise"})  # fmt: skip
    assert int(lines) == own_time(machine, ranks, "alltoall", "pairwise", length)


CONSTANT = """
name = "constant"
nodes = 16
[messages]
startup = "3 us"
per_byte = "2 ns/B"
"""


@pytest.mark.parametrize("ranks", [2, 5, 8, 13])
def test_a_dissemination_barrier_takes_its_rounds(ranks: int, tmp_path: Path) -> None:
    path = tmp_path / "constant.toml"
    path.write_text(CONSTANT)
    took = output(open_described(str(path), {}), ranks, "one_collective", "barrier", "0")
    assert int(took) == (ranks - 1).bit_length() * 3_000_000


def test_an_unknown_way_is_refused() -> None:
    from mpi_programs import ran

    made, _ = ran(asked("ipsc860", 2, "one_collective", "barrier", "0", environment={**os.environ, WAYS: "barrier=x"}))
    assert made.served.failure or made.exit_status
