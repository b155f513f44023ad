"""However an MPI program ends, `assay mpirun` reports it once and leaves neither a process nor memory behind."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.mpi import wrappers
from by_night import by_night
from mpi_programs import compiled, gone, shared_memory

pytestmark = pytest.mark.paced


def mpirun(
    folder: Path, ranks: int, *words: str, options: tuple[str, ...] = (), given: str = ""
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assay", "mpirun", "--on", "ipsc860", "-n", str(ranks), *options, *words]
    state = {"ASSAY_RUNS": str(folder / "state")}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, input=given, timeout=120, env={**os.environ, **state}
    )


def left(mark: str) -> list[str]:
    """Processes whose command line has this word."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = each.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in text and each.parent.name != str(os.getpid()):
            found.append(text)
    return found


@pytest.mark.parametrize(
    ("way", "status", "report"),
    [
        ("never", 1, "rank 0 ended with exit status 0 and had not called MPI_Init"),
        ("crash", 139, "rank 1 was ended by signal 11 (Segmentation fault) before it called MPI_Finalize"),
        ("exit", 3, "rank 1 ended with exit status 3 before it called MPI_Finalize"),
        ("abort", 5, "rank 1 called MPI_Abort with 5"),
        ("poll", 1, "asks for ever: nothing is under way, and every other rank asks or waits"),
        (
            "deadlock",
            1,
            "deadlock at 0 s: rank 0 in MPI_Recv from rank 1 (tag 7); rank 1 in MPI_Recv from rank 2",
        ),
    ],
)
def test_an_end_that_should_not_be_is_one_report(way: str, status: int, report: str, tmp_path: Path) -> None:
    ended = mpirun(tmp_path, 3, str(compiled("ends")), way, options=("-q", "--out", "run"))
    assert ended.returncode == status, ended.stderr
    (line,) = ended.stderr.splitlines()
    assert line.startswith("assay: ") and report in line
    assert json.loads((tmp_path / "run" / "run.json").read_text())["state"] == "failed"
    assert not left(f"{compiled('ends')} {way}")


def test_an_error_of_mpi_names_the_function_the_rank_and_the_value(tmp_path: Path) -> None:
    ended = mpirun(tmp_path, 3, str(compiled("ends")), "fatal", options=("-q",))
    first, last = ended.stderr.splitlines()
    assert first.startswith("rank 1: MPI_Send: invalid rank: ") and "3" in first
    assert "rank 1 ended with exit status 1" in last and ended.returncode == 1


def test_the_exit_status_is_the_programs(tmp_path: Path) -> None:
    ended = mpirun(tmp_path, 3, str(compiled("ends")), "status", options=("--json",))
    document = json.loads(ended.stdout)
    assert ended.returncode == 7 and document["exits"] == [0, 0, 7] and not document["valid"]


def test_standard_input_is_rank_0s(tmp_path: Path) -> None:
    ended = mpirun(tmp_path, 3, str(compiled("ends")), "stdin", given="a line\n")
    lines = ["rank 0 read a line", "rank 1 read nothing", "rank 2 read nothing"]
    assert sorted(ended.stdout.splitlines()) == lines
    assert ended.stderr.startswith("assay: ") and len(ended.stderr.splitlines()) == 1


def test_lines_begin_with_their_rank_where_that_is_asked_for(tmp_path: Path) -> None:
    """Lines, long ones as well, stay whole; a last one gets its end."""
    ended = mpirun(tmp_path, 5, str(compiled("talks")), "200000", options=("-q", "--tag-output"))
    assert ended.returncode == 0, ended.stderr
    for stream, mark in ((ended.stdout, "out"), (ended.stderr, "err")):
        assert sorted(stream.splitlines()) == sorted(
            line
            for rank in range(5)
            for line in (f"[{rank}] {mark} {rank}", f"[{rank}] {str(rank) * 200000}", f"[{rank}] last {rank}")
        )


def test_tagged_output_does_not_wait_for_what_a_rank_leaves_running(tmp_path: Path) -> None:
    ended = mpirun(tmp_path, 2, str(compiled("talks")), "leaves", options=("-q", "--tag-output"))
    assert ended.returncode == 0 and "[1] last 1" in ended.stdout
    assert not left(f"{compiled('talks')} leaves")


