"""Ranks whose clocks differ, by a time namespace with an offset of its own: timed on one clock, whose error is told."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.execute.mpi import Mpi, launch_environment
from by_night import first_by_day
from mpis_here import CROWD, MPI, WHEEL
from started import words

MPIS = [each for each in (MPI, WHEEL) if each]
OFFSET = 1000  # s, ahead of the host's
ELSEWHERE = ("unshare", *(() if os.geteuid() == 0 else ("-r",)), "-T", "--monotonic", str(OFFSET), "--fork")

pytestmark = [
    pytest.mark.measures,
    pytest.mark.mpi,
    pytest.mark.skipif(not MPIS, reason="no MPI here"),
    pytest.mark.skipif(
        subprocess.run([*ELSEWHERE, "true"], capture_output=True).returncode != 0, reason="no time namespaces here"
    ),
]
each_mpi = pytest.mark.parametrize("mpi", first_by_day(MPIS), ids=str)


def launched(mpi: Mpi, name: str, ranks: list[tuple[str, ...]], *settings: str) -> list[dict[str, Any]]:
    """The lines of a launch whose ranks are each started behind words of their own."""
    given = [*(w for s in settings for w in ("--set", s)), "--blocks", "2", "--repetitions", "50", "--deadline", "60"]
    command_words = [str(build([benchmark(name)], mpi=mpi)[name].path), *words(name, *given)]
    command = [mpi.mpiexec]
    for before in ranks:
        command += [*([":"] if len(command) > 1 else []), "-n", "1", *before, *command_words]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=100, env=launch_environment(os.environ) | CROWD
    )
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]


def values(lines: list[dict[str, Any]], metric: str) -> list[float]:
    return [v for line in lines if line["event"] == "block" and line["metric"] == metric for v in line["values"]]


def test_the_namespace_has_a_clock_of_its_own() -> None:
    clock = "import time; print(time.clock_gettime(time.CLOCK_MONOTONIC))"
    here, there = (
        float(subprocess.run([*words, "python3", "-c", clock], capture_output=True, text=True, check=True).stdout)
        for words in ((), ELSEWHERE)
    )
    assert there - here == pytest.approx(OFFSET, abs=10)


each_collective = pytest.mark.parametrize(
    ("name", "few"),
    [("barrier", ("algorithm=dissemination", "timing=window")), ("alltoall", ("bytes=8",))],
    ids=["barrier", "alltoall"],
)


@each_mpi
@each_collective
def test_one_clock_has_no_error(mpi: Mpi, name: str, few: tuple[str, ...]) -> None:
    lines = launched(mpi, name, [(), ()], *few)
    assert values(lines, "clock_error") == [] and len(values(lines, "time")) == 100


@each_mpi
@pytest.mark.parametrize("ahead", [0, 1], ids=["rank 0 ahead", "rank 1 ahead"])
@each_collective
def test_collectives_are_timed_on_one_clock_whose_error_is_told(
    mpi: Mpi, ahead: int, name: str, few: tuple[str, ...]
) -> None:
    apart = launched(mpi, name, [ELSEWHERE if rank == ahead else () for rank in (0, 1)], *few)
    errors, times = values(apart, "clock_error"), values(apart, "time")
    # whatever else the machine does meanwhile; without the clocks' offset it would be a thousand seconds, or minus that
    assert errors and all(0 < error < 0.1 for error in errors)
    assert len(times) == 100 and all(-2 * max(errors) < time < 10 for time in times)
    assert statistics.median(times) < 0.1
    assert any("clocks agree within" in line["text"] for line in apart if line["event"] == "note")
    assert all(line["passed"] for line in apart if line["event"] == "check")
