"""MPICH as it is, over the libfabric provider: data of the same library on this computer, times of Assay's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assay.mpi.fabric import PLACE, provider
from assay.mpi.launch import MpiLaunch, launch
from mpi_programs import asked, compiled, gone, output, shared_memory
from mpich_wheel import FOLDER, apart, lines, mpich, needs_mpich, really
from test_mpirun import echo

pytestmark = [pytest.mark.mpi, needs_mpich]


def ran(folder: Path, machine: str, ranks: int, name: str, *arguments: str) -> tuple[MpiLaunch, list[str]]:
    """What became of it, and the lines that its ranks print."""
    folder.mkdir()
    wish = asked(machine, ranks, name, *arguments)
    made = launch(replace(wish, words=apart(folder, wish.words), mpich=mpich(), marks=False), provider())
    assert made.exit_status == 0, made.served.failure
    return made, lines(folder)


@pytest.mark.parametrize(("machine", "cycles"), [("ipsc860", 0), ("delta", 0), ("dragonfly-slingshot", 2)])
def test_a_ping_pong_takes_what_echo_takes(machine: str, cycles: int, tmp_path: Path) -> None:
    """To the picosecond; MPI_Init has sent messages before, so that the network may be elsewhere in its cycle."""
    for length in (8, 100_000):
        wish = asked(machine, 2, "pingpong")
        cycle = 1e12 * float(wish.machine["cycle"])
        _, (text,) = ran(tmp_path / str(length), machine, 2, "pingpong", str(length))
        assert abs(int(text) - echo(machine, 2, length)) <= cycles * cycle


@pytest.mark.parametrize(
    ("name", "ranks", "arguments"),
    [("modes", 3, ()), ("modes", 4, ()), ("windows", 4, ()), ("windows", 2, ("67108864",)),
     ("persistent", 4, ()), ("between", 5, ("2",)), ("local", 4, ())],
)  # fmt: skip
def test_programs_get_what_they_get_on_this_computer(
    name: str, ranks: int, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    _, simulated = ran(tmp_path / "simulated", "dragonfly-slingshot", ranks, name, *arguments)
    (tmp_path / "real").mkdir()
    assert simulated == really(tmp_path / "real", ranks, [str(compiled(name)), *arguments])


@pytest.mark.parametrize(("name", "ranks", "arguments"), [("looks", 4, ()), ("between", 5, ("2",))])
def test_assays_own_library_brings_what_this_mpich_brings(
    name: str, ranks: int, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    """Functions of MPI 4.1 as well, which Debian's MPICH has not."""
    expected = really(tmp_path, ranks, [str(compiled(name)), *arguments])
    assert sorted(output("dragonfly-slingshot", ranks, name, *arguments).splitlines()) == expected


def test_repetitions_give_the_same_bits(tmp_path: Path) -> None:
    (first, text), (again, same) = (ran(tmp_path / name, "ipsc860", 4, "modes") for name in ("first", "again"))
    assert (first.served.makespan, first.served.events, first.served.messages) == (
        again.served.makespan,
        again.served.events,
        again.served.messages,
    )
    assert text == same


