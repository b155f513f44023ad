"""Overlap of computing with a collective: what must hide and what cannot, and right data around a loop."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.execute.mpi import launch_environment
from command_line import assay
from mpis_here import CROWD, MPI
from started import words

CASES = 10 + 21  # of the library, and of the table's algorithms that are chosen below


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


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_right_data_around_a_loop_on_mpi() -> None:
    assert MPI is not None
    program = build([benchmark("collective-overlap")], mpi=MPI)["collective-overlap"].path
    operations = "broadcast,reduce,allreduce,gather,scatter,allgather,reduce-scatter,alltoall,alltoallv,scan"
    algorithms = "library,linear,binomial,recursive-doubling,ring,pairwise"
    given = ["--set", f"operation={operations}", "--set", f"algorithm={algorithms}", "--set", "bytes=1000"]
    given += ["--set", "calls=0,3", "--blocks", "1", "--repetitions", "2", "--deadline", "100"]
    command = [MPI.mpiexec, "-n", "3", str(program), *words("collective-overlap", *given)]
    environment = launch_environment(os.environ) | CROWD
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    found: list[dict[str, Any]] = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    checks = [each for each in found if each["event"] == "check"]
    assert ended.returncode == 0, ended.stderr
    assert all(each["passed"] for each in checks) and len(checks) == 2 * CASES
    hidden = [v for e in found if e["event"] == "block" and e["metric"] == "communication_hidden" for v in e["values"]]
    assert len(hidden) == 2 * 2 * CASES and all(value <= 1 for value in hidden)
