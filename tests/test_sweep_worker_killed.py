"""A worker of a sweep that is killed: one line, and what was finished is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

NETWORK = '[network]\ntopology = "mesh"\nextents = [16, 16]\n[method]\ncycles = 100000000\nwarmup_cycles = 100\n'


def workers(of: int) -> list[int]:
    """Processes that a fork server of the process started."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = [each for each, parent in parents.items() if parents.get(parent) == of]
    return [each for each in found if b"forkserver" in command(each)]


def command(process: int) -> bytes:
    """Its words; nothing where it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_killed_worker_gives_one_line(tmp_path: Path) -> None:
    (tmp_path / "network.toml").write_text(NETWORK)
    words = ("simulate", "network.toml", "--sweep", "traffic.load=0.1,0.2", "--executor", "processes", "--quiet")
    with subprocess.Popen(
        [sys.executable, "-m", "assay", *words, "--out", "points.jsonl"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        end = time.monotonic() + 60
        while not (found := workers(process.pid)) and time.monotonic() < end and process.poll() is None:
            time.sleep(0.05)
        assert found
        os.kill(found[0], signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1, said
    assert "a worker process was killed" in said and len(said.strip().splitlines()) == 1


def test_worker_processes_that_cannot_be_started_are_one_line(tmp_path: Path) -> None:
    """The socket of their server lies in TMPDIR, and a socket's path may have 107 characters."""
    place = tmp_path / ("long" * 30)
    place.mkdir()
    (tmp_path / "network.toml").write_text(NETWORK)
    words = ("simulate", "network.toml", "--sweep", "traffic.load=0.1,0.2", "--executor", "processes", "--workers", "2")
    done = subprocess.run(
        [sys.executable, "-m", "assay", *words],
        cwd=tmp_path, env={**os.environ, "TMPDIR": str(place)}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("assay: TMPDIR: worker processes cannot be started") and str(place) in done.stderr