def on_three_ranks(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assay", "mpirun", "--on", "ipsc860", "-n", "3", "--library", "mpich", "-q"]
    return subprocess.run(
        [*command, *words],
        capture_output=True,
        text=True,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        timeout=120,
        env=os.environ | {PLACE: str(FOLDER)},
    )


@pytest.mark.paced
@pytest.mark.parametrize(
    ("way", "status", "report"),
    [
        ("deadlock", 1, "rank 0 in MPICH from rank 1 (any tag); rank 1 in MPICH from rank 2"),
        ("poll", 1, "asks for ever"),
        ("abort", 5, "MPICH's mpiexec ended with status 5 before all ranks had called MPI_Finalize"),
        ("crash", 11, "MPICH's mpiexec ended with status 11 before all ranks had called MPI_Finalize"),
        ("status", 7, ""),
    ],
)
def test_every_end_is_one_report_and_leaves_nothing(way: str, status: int, report: str, tmp_path: Path) -> None:
    before = shared_memory()
    ended = on_three_ranks(tmp_path, "--out", "run", str(compiled("ends")), way)
    assert ended.returncode == status, ended.stderr
    assert report in ended.stderr and "Traceback" not in ended.stderr
    gone(shared_memory() - before)


def test_the_document_names_whose_algorithms_were_used(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "assay", "mpirun", "--on", "ipsc860", "-n", "2", "--library", "mpich", "--json"]
    ended = subprocess.run(
        [*command, "--out", "run", str(compiled("pingpong")), "8"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        check=True,
        env=os.environ | {PLACE: str(FOLDER)},
    )
    document = json.loads(ended.stdout)
    assert (document["library"], document["collectives"]) == ("mpich", "mpich")


def test_a_program_of_mpichs_own_interface_runs_over_its_library_alone(tmp_path: Path) -> None:
    """One that is linked to libmpi.so.12, as it is: with the same times as one of the standard ABI."""
    source = Path(__file__).parent / "mpi" / "pingpong.c"
    headers, libraries = Path(str(FOLDER)) / "include", Path(str(FOLDER)) / "lib"
    program = tmp_path / "pingpong"
    words = ["cc", "-O1", "-w", f"-I{headers}", str(source), "-o", str(program), str(libraries / "libmpi.so.12")]
    subprocess.run([*words, f"-Wl,-rpath-link,{libraries}"], check=True)
    wish = replace(asked("ipsc860", 2, "pingpong", "100"), mpich=mpich(), marks=False)
    (tmp_path / "out").mkdir()
    made = launch(replace(wish, words=apart(tmp_path / "out", [str(program), "100"])), provider())
    assert made.exit_status == 0, made.served.failure
    assert [int(line) for line in lines(tmp_path / "out")] == [echo("ipsc860", 2, 100)]
    command = [sys.executable, "-m", "assay", "mpirun", "--on", "ipsc860", "-n", "2", str(program)]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 2 and "libmpi.so.12 (MPICH's own interface)" in ended.stderr
    assert "--library mpich" in ended.stderr and "assay mpicc" in ended.stderr


def test_a_program_of_another_mpi_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """Debian's MPICH names its library in another way, and Open MPI's interface is another one."""
    source, program = tmp_path / "other.c", tmp_path / "other"
    source.write_text("int MPI_Init(void *, void *); int main(void) { return MPI_Init(0, 0); }")
    stub = tmp_path / "stub.c"
    stub.write_text("int MPI_Init(void *a, void *b) { return 0; }")
    for name in ("libmpi.so.40", "libmpich.so.12"):
        words = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{name}", str(stub), "-o", str(tmp_path / name)]
        subprocess.run(words, check=True)
        subprocess.run(["cc", str(source), str(tmp_path / name), "-o", str(program)], check=True)
        command = [sys.executable, "-m", "assay", "mpirun", "--on", "ipsc860", "--library", "mpich", str(program)]
        ended = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=os.environ | {PLACE: str(FOLDER)}
        )
        assert ended.returncode == 2 and name in ended.stderr and "compile it again with `assay mpicc`" in ended.stderr
        assert len(ended.stderr.splitlines()) == 1


@pytest.mark.paced
def test_lines_begin_with_their_rank_where_that_is_asked_for(tmp_path: Path) -> None:
    ended = on_three_ranks(tmp_path, "--tag-output", str(compiled("ends")), "environment")
    assert sorted(ended.stdout.splitlines()) == [f"[{rank}] unset in {tmp_path}" for rank in range(3)]


def test_what_cannot_be_is_refused_in_a_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "assay", "mpirun", "--on", "ipsc860", "--library", "mpich"]
    for more, folder, key in ((["--compute", "cpu:1"], FOLDER, "--compute"), ([], str(tmp_path), PLACE)):
        ended = subprocess.run(
            [*command, *more, str(compiled("ends"))],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | {PLACE: str(folder)},
        )
        assert ended.returncode == 2 and key in ended.stderr, ended.stderr
        assert len(ended.stderr.splitlines()) == 1
    assert not [*tmp_path.iterdir()]
