"""Starts an assay, sends it a signal at a chosen moment, and says what came of it and what is left behind.

A moment is counted in processor time that the command has used with all that it started, so that it is the same point
of the work on a busy machine; a command that mostly waits has a moment in wall-clock seconds.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

PATIENCE = 60  # s, on a machine that does much else
TAG = "ASSAY_TEST_STOPPED"
_START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from assay.start import main; main()"
_TICKS = os.sysconf("SC_CLK_TCK")


def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


@dataclass(frozen=True)
class Ended:
    """How it ended: exit status, both streams, seconds from the signal (None: it ended before), and what was left.

    `files`: all in TMPDIR, and those whose names hide them elsewhere, but for the lock that a cache has.
    """

    status: int
    out: str
    err: str
    seconds: float | None
    processes: dict[int, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()


def stopped(
    words: tuple[str, ...],
    folder: Path,
    number: signal.Signals,
    *,
    group: bool,
    cpu: float = 0.0,
    wall: float = PATIENCE,
    when: Callable[[], bool] = lambda: False,
    second: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run `assay WORDS` in `folder` and signal it after `cpu` s of work, or `wall` s, or as soon as `when` says so.

    `second`: seconds until the same signal comes again.
    """
    temporary = Path(tempfile.mkdtemp(prefix="stopped-"))  # short: a socket is to have room there
    tag = f"{TAG}={folder}".encode()
    streams = [tempfile.TemporaryFile("w+") for _ in range(2)]  # noqa: SIM115 - pipes would end with the last process
    ran = subprocess.Popen(
        [sys.executable, "-P", "-c", _START, *words],
        stdin=subprocess.DEVNULL,
        stdout=streams[0],
        stderr=streams[1],
        cwd=folder,
        env={**os.environ, TAG: str(folder), "TMPDIR": str(temporary), **(environment or {})},
        start_new_session=True,
    )
    try:
        began = time.monotonic()
        while ran.poll() is None and time.monotonic() - began < wall and not when():
            if cpu and sum(_work(pid) for pid in _tagged(tag)) >= cpu:
                break
            time.sleep(0.02)
        if ran.poll() is not None:
            return Ended(ran.returncode, *_read(streams), None)
        at = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(ran.pid, number) if group else ran.send_signal(number)
        if second is not None:
            time.sleep(second)
            ran.send_signal(number)
        ran.wait(PATIENCE)
        seconds = time.monotonic() - at
        until(lambda: not _tagged(tag), 0.5)
        files = [str(path) for path in (*temporary.rglob("*"), *folder.rglob(".*")) if path.name != ".in-use"]
        return Ended(ran.returncode, *_read(streams), seconds, _tagged(tag), tuple(files))
    finally:
        for pid in _tagged(tag):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        ran.wait()
        shutil.rmtree(temporary)


def _read(streams: list[IO[str]]) -> tuple[str, str]:
    texts = []
    for stream in streams:
        stream.seek(0)
        texts.append(stream.read())
        stream.close()
    return texts[0], texts[1]


def _tagged(tag: bytes) -> dict[int, str]:
    """Live processes that the command started, itself included, in whatever session, with their commands."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if tag in (entry / "environ").read_bytes().split(b"\0"):
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return found


def _work(pid: int) -> float:
    """Processor seconds of a process and of those of its children that it has waited for."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, words[11:15])) / _TICKS
