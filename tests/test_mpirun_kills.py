"""Random kills of `assay mpirun` at random moments: no process, no shared memory and no file in /tmp stays."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mpi_programs import compiled, gone, shared_memory
from mpich_wheel import FOLDER, needs_mpich
from test_mpirun_ends import left

pytestmark = [pytest.mark.nightly, pytest.mark.paced]
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSEGV)
LATEST = 1.5  # s after the start


def below(pid: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        parents.setdefault(int(text.rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
    found = [pid]
    for each in found:
        found += sorted(parents.get(each, []))
    return found


def killed(folder: Path, library: str, mark: str, dice: random.Random) -> tuple[int, signal.Signals]:
    """One launch, of which some process gets some signal at some time; the place of that process, and the signal."""
    command = [sys.executable, "-m", "assay", "mpirun", "-q", "--on", "ipsc860", "-n", "5", "--library", library]
    environment = {**os.environ, "ASSAY_RUNS": str(folder / "state"), "ASSAY_MPICH": str(FOLDER)}
    started = subprocess.Popen(
        [*command, str(compiled("ends")), "hang", mark],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )
    try:
        time.sleep(dice.uniform(0, LATEST))
        tree = below(started.pid)
        place, number = dice.randrange(len(tree)), dice.choice(SIGNALS)
        try:
            os.kill(tree[place], number)
        except ProcessLookupError:
            os.kill(started.pid, signal.SIGKILL)
        try:
            started.wait(20)
        except subprocess.TimeoutExpired:  # the signal was not taken for an end: by a process that had just begun
            started.kill()
    finally:
        started.kill()
        started.wait()
    return place, number


@pytest.mark.parametrize(
    ("library", "times"), [("own", 200), pytest.param("mpich", 50, marks=[pytest.mark.mpi, needs_mpich])]
)
def test_random_kills_leave_nothing(library: str, times: int, tmp_path: Path) -> None:
    dice = random.Random(52)
    before = shared_memory()
    for turn in range(times):
        mark = f"kill-{os.getpid()}-{library}-{turn}-"
        told = killed(tmp_path, library, mark, dice)
        end = time.monotonic() + 20
        while there := left(mark):
            assert time.monotonic() < end, (turn, told, there)
            time.sleep(0.02)
    gone(shared_memory() - before)