def test_variables_and_the_folder_are_the_programs(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    options = ("-x", "ASSAY_TEST_VALUE=a=b", "--wdir", "there")
    ended = mpirun(tmp_path, 1, str(compiled("ends")), "environment", options=options)
    assert ended.stdout == f"a=b in {tmp_path / 'there'}\n"


def test_functions_that_know_nothing_of_the_machine_are_named(tmp_path: Path) -> None:
    source, program = tmp_path / "clock.c", tmp_path / "clock"
    source.write_text(
        "#include <mpi.h>\n#include <sys/mman.h>\n#include <sys/time.h>\n"
        "int main(int c, char **v) { struct timeval t; MPI_Init(&c, &v); gettimeofday(&t, 0);"
        ' if (c > 9) shm_open("x", 0, 0); MPI_Finalize(); return 0; }'
    )
    subprocess.run([*wrappers.command("c", [str(source), "-o", str(program), "-lrt"])], check=True)
    lines = mpirun(tmp_path, 2, str(program)).stderr.splitlines()
    assert lines[:2] == [
        f"assay: {program} uses gettimeofday: this computer's time; only MPI_Wtime is the machine's",
        f"assay: {program} uses shm_open: ranks that wait for each other in shared memory hang",
    ]
    checked = json.loads(mpirun(tmp_path, 2, "--check", "--json", str(program)).stdout)
    assert (checked["clocks"], checked["shared_memory"]) == (["gettimeofday"], ["shm_open"])


@pytest.mark.parametrize(
    ("words", "report"),
    [
        (("./none",), "PROGRAM: is no file; got './none', expected a program"),
        (("--set", "nodes=1", "true"), "--set: is no value of the machine; got 'nodes=1', expected machine.KEY=VALUE"),
        (
            ("--compute", "cpu:0", "true"),
            "--compute: is no way of charging computing; got 'cpu:0', expected none, cpu:",
        ),
        (("--library", "other", "true"), "--library: no such library; got 'other', expected own, mpich"),
        (("-x", "ASSAY_NO_SUCH", "true"), "-x: is not set here"),
        ((), "PROGRAM: is missing"),
    ],
)
def test_what_can_be_refused_is_refused_before_it_starts(words: tuple[str, ...], report: str, tmp_path: Path) -> None:
    ended = mpirun(tmp_path, 2, *words)
    assert ended.returncode == 2 and report in ended.stderr, ended.stderr
    assert [each.name for each in tmp_path.iterdir() if each.name != "state"] == []


def test_a_program_without_mpi_is_told_so(tmp_path: Path) -> None:
    ended = mpirun(tmp_path, 2, "true")
    assert ended.returncode == 1
    assert "the program does not start Assay's MPI library" in ended.stderr


WHOM = ("assay", "supervisor", "first", "rank")
KILLS = list(itertools.product((signal.SIGKILL, signal.SIGTERM, signal.SIGINT), WHOM))
# SIGKILL of each process; SIGTERM and Ctrl-C where batch systems and terminals send them, and one to a rank.
FEW = [*KILLS[:4], *((signal.SIGTERM, whom) for whom in ("assay", "supervisor", "rank")), (signal.SIGINT, "assay")]


@pytest.mark.parametrize(("number", "whom"), by_night(KILLS, FEW))
def test_kills_leave_nothing(number: signal.Signals, whom: str, tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-{number}-{whom}"
    with to_be_killed(tmp_path, "ipsc860", 5, str(compiled("ends")), "hang", mark) as started:
        processes = until(lambda: ranks_of(started.pid, mark), 6)
        target = {"assay": started.pid, "supervisor": parent(processes[0]), "first": processes[0], "rank": processes[3]}
        os.kill(target[whom], number)


@contextlib.contextmanager
def to_be_killed(folder: Path, machine: str, ranks: int, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A run, of which something is killed inside; of it neither a process nor shared memory may be left afterwards.

    The last of `words` is in the command lines of its processes alone.
    """
    before = shared_memory()
    command = [sys.executable, "-m", "assay", "mpirun", "-q", "--on", machine, "-n", str(ranks), *words]
    started = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "ASSAY_RUNS": str(folder / "state")},
    )
    try:
        yield started
        started.wait(30)
    finally:
        if started.poll() is None:
            started.kill()
            started.wait()
    assert until(lambda: [] if left(words[-1]) else [0], 1)
    gone(shared_memory() - before)


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def ranks_of(assay: int, mark: str, name: str = "ends") -> list[int]:
    """The program's processes, the first one and then its ranks."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words and words[0].endswith(Path(compiled(name)).name.encode()):
            found.append(int(each.parent.name))
    return sorted(found)


def until(found: object, count: int) -> list[int]:
    """What a function gives once that are so many."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        now = found()  # type: ignore[operator]
        if len(now) >= count:
            return list(now)
        time.sleep(0.05)
    raise AssertionError(f"not {count} within 30 s: {now}")
