"""Overlap of computing with a collective: what must hide and what cannot, and right data around a loop."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.described.machine_file import DescribedMachine
from assay.execute.build import build
from assay.execute.mpi import launch_environment
from by_night import by_night
from command_line import assay
from mpis_here import MPI, yielding
from remarked import texts
from started import play, words

OPERATIONS = [  # and cases: of the library, of the table's algorithms that are chosen below, by two levels
    ("barrier,broadcast,allreduce,alltoall", 4 + 12 + 4),
    (
        "barrier,broadcast,reduce,allreduce,gather,scatter,allgather,reduce-scatter,alltoall,alltoallv,scan",
        11 + 26 + 11,
    ),
]

MACHINE = DescribedMachine.model_validate(
    {"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}}
).for_core()


def figures(calls: int, *given: str) -> dict[str, float]:
    base = ("run", "collective-overlap", "--on", "fat-tree-hdr", "-n", "8", "--set", "bytes=65536")
    made = assay(*base, "--set", f"calls={calls}", *(word for each in given for word in ("--set", each)), "--json")
    assert made.status == 0, made.err
    return {figure["name"]: figure["value"] for figure in made.document["figures"]}


def test_a_tree_goes_on_only_where_its_ranks_let_it() -> None:
    """Three rounds down a binomial tree: without calls the second begins when the first receivers' loops end."""
    alone, helped = (figures(calls, "operation=broadcast", "algorithm=binomial") for calls in (0, 200))
    assert alone["communication_hidden"] < 0.5 < 0.8 < helped["communication_hidden"] <= 1
    for each in (alone, helped):
        assert each["computing"] == pytest.approx(each["communicating"], rel=0.01)
        assert each["together"] >= max(each["computing"], each["communicating"]) * 0.999
    assert alone["computing_kept"] == pytest.approx(1)


def test_one_round_hides_without_calls() -> None:
    """Messages that are all under way from the start need nobody."""
    made = figures(0, "operation=alltoall", "algorithm=linear")
    assert made["communication_hidden"] > 0.6


def test_barriers_and_two_levels_around_a_loop_on_described_ranks() -> None:
    """Right data and no early exit with 1 to 3 nodes' worth of ranks; where two levels make no sense that is said."""
    operations = "barrier,broadcast,reduce,allreduce"
    words = ("operation=" + operations, "algorithm=linear,dissemination,two-level", "bytes=104", "calls=0,3")
    for ranks, two_levels in ((3, 0), (7, 4), (9, 4)):
        given = (*words, "node_ranks=3")
        lines = play("collective-overlap", MACHINE, ranks, [w for each in given for w in ("--set", each)])
        found = [json.loads(line) for line in lines.splitlines()]
        checks = [each for each in found if each["event"] == "check"]
        assert all(each["passed"] for each in checks)
        assert len(checks) == 2 * (3 + 1 + two_levels)  # linear: no allreduce; dissemination: a barrier
        notes = texts(found)
        assert any("two levels need two nodes" in note for note in notes) == (two_levels == 0)


def test_a_library_is_refused_where_none_is_described() -> None:
    with pytest.raises(ValueError, match="no non-blocking operations of a library on this machine"):
        play("collective-overlap", MACHINE, 4, ["--set", "algorithm=library"])


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize(("operations", "cases"), by_night(OPERATIONS, OPERATIONS[:1]), ids=["few", "all"])
def test_right_data_around_a_loop_on_mpi(operations: str, cases: int) -> None:
    assert MPI is not None
    program = build([benchmark("collective-overlap")], mpi=MPI)["collective-overlap"].path
    algorithms = "library,linear,binomial,recursive-doubling,ring,pairwise,dissemination,dimension-exchange,two-level"
    given = ["--set", f"operation={operations}", "--set", f"algorithm={algorithms}", "--set", "bytes=1000"]
    given += ["--set", "node_ranks=2"]
    given += ["--set", "calls=3", "--blocks", "1", "--repetitions", "2", "--deadline", "100"]
    command = [MPI.mpiexec, "-n", "3", str(program), *words("collective-overlap", *given)]
    environment = launch_environment(os.environ) | yielding()
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    found: list[dict[str, Any]] = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    checks = [each for each in found if each["event"] == "check"]
    assert ended.returncode == 0, ended.stderr
    assert all(each["passed"] for each in checks) and len(checks) == cases
    hidden = [v for e in found if e["event"] == "block" and e["metric"] == "communication_hidden" for v in e["values"]]
    assert len(hidden) == 2 * cases and all(value <= 1 for value in hidden)
