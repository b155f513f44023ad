"""EuroBen's distributed dot product and fine ping-pong on MPI: right data, wrong data seen, Table 6.15's row."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analysis.ping_pong import greatest_rate, latency
from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.execute.mpi import launch_environment
from assay.published.tables.euroben_pingpong import tables
from assay.report.derive.document import document
from assay.report.units import human
from assay.store import Run
from command_line import assay
from compiled import compile_to
from made_documents import document as of_sections
from made_documents import figure, section
from mpis_here import MPI, yielding
from remarked import texts
from started import words

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"
WAYS = ("naive", "tree", "library")
GIVEN = {"distributed-dot": "length=1,36,1000", "fine-echo": "bytes=4,5000"}


def checks(program: Path, name: str, ranks: int) -> tuple[int, dict[str, set[bool]], list[str]]:
    """The exit status, what became of the checks by implementation, and the notes."""
    assert MPI is not None
    few = ["--blocks", "1", "--repetitions", "3", "--batch", "2", "--deadline", "100", "--set", GIVEN[name]]
    command = [MPI.mpiexec, "-n", str(ranks), str(program), *words(name, *few)]
    environment = launch_environment(os.environ) | yielding()
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    found: dict[str, set[bool]] = {}
    for line in lines:
        if line["event"] == "check":
            found.setdefault(line["case"].get("implementation", "echo"), set()).add(line["passed"])
    return ended.returncode, found, texts(lines)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("ranks", [1, 3, 6])
def test_every_dot_product_is_right_on_mpi(ranks: int) -> None:
    program = build([benchmark("distributed-dot")], mpi=MPI)["distributed-dot"].path
    assert checks(program, "distributed-dot", ranks)[:2] == (0, {way: {True} for way in WAYS})


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_a_wrong_sum_is_seen_in_every_implementation(tmp_path: Path) -> None:
    source = PROGRAMS / "ranks" / "distributed_dot.hpp"
    broken, main = tmp_path / "broken", PROGRAMS / "mpi" / "main.cpp"
    compile_to(broken, main, f'-DASSAY_PROGRAM="{source}"', "-DASSAY_BREAK", "-O0", mpi=MPI)
    assert checks(broken, "distributed-dot", 2)[:2] == (1, {way: {False} for way in WAYS})


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_the_fine_ping_pong_is_right_on_mpi_and_states_its_timer_s_steps() -> None:
    program = build([benchmark("fine-echo")], mpi=MPI)["fine-echo"].path
    status, found, notes = checks(program, "fine-echo", 3)
    assert (status, found) == (0, {"echo": {True}})
    assert any("the timer's steps are" in note and note.endswith("ns or less") for note in notes)


def test_latency_and_greatest_rate_of_a_line_are_its_own() -> None:
    """T = 5 us + n / 1 GB/s up to 1,000 bytes; what longer messages do has no part in the latency."""
    times = {n: 5e-6 + n * 1e-9 for n in (4, 60, 256, 1000)} | {100_000: 0.5e-3}
    assert latency(times) == pytest.approx(5e-6)
    assert greatest_rate(times) == (pytest.approx(2e8), 100_000)
    assert np.isnan(latency({4: 1e-6}))


def test_table_6_15_has_the_machine_s_row(tmp_path: Path) -> None:
    """On a described machine both numbers are those of its line."""
    machine = PROGRAMS.parent / "examples" / "constant.toml"
    made = assay("run", "fine-echo", "--on", str(machine), "-n", "2", "--out", str(tmp_path / "run"))
    assert made.status == 0 and "Table 6.15" in made.out
    (table,) = tables(document(Run.open(tmp_path / "run")))
    assert table.rows[0][1:] == ("2.5 MB/s", human(70e-6, "s"))
    quoted = {row[0]: row[1:] for row in table.rows[1:]}
    assert quoted["SGI L1200 cluster"] == ("94 MB/s", "15.9 us")
    assert quoted["IBM Netfinity cluster (Poughkeepsie) ?"] == ("132 MB/s", "2.7 us")


def test_a_greatest_rate_known_only_by_its_best_reading_says_so() -> None:
    """A length without a median has a part in the rate and none in the latency."""

    def time(length: int, value: float, state: str = "clean") -> dict[str, Any]:
        statistic = "best" if state == "bound" else "median"
        return figure("half_round_trip", value, "s", statistic, bytes=length) | {"state": state}

    times = [time(8, 5e-6), time(800, 6e-6), time(1000, 1e-6, "bound"), time(10**6, 1e-4, "bound")]
    (table,) = tables(of_sections(section("fine-echo", times)))
    assert table.rows[0][1:] == ("10 GB/s (best reading)", human(5e-6 - 8 * 1e-6 / 792, "s", 3))
    (clean,) = tables(of_sections(section("fine-echo", [*times[:3], time(10**6, 1e-4)])))
    assert clean.rows[0][1] == "10 GB/s" and f"r_max at {human(10**6, 'B')}" in clean.note


def test_two_ranks_in_one_node_and_in_two_have_a_row_each(tmp_path: Path) -> None:
    """Each row is the two numbers of its own run; the latency's lengths are counted, and those of a cell's twin."""
    given = ("run", "fine-echo", "--on", "sgi-l1200-cluster", "-n", "2")
    assert assay(*given, "--ppn", "1,2", "--out", str(tmp_path / "both")).status == 0
    (table,) = tables(document(Run.open(tmp_path / "both")))
    rows = {}
    for ppn in ("1", "2"):
        assert assay(*given, "--ppn", ppn, "--out", str(tmp_path / ppn)).status == 0
        (own,) = tables(document(Run.open(tmp_path / ppn)))
        assert own.rows[0][0] == "sgi-l1200-cluster (simulated)"
        rows[ppn] = own.rows[0][1:]
    assert rows["1"] != rows["2"]
    first, second, quoted = table.rows[:3]
    assert tuple(first) == ("sgi-l1200-cluster (simulated, 1 CPU/node)", *rows["1"])
    assert tuple(second) == ("sgi-l1200-cluster (simulated, 2 CPUs/node)", *rows["2"])
    assert "(simulated" not in quoted[0]
    lengths = benchmark("fine-echo").parameters["bytes"].default
    assert isinstance(lengths, tuple)
    short = [length for length in lengths if int(length) <= 1000]
    assert f"over {len(short)} lengths up to 1,000 B (the one beside a published cell: over 9)" in table.note
