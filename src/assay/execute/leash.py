"""A leash for process trees: whatever is started here ends when Assay ends, however Assay ends.

A keeper (this file, run as a script in its own session) starts the commands and holds one end of a pipe whose other
end only Assay has. When that pipe closes (Assay was killed, even by SIGKILL to its whole process group), when time is
up, or when the commands are done, the keeper ends everything below itself. It is a child subreaper (prctl(2)), so a
process that moved to a session of its own, as the daemons of mpiexec do, comes back to it when its parent dies: killing
until no child is left therefore misses none. The commands themselves die with the keeper (PR_SET_PDEATHSIG).

The keeper is told what to do by one JSON line on standard input and answers with one on standard output.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_GRACE = 1.0  # s, between asking a tree to end and killing it
_GIVE_UP = 10.0  # s, after which a process that SIGKILL does not end is left to the kernel


@dataclass(frozen=True)
class Command:
    """One command of a tree; its streams are appended to files (None: /dev/null).

    `hold`: its standard input is a pipe that the keeper keeps open, so that its closing tells a far end of our end.
    """

    argv: tuple[str, ...]
    stdout: Path | None = None
    stderr: Path | None = None
    hold: bool = False


@dataclass(frozen=True)
class Ended:
    """How the commands ended: exit statuses in their order (negative: the signal), wall seconds, and why."""

    statuses: tuple[int, ...]
    seconds: float
    timed_out: bool
    missing: str | None


class Leash:
    """A running keeper. `wait` gives its answer; `release` (also by the garbage collector) ends its tree."""

    def __init__(
        self,
        commands: Sequence[Command],
        *,
        timeout: float | None = None,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        farewell: Sequence[Sequence[str]] = (),
    ) -> None:
        """Start `commands` under a keeper; `farewell` commands run only when the tree had to be ended."""
        self._began = time.monotonic()
        order = {
            "commands": [
                [list(c.argv), *(str(f) if f else None for f in (c.stdout, c.stderr)), c.hold] for c in commands
            ],
            "timeout": timeout,
            "folder": str(folder) if folder else None,
            "farewell": [list(words) for words in farewell],
        }
        inherited = os.environ if environment is None else environment
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**inherited, "ASSAY_LEASH": "1"},
            start_new_session=True,
        )
        assert self._keeper.stdin is not None
        self._keeper.stdin.write(json.dumps(order).encode() + b"\n")
        self._keeper.stdin.flush()

    def wait(self) -> Ended:
        """Wait until the tree has ended by itself or by the timeout."""
        assert self._keeper.stdin is not None and self._keeper.stdout is not None
        try:
            answer = self._keeper.stdout.read()
        finally:
            self.release()
        if not answer:
            return Ended((), time.monotonic() - self._began, False, "its keeper was killed")
        told = json.loads(answer)
        return Ended(tuple(told["statuses"]), told["seconds"], told["timed_out"], told["missing"])

    def alive(self) -> bool:
        """Say whether the tree is still there."""
        return self._keeper.poll() is None

    def release(self) -> None:
        """End the tree, if it has not ended, and wait until nothing of it is left."""
        if self._keeper.stdin is not None and not self._keeper.stdin.closed:
            with contextlib.suppress(OSError):
                self._keeper.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._keeper.wait(_GRACE + 2 * _GIVE_UP)
        if self._keeper.stdout is not None:
            self._keeper.stdout.close()

    def __del__(self) -> None:
        """Close the pipe, which ends the tree."""
        keeper = getattr(self, "_keeper", None)
        if keeper is not None and keeper.stdin is not None:
            with contextlib.suppress(OSError):
                keeper.stdin.close()


def run(
    commands: Sequence[Command],
    *,
    timeout: float | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    farewell: Sequence[Sequence[str]] = (),
) -> Ended:
    """Run `commands` at once and wait for all; everything that they started has ended when this returns."""
    return Leash(commands, timeout=timeout, environment=environment, folder=folder, farewell=farewell).wait()


def ask(
    argv: Sequence[str], *, timeout: float, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> tuple[Ended, str]:
    """Run one command and return how it ended with what it said on both streams."""
    with tempfile.TemporaryDirectory(prefix="assay-ask-") as scratch:
        said = Path(scratch) / "said"
        command = Command(tuple(argv), said, said)
        ended = run((command,), timeout=timeout, environment=environment, folder=folder)
        return ended, said.read_text(errors="replace") if said.exists() else ""


# --- the keeper ------------------------------------------------------------------------------------------


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _stream(path: str | None) -> IO[bytes] | int:
    return Path(path).open("ab", buffering=0) if path else subprocess.DEVNULL


def _start(order: dict[str, Any]) -> list[subprocess.Popen[bytes]]:
    keeper = os.getpid()
    libc = ctypes.CDLL(None)  # loaded before the fork: the child may only make calls

    def leashed() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != keeper:
            os._exit(1)

    started: list[subprocess.Popen[bytes]] = []
    for argv, out, err, hold in order["commands"]:
        streams = _stream(out), subprocess.STDOUT if err is not None and err == out else _stream(err)
        started.append(
            subprocess.Popen(
                argv,
                stdin=subprocess.PIPE if hold else subprocess.DEVNULL,
                stdout=streams[0],
                stderr=streams[1],
                cwd=order["folder"],
                start_new_session=True,
                preexec_fn=leashed,  # noqa: PLW1509: the keeper has one thread
            )
        )
    return started


def _below(root: int) -> list[int]:
    """All processes below `root`, by the parents that /proc/PID/stat names."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found = list(children.get(root, ()))
    for pid in found:  # grows while it is walked
        found.extend(children.get(pid, ()))
    return found


