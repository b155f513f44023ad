"""One-sided communication of Assay's MPI library: its data are those of another MPI, its times those of `bandwidth`."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay._core import ranks as core
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described, shipped
from assay.mpi import request
from mpi_elsewhere import elsewhere
from mpi_programs import asked, compiled, output, ran
from mpis_here import MPI
from test_mpirun import CONSTANT, times
from test_mpirun_ends import mpirun, ranks_of, to_be_killed, until

ACCESSES = 16  # of an operation of `bandwidth`
WITH_PUTS = [name for name in sorted(shipped()) if "one_sided" in open_described(name, {}).for_core(1)]


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("name", ["fat-tree-hdr", "ipsc860", "paragon-mp"])
@pytest.mark.parametrize("ranks", [2, 5])
def test_accesses_in_all_epochs_leave_what_they_leave_under_another_mpi(name: str, ranks: int) -> None:
    """By puts and gets of the description, and where it has none by messages."""
    assert output(name, ranks, "one_sided").splitlines() == elsewhere(ranks, "one_sided")


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_a_window_of_the_standards_own_example_is_another_mpis() -> None:
    assert sorted(output("dragonfly-slingshot", 4, "windows").splitlines()) == sorted(elsewhere(4, "windows"))


def test_a_rank_that_looks_at_its_memory_finds_what_another_puts_there() -> None:
    lines = output("fat-tree-hdr", 3, "one_sided", "looks").splitlines()
    assert [line for line in lines if line.startswith("looked")] == ["looked 0: 0 ", "looked 1: 0 ", "looked 2: 1 "]


WORDS = 4096  # of tests/mpi/access_script.c
Access = tuple[str, int, str, int, int, int, int]


@st.composite
def accesses(draw: st.DrawFn) -> Access:
    """An access of the program access_script: its epoch, who acts, what, and whereon."""
    kind = draw(st.sampled_from(("put", "get", "sum", "max", "fetch", "fop", "swap")))
    count = 1 if kind in ("fop", "swap") else draw(st.sampled_from((1, 2, 3, 40, 1500)))
    epoch = draw(st.sampled_from(("fence", "open", "shared", "exclusive", "all")))
    acts, target = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    at = draw(st.one_of(st.integers(0, 3), st.just(WORDS - count)))
    return epoch, acts, kind, target, at, count, draw(st.integers(-5000, 5000))


def played(script: list[Access]) -> list[tuple[int, int]]:
    """What the definitions of the operations give: weighted sums of each rank's memory, and of what it fetched."""
    memory = [[1000 * rank + i for i in range(WORDS)] for rank in range(3)]
    fetched = [0, 0, 0]
    for _, acts, kind, target, at, count, value in script:
        old, new = memory[target][at : at + count], [value + i for i in range(count)]
        if kind in ("get", "fetch", "fop", "swap"):
            fetched[acts] += sum((i + 1) * each for i, each in enumerate(old))
        memory[target][at : at + count] = {
            "put": new,
            "get": old,
            "sum": [a + b for a, b in zip(old, new, strict=True)],
            "max": [max(a, b) for a, b in zip(old, new, strict=True)],
            "fetch": [a + b for a, b in zip(old, new, strict=True)],
            "fop": new,
            "swap": new if old == [1000 * target + at] else old,
        }[kind]
    return [(sum((i + 1) * each for i, each in enumerate(its)), fetched[rank]) for rank, its in enumerate(memory)]


