"""What ends a file benchmark early is one clear result and leaves no file: a storage that is full, a killed process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.execute.build import build
from command_line import assay
from compiled import kept
from file_faults import faulty
from mpis_here import CROWD, MPI
from started import words

pytestmark = pytest.mark.paced
SIZE = 16 << 20
WRITE = ("size=1048576", "bytes=65536", "direction=write")
READ = ("size=1048576", "bytes=65536", "direction=read", "engine=buffered")
RANK = ("PMI_RANK=", "OMPI_COMM_WORLD_RANK=", "PMIX_RANK=")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system in memory with room for 16 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", place], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("no file system may be mounted here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def started(folder: Path, *given: str, **env: str) -> subprocess.Popen[str]:
    settings = [word for each in (*given, f"folder={folder}") for word in ("--set", each)]
    command = [kept("files/file_rate"), *words("file-rate", "--blocks", "5000", "--slice", "1", *settings)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | env)


@pytest.mark.parametrize(("engine", "complaint"), [
    ("buffered", "No space left on device"), ("direct", "No space left on device"),
    ("uring", "No space left on device"), ("mmap", "ended by signal 7: a file that is mapped was truncated by another, "
                                                   "or the storage is full"),
])  # fmt: skip
def test_a_storage_that_another_fills_is_one_line(small: Path, engine: str, complaint: str) -> None:
    process = started(small, *WRITE, f"engine={engine}")
    while process.poll() is None and not any(small.glob("assay-files-*/written-0")):
        time.sleep(0.001)
    with (small / "others").open("wb", buffering=0) as others:
        while process.poll() is None:  # takes what a pass gives back, too
            try:
                others.write(bytes(4096))  # a block of the pass may find room for a part of it
            except OSError:
                time.sleep(0.001)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    (line,) = errors.splitlines()
    assert line.startswith("file-rate: ") and complaint in line
    assert [path.name for path in small.iterdir()] == ["others"]


def test_a_process_of_a_pass_that_is_killed_is_named(tmp_path: Path) -> None:
    process = started(tmp_path, *READ, "processes=2", **faulty("stall"))
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None:  # one that has just ended by itself takes no notice
        with contextlib.suppress(OSError, IndexError):
            os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
        time.sleep(0.01)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "a process of the pass was ended by signal 9" in errors
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_where_the_process_that_removes_the_folder_is_killed(tmp_path: Path) -> None:
    settings = [word for each in (*WRITE, "engine=buffered", f"folder={tmp_path}") for word in ("--set", each)]
    command = [kept("files/file_rate"), *words("file-rate", "--blocks", "1", "--slice", "0.1", *settings)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ | faulty("killed"))
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


def waited(found: Callable[[], object], most: float = 60) -> None:
    until = time.monotonic() + most
    while not found():
        assert time.monotonic() < until
        time.sleep(0.01)


def rank(program: Path, number: int, mark: str) -> int | None:
    """The process of one rank of the launch that has `mark` in its environment."""
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit() or (entry / "exe").readlink() != program:
                continue
            about = (entry / "environ").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if any(f"{name}{number}" in about for name in RANK) and f"MARK={mark}" in about:
            return int(entry.name)
    return None


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize("victim", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_killed_rank_is_named_and_its_files_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: int
) -> None:
    """Rank 0 made the folder: what it can no longer remove Assay does."""
    folder = tmp_path / "given"
    folder.mkdir()
    program = build([benchmark("parallel-files")], mpi=MPI)["parallel-files"].path
    for name, value in {**faulty("stall", FAULT_AFTER=1), **CROWD, "MARK": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)

    def kill() -> None:
        waited(lambda: len(list(folder.glob("assay-files-*/pass 1*"))) == 2)
        waited(lambda: rank(program, victim, str(tmp_path)))
        os.kill(rank(program, victim, str(tmp_path)) or 0, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    settings = (f"folder={folder}", "layout=own", "direction=read", "bytes=65536", "section=1048576")
    given = [word for each in settings for word in ("--set", each)]
    answer = assay("run", "parallel-files", "-n", "2", "--launches", "1", "--json", *given)
    killer.join(60)
    assert answer.status == 1
    assert f"rank {victim} (process " in answer.err and "was killed by SIGKILL" in answer.err
    assert list(folder.iterdir()) == []
