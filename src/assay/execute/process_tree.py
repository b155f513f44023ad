"""Process trees: all processes that are started here end when Assay ends, also when it is killed.

A supervisor (execute/supervisor.py, a script in a session of its own) starts the commands and holds one end of a pipe
whose other end only Assay has. When that pipe closes (Assay was killed, even by SIGKILL to its whole process group),
when time is up, or when the commands are done, the supervisor ends everything below itself.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import stops
from assay.errors import MeasurementError
from assay.execute import supervisor

ENDS_WITHIN = supervisor.GRACE + 2 * supervisor.GIVE_UP  # s, a tree and its farewell commands


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
class Watched:
    """A log that is read while commands run, behind its first `behind` bytes: one of `signs` in it ends them."""

    log: Path
    behind: int
    signs: tuple[bytes, ...]


@dataclass(frozen=True)
class Ended:
    """How the commands ended: exit statuses in their order (negative: the signal), wall seconds, and why.

    `stopped`: processes of the tree that a signal had stopped when time was up. `impatient`: it was ended because
    one was stopped for longer than it was to be waited for. `paused`: processes that were stopped and went on, each
    with about how many seconds it stood. `hopeless`: it was ended for a line in `watched`. `unfinished`: places, in
    that order, of commands that had not ended by themselves.
    """

    statuses: tuple[int, ...]
    seconds: float
    timed_out: bool
    missing: str | None
    stopped: tuple[int, ...] = ()
    impatient: bool = False
    paused: tuple[tuple[int, float], ...] = ()
    unfinished: tuple[int, ...] = ()
    hopeless: bool = False


class ProcessTree:
    """A running keeper. `wait` gives its answer; `release` (also by the garbage collector) ends its tree."""

    def __init__(
        self,
        commands: Sequence[Command],
        *,
        timeout: float | None = None,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        farewell: Sequence[Sequence[str]] = (),
        scratch: Sequence[Path] = (),
        patience: float | None = None,
        watched: Watched | None = None,
    ) -> None:
        """Start `commands` under a keeper; `farewell` commands run only when the tree had to be ended.

        `scratch`: folders that the keeper makes before and removes after, however the tree ends. `patience`:
        seconds that a process may be stopped by a signal before the tree is ended; None: nobody looks. `watched`: a
        log, for a line after which waiting is in vain. MeasurementError in a thread after a signal came to Assay.
        """
        if stops.current().number is not None and threading.current_thread() is not threading.main_thread():
            raise MeasurementError("interrupted")
        self._began = time.monotonic()
        self._bids_farewell = bool(farewell)
        order = {
            "commands": [
                [list(c.argv), *(str(f) if f else None for f in (c.stdout, c.stderr)), c.hold] for c in commands
            ],
            "timeout": timeout,
            "folder": str(folder) if folder else None,
            "farewell": [list(words) for words in farewell],
            "scratch": [str(path) for path in scratch],
            "patience": patience,
            "watched": None if watched is None else [str(watched.log), watched.behind, list(watched.signs)],
        }
        inherited = os.environ if environment is None else environment
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", supervisor.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**inherited, "ASSAY_PROCESS_TREE": "1"},
            start_new_session=True,
        )
        assert self._keeper.stdin is not None
        text = marshal.dumps(order)
        self._keeper.stdin.write(len(text).to_bytes(8, "little") + text)
        self._keeper.stdin.flush()

    def wait(self, stopped: Callable[[Sequence[int]], None] = lambda pids: None) -> Ended:
        """Wait until the tree has ended by itself or by the timeout; `stopped` gets processes that a signal stopped."""
        try:
            with stops.current().also_ending(self._let_go):
                while (message := self._message()) is not None and "statuses" not in message:
                    stopped(message["stopped"])
        finally:
            self.release()
        if message is None:
            return Ended((), time.monotonic() - self._began, False, "its keeper was killed")
        return Ended(
            statuses=tuple(message["statuses"]),
            seconds=message["seconds"],
            timed_out=message["timed_out"],
            missing=message["missing"],
            stopped=tuple(message["stopped"]),
            impatient=message["impatient"],
            paused=tuple(message["paused"].items()),
            unfinished=tuple(message["unfinished"]),
            hopeless=message["hopeless"],
        )

    def _message(self) -> dict[str, Any] | None:
        """The keeper's next notice or its answer; None where it ended without one."""
        assert self._keeper.stdout is not None
        length = self._keeper.stdout.read(8)
        text = self._keeper.stdout.read(int.from_bytes(length, "little"))
        return marshal.loads(text) if text else None

    def alive(self) -> bool:
        """Say whether the tree is still there."""
        return self._keeper.poll() is None

    def release(self) -> None:
        """End the tree, if it has not ended, and wait until nothing of it is left, at most ENDS_WITHIN."""
        self._let_go()
        if self._bids_farewell and stops.current().number is not None and self.alive():
            sys.stderr.write(
                f"assay: interrupted; the batch system ends what was started there, which may take {ENDS_WITHIN:g} s "
                "(a second Ctrl-C does not wait for it)\n"
            )
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._keeper.wait(ENDS_WITHIN)
        if self._keeper.stdout is not None:
            self._keeper.stdout.close()

    def _let_go(self) -> None:
        """Close the pipe, at which the keeper ends the tree."""
        if self._keeper.stdin is not None and not self._keeper.stdin.closed:
            with contextlib.suppress(OSError):
                self._keeper.stdin.close()

    def __del__(self) -> None:
        """Close the pipe, which ends the tree."""
        held = getattr(self, "_keeper", None)
        if held is not None and held.stdin is not None:
            with contextlib.suppress(OSError):
                held.stdin.close()


def run(
    commands: Sequence[Command],
    *,
    timeout: float | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    farewell: Sequence[Sequence[str]] = (),
    scratch: Sequence[Path] = (),
    patience: float | None = None,
    watched: Watched | None = None,
    stopped: Callable[[Sequence[int]], None] = lambda pids: None,
) -> Ended:
    """Run `commands` at once and wait for all; everything that they started has ended when this returns.

    With `patience` (s), `stopped` gets the processes that a signal stops while they run.
    """
    held = ProcessTree(
        commands,
        timeout=timeout,
        environment=environment,
        folder=folder,
        farewell=farewell,
        scratch=scratch,
        patience=patience,
        watched=watched,
    )
    return held.wait(stopped)


def ask(
    argv: Sequence[str], *, timeout: float, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> tuple[Ended, str]:
    """Run one command and return how it ended with what it said on both streams."""
    with OutputFile() as output:
        command = Command(tuple(argv), output.path, output.path)
        ended = run((command,), timeout=timeout, environment=environment, folder=folder)
        return ended, output.read()


class OutputFile:
    """A file for what a command says, without a name in any folder: nothing of it can stay behind. A context manager.

    `path` is good for commands of this process's keepers while the file is open here.
    """

    def __init__(self) -> None:
        """Make it, empty."""
        self._file = os.memfd_create("assay")
        self.path = Path(f"/proc/{os.getpid()}/fd/{self._file}")

    def read(self) -> str:
        """What was written so far."""
        length = os.fstat(self._file).st_size
        return os.pread(self._file, length, 0).decode(errors="replace") if length else ""

    def __enter__(self) -> OutputFile:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let it go."""
        os.close(self._file)