def _reap(statuses: dict[int, int]) -> bool:
    """Collect every child that has ended; False when none is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        statuses[pid] = os.waitstatus_to_exitcode(status)


def _end(statuses: dict[int, int], asked: Sequence[int]) -> None:
    """Ask the processes `asked` to end, wait a little, then kill whatever is below until nothing is."""
    for pid in asked:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    began = time.monotonic()
    while _reap(statuses):
        waited = time.monotonic() - began
        if waited > _GIVE_UP:
            return
        if waited > _GRACE:
            for pid in _below(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _keep() -> None:
    """Be the keeper: read the order, start, wait for the end, leave nothing behind, answer."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 1 << 16)
        if not piece:
            return
        line += piece
    order = json.loads(line)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    ordered_off: list[int] = []
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: ordered_off.append(1))
    began = time.monotonic()
    statuses: dict[int, int] = {}
    missing, timed_out, orphaned = None, False, False
    started: list[subprocess.Popen[bytes]] = []
    try:
        started = _start(order)
    except OSError as error:
        missing = f"{error.strerror}: {error.filename}"
    pids = [process.pid for process in started]
    while missing is None:
        _reap(statuses)
        if all(pid in statuses for pid in pids):
            break
        left = None if order["timeout"] is None else order["timeout"] - (time.monotonic() - began)
        timed_out = left is not None and left <= 0
        if timed_out or orphaned or ordered_off:
            break
        ready = select.select([0, woken], [], [], left)[0]
        if woken in ready:
            os.read(woken, 1 << 16)
        orphaned = 0 in ready and os.read(0, 1) == b""
    seconds = time.monotonic() - began
    cut_short = any(pid not in statuses for pid in pids)
    for process in started:
        if process.stdin:
            process.stdin.close()
    _end(statuses, [pid for pid in pids if pid not in statuses])
    if cut_short:
        for words in order["farewell"]:
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_GIVE_UP)
    ended = [statuses.get(pid, -int(signal.SIGKILL)) for pid in pids]
    answer = {"statuses": ended, "seconds": seconds, "timed_out": timed_out, "missing": missing}
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(answer).encode())


if __name__ == "__main__":
    _keep()
