"""Unmodified MPI programs on described machines: their times are Assay's own, their data those of other MPIs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay._core import ranks as core
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.described.shipped import open_described, shipped
from assay.mpi import request
from assay.mpi.launch import MpiLaunch
from mpi_programs import asked, output, ran
from mpis_here import MPI, start_ranks

CONSTANT = """
name = "constant"
nodes = 8
[messages]
startup = "3 us"
per_byte = "2 ns/B"
"""


def echo(name: str, ranks: int, length: int) -> int:
    """A round trip of Assay's own echo in picoseconds."""
    description = open_described(name, {})
    machine, _, _ = request.places_of(description, ranks, None, None)
    words = program_words(benchmark("echo"), ["--set", f"bytes={length}", "--set", "repetitions=1"], simulated=True)
    blocks = core.play("echo", machine, ranks, words).blocks
    assert blocks["metric"] == ["round_trip"]
    return round(blocks["values"][0] * 1e12)


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_ping_pong_takes_what_echo_takes_on_every_shipped_description(name: str) -> None:
    for length in (8, 100_000):
        assert int(output(name, 2, "pingpong", str(length))) == echo(name, 2, length)


@settings(max_examples=4, deadline=None)
@given(
    lengths=st.lists(
        st.one_of(st.integers(0, 300), st.sampled_from([1000, 5000, 20_000, 100_000])), min_size=2, max_size=12
    )
)
@example(lengths=[0, 112, 56, 168, 8, 5000, 0, 100_000, 1, 20_000, 0])
@pytest.mark.parametrize("name", sorted(shipped()))
def test_messages_with_one_tag_are_found_in_the_order_of_their_sends(name: str, lengths: list[int]) -> None:
    """MPI 5.0, section 3.5: they do not overtake each other, whatever their protocols."""
    assert output(name, 2, "order", *map(str, lengths)).split() == [str(length) for length in lengths]


def test_on_the_constant_machine_a_message_takes_its_startup_and_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "constant.toml"
    path.write_text(CONSTANT)
    for length in (0, 1, 1000, 123_457):
        taken = int(output(open_described(str(path), {}), 2, "pingpong", str(length)))
        assert taken == 2 * (3_000_000 + 2_000 * length)


def test_placed_ranks_are_as_far_from_each_other_as_their_nodes() -> None:
    near = int(output("ipsc860", 2, "pingpong", "8"))
    far = int(output("ipsc860", 2, "pingpong", "8", placement=("0,127", 1)))
    assert far > near
    assert int(output("ipsc860", 2, "pingpong", "8", placement=("64,65", 1))) == near


def times(made: MpiLaunch) -> tuple[object, ...]:
    served = made.served
    return served.makespan, served.events, served.messages, served.switches, served.operations, served.calls


def test_the_same_bits_on_repeat_and_on_one_core() -> None:
    everywhere = os.sched_getaffinity(0)
    first, text = ran(asked("dragonfly-slingshot", 6, "modes"))
    again, same = ran(asked("dragonfly-slingshot", 6, "modes"))
    try:
        os.sched_setaffinity(0, {min(everywhere)})
        alone, serial = ran(asked("dragonfly-slingshot", 6, "modes"))
    finally:
        os.sched_setaffinity(0, everywhere)
    assert times(first) == times(again) == times(alone)
    assert text == same == serial


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("ranks", [3, 6])
def test_messages_in_all_modes_bring_what_they_bring_under_another_mpi(ranks: int, tmp_path: Path) -> None:
    assert MPI is not None
    program = tmp_path / "modes"
    source = Path(__file__).parent / "mpi" / "modes.c"
    wrapper = MPI.mpicxx.replace("mpicxx", "mpicc")
    subprocess.run([wrapper, "-w", "-O1", str(source), "-o", str(program)], check=True)
    there = start_ranks(MPI, ranks, program)
    assert there.returncode == 0, there.stderr
    expected = [line for line in there.stdout.splitlines() if "UCX" not in line]
    for machine in ("ipsc860", "dragonfly-slingshot"):
        assert output(machine, ranks, "modes").splitlines() == expected


def test_messages_of_64_mib_arrive_whole() -> None:
    lines = output("fat-tree-hdr", 3, "modes", "large").splitlines()
    assert sorted(line for line in lines if "large" in line) == ["0 large 0", "1 large 0", "2 large 0"]


def test_calls_are_timed_by_function_length_and_peer() -> None:
    made, _ = ran(asked("ipsc860", 2, "pingpong", "100"))
    calls = {(function, length, peer): (count, total) for function, length, peer, count, total, *_ in made.served.calls}
    assert {key for key in calls if key[0] in ("MPI_Send", "MPI_Recv")} == {
        ("MPI_Send", 100, 0), ("MPI_Send", 100, 1), ("MPI_Recv", 100, 0), ("MPI_Recv", 100, 1)
    }  # fmt: skip
    round_trip = echo("ipsc860", 2, 100)
    assert calls["MPI_Send", 100, 1][1] + calls["MPI_Recv", 100, 1][1] == round_trip
    assert 2 * calls["MPI_Recv", 100, 0][1] == round_trip


@pytest.mark.parametrize("where", ["", "last", "clock"])
def test_computing_takes_its_processor_time_where_that_is_asked_for(where: str) -> None:
    """0.05 s of the thread's own clock, on any side of the program's calls but before MPI_Init."""
    free, _ = ran(asked("ipsc860", 2, "computes", where))
    charged, text = ran(asked("ipsc860", 2, "computes", where, factor=1000.0))
    assert free.served.makespan < 1e-3 * 1e12
    assert charged.served.makespan == pytest.approx(1000 * 0.05 * 1e12, rel=0.2)
    if where == "clock":
        assert float(text) == pytest.approx(1000 * 0.05, rel=0.2)


def test_a_loop_that_waits_for_a_time_comes_to_it() -> None:
    made, _ = ran(asked("ipsc860", 2, "ends", "clock"))
    assert made.exit_status == 0 and made.served.makespan >= 0.001 * 1e12


def test_a_timeline_has_the_messages_of_the_program() -> None:
    made, _ = ran(asked("ipsc860", 2, "pingpong", "64", logged=True))
    assert made.log is not None
    assert made.log["sent"]["bytes"] == [64, 64] and made.log["sent"]["source"] == [0, 1]
    assert made.log["matrix"]["messages"] == [1, 1]
