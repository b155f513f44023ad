"""Temporary files with the mark of a killed process in their names go with the next start, and no others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay import left_names
from assay.execute import stale_files
from assay.stored.lines import beside, write_whole
from example_inputs import HYPERCUBE

GONE = (4194303, 1)  # no process has this number and began then


def of(process: int, began: int, name: str) -> str:
    """The same name by another process."""
    digest = name.split("own-")[1].split("-")
    return name.replace("-".join(digest[1:3]), f"{process}-{began}")


@pytest.mark.parametrize("folder", [False, True], ids=["file", "folder"])
def test_what_a_process_that_is_gone_left_is_removed(tmp_path: Path, folder: bool) -> None:
    left = tmp_path / of(*GONE, left_names.marked(".x-", ".new"))
    if folder:
        (left / "below").mkdir(parents=True)
        (left / "below" / "link").symlink_to(tmp_path)
    else:
        left.touch()
    (tmp_path / "mine").touch()
    assert left_names.clear(tmp_path, ".x-") == [left.name]
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_names_of_living_processes_other_hosts_and_other_forms_stay(tmp_path: Path) -> None:
    alive = left_names.marked(".x-", ".new")
    gone = of(*GONE, alive)
    elsewhere = gone.replace(gone.split("own-")[1][:12], "0" * 12)
    for name in (alive, elsewhere, ".x-0123456789abcdef.new", ".x-own-.new", gone.replace(".x-", ".y-"), "x"):
        (tmp_path / name).touch()
    before = sorted(tmp_path.iterdir())
    assert left_names.clear(tmp_path, ".x-") == [] and sorted(tmp_path.iterdir()) == before
    assert left_names.clear(tmp_path / "nosuch", ".x-") == []


def test_a_living_process_may_have_a_name_of_any_bytes(tmp_path: Path) -> None:
    code = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'\\xff\\xfe) Z'); print(1, flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None and process.stdout.readline()
        began = Path(f"/proc/{process.pid}/stat").read_bytes().rpartition(b")")[2].split()[19]
        (tmp_path / of(process.pid, int(began), left_names.marked(".x-"))).touch()
        assert left_names.clear(tmp_path, ".x-") == []
    finally:
        process.kill()
        process.communicate()


def test_a_process_that_nobody_has_waited_for_is_gone(tmp_path: Path) -> None:
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    began = Path(f"/proc/{process.pid}/stat").read_bytes().rpartition(b")")[2].split()[19]
    left = tmp_path / of(process.pid, int(began), left_names.marked(".x-"))
    left.touch()
    assert left_names.clear(tmp_path, ".x-") == [left.name]
    process.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_what_belongs_to_another_stays(tmp_path: Path) -> None:
    left = tmp_path / of(*GONE, left_names.marked(".x-"))
    left.touch()
    os.chown(left, 65534, 65534)
    assert left_names.clear(tmp_path, ".x-") == [] and left.exists()


def test_a_file_is_written_anew_where_a_killed_process_was_writing_it(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from assay.stored.lines import whole\n"
        "with whole(Path(sys.argv[1])) as out:\n  out.write('half'); out.flush(); print(1, flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "kept")], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline()
    (half,) = tmp_path.iterdir()
    write_whole(tmp_path / "other", "x")
    assert half.exists()  # its process lives
    process.kill()
    process.wait()
    write_whole(tmp_path / "other", "y")
    assert [each.name for each in tmp_path.iterdir()] == ["other"]
    assert beside(tmp_path / "z").name.startswith(".assay-") and beside(tmp_path / "z").suffix == ".new"


@pytest.mark.paced
def test_semaphores_of_killed_workers_are_removed(tmp_path: Path) -> None:
    """Workers, their server and the tracker that would remove the semaphores are killed with the command."""

    def semaphores(process: int) -> set[str]:
        return {str(each) for each in Path("/dev/shm").glob(f"{stale_files.SEMAPHORES}own-*-{process}-*")}

    words = [
        HYPERCUBE,
        "--set",
        "method.cycles=1000000000",
        "--sweep",
        "traffic.load=0.1,0.2",
        "--executor",
        "processes",
    ]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "assay", "simulate", *words, "--workers", "2"],
        cwd=tmp_path,
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 60
        while not (made := semaphores(process.pid)) and time.monotonic() < end:
            time.sleep(0.02)
        assert made and not set(stale_files.clear()) & made  # its process lives
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    stale_files.clear()  # or the start of an assay of another test meanwhile
    assert not any(Path(each).exists() for each in made)