@pytest.mark.parametrize("name", ["fat-tree-hdr", "paragon-mp", "ipsc860"])
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(script=st.lists(accesses(), min_size=5, max_size=40))
def test_accesses_do_what_their_definitions_say(name: str, script: list[Access]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "script"
        file.write_text("".join(" ".join(map(str, each)) + "\n" for each in script), encoding="utf-8")
        lines = output(name, 3, "access_script", str(file)).splitlines()
    assert [tuple(map(int, line.split())) for line in lines] == played(script)


def bandwidth(description: DescribedMachine, means: str, length: int) -> int:
    """Picoseconds of 16 accesses of one rank to one other, until all are there, as Assay's own benchmark."""
    machine, _, _ = request.places_of(description, 2, None, None)
    given = {"bytes": length, "means": means, "directions": 1, "pairs": 1, "repetitions": 1}
    settings = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    blocks = core.play("bandwidth", machine, 2, program_words(benchmark("bandwidth"), settings, simulated=True)).blocks
    assert blocks["metric"] == ["time"]
    return round(blocks["values"][0] * 1e12)


@pytest.mark.parametrize("means", ["put", "get"])
@pytest.mark.parametrize("length", [8, 20_000])
@pytest.mark.parametrize("name", WITH_PUTS)
def test_puts_and_gets_take_what_they_take_in_bandwidth(name: str, length: int, means: str) -> None:
    """The network may be elsewhere in its cycle, since the window's making has sent messages: two cycles per access."""
    description = open_described(name, {})
    cycle = 1e12 * float(description.for_core(1)["cycle"])
    taken = int(output(description, 2, "access_time", means, str(length), str(ACCESSES)))
    assert abs(taken - bandwidth(description, means, length)) <= 2 * cycle * ACCESSES


def test_on_the_constant_machine_an_access_takes_its_messages(tmp_path: Path) -> None:
    path = tmp_path / "constant.toml"
    path.write_text(CONSTANT)
    machine = open_described(str(path), {})
    for access in ("put", "get", "accumulate"):
        taken = int(output(machine, 2, "access_time", access, "1000", str(ACCESSES)))
        assert taken == bandwidth(machine, access.replace("accumulate", "put"), 1000)
    assert int(output(machine, 2, "access_time", "fetch", "8", "1")) == bandwidth(machine, "get", 8) // ACCESSES


def test_the_same_bits_on_repeat_and_on_one_core() -> None:
    everywhere = os.sched_getaffinity(0)
    for name in ("fat-tree-hdr", "ipsc860"):
        first, text = ran(asked(name, 6, "one_sided", "looks"))
        again, same = ran(asked(name, 6, "one_sided", "looks"))
        try:
            os.sched_setaffinity(0, {min(everywhere)})
            alone, serial = ran(asked(name, 6, "one_sided", "looks"))
        finally:
            os.sched_setaffinity(0, everywhere)
        assert text and text == same == serial
        assert times(first) == times(again) == times(alone)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_ranks_of_a_node_share_memory() -> None:
    assert output("compaq-alphaserver-sc", 4, "shared_window").splitlines() == elsewhere(4, "shared_window")


@pytest.mark.paced
@pytest.mark.parametrize(
    ("way", "report"),
    [
        ("lock", "rank 0 in MPI_Recv from rank 1 (tag 7); rank 1 in MPI_Win_lock from rank 0 (any tag)"),
        ("start", "rank 0 in MPI_Win_start from rank 1"),
        ("wait", "rank 0 in MPI_Win_wait from rank 1"),
        ("fence", "rank 0 in MPI_Win_fence from rank 1"),
        ("sync", "rank 0 asks for ever"),
        ("unattached", "rank 0 accesses 4 bytes at the address 0x1000 of rank 1, which are not in memory that"),
        ("unmapped", "rank 0 writes to rank 1: its memory of 4 bytes at 0x40 cannot be reached: Bad address"),
    ],
)
def test_what_never_ends_or_reaches_nothing_is_one_report(way: str, report: str, tmp_path: Path) -> None:
    ended = mpirun(tmp_path, 2, str(compiled("window_ends")), way, options=("-q",))
    assert ended.returncode == 1, ended.stderr
    (line,) = ended.stderr.splitlines()
    assert report in line


@pytest.mark.paced
@pytest.mark.parametrize(
    ("way", "report"),
    [
        ("epoch", "MPI_Put: wrong synchronization of a window: rank 1 is accessed outside of an epoch"),
        ("range", "rank 0: MPI_Put: memory outside of the window: 4 bytes at displacement 4 (units of 4 B) of rank 1"),
        ("operation", "rank 0: MPI_Accumulate: invalid operation: the operation is not defined for the elements"),
        ("nodes", "MPI_Win_allocate_shared: memory cannot be shared: the ranks are on several nodes of the machine"),
    ],
)
def test_a_wrong_call_names_the_function_and_the_values(way: str, report: str, tmp_path: Path) -> None:
    ended = mpirun(tmp_path, 2, str(compiled("window_ends")), way, options=("-q",))
    assert ended.returncode == 1 and report in ended.stderr, ended.stderr


def test_a_program_that_handles_its_errors_goes_on() -> None:
    assert output("ipsc860", 2, "window_ends", "returned").splitlines() == ["1111", "1111"]


@pytest.mark.paced
@pytest.mark.parametrize("whom", ["assay", "rank"])
def test_kills_leave_no_shared_window(whom: str, tmp_path: Path) -> None:
    mark = f"shared-{os.getpid()}-{whom}"
    with to_be_killed(tmp_path, "compaq-alphaserver-sc", 4, str(compiled("shared_window")), mark) as started:
        processes = until(lambda: ranks_of(started.pid, mark, "shared_window"), 5)
        os.kill(started.pid if whom == "assay" else processes[2], signal.SIGKILL)
