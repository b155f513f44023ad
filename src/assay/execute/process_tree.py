"""Process trees: all processes started here end when Assay ends, also when it is killed.

A supervisor (execute/supervisor.py, a script in its own session) starts the commands and has one end of a pipe; only
Assay has the other. When that pipe closes (Assay was killed, even by SIGKILL to its whole process group),
when time is up, or when the commands are done, the supervisor ends everything below itself.
"""

from __future__ import annotations

import contextlib
import marshal
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

from assay import stops
from assay.errors import MeasurementError
from assay.execute import supervisor
from assay.since_start import within

ENDS_WITHIN = supervisor.GRACE + 2 * supervisor.GIVE_UP  # s, a tree and its cleanup commands


@dataclass(frozen=True)
class Command:
    """One command of a tree; its streams are appended to files (None: /dev/null), or are descriptors of this process.

    `keep_stdin`: its standard input is a pipe that the supervisor keeps open; a remote end sees it close when we end.
    `inherited`: further descriptors of this process that it has, by the same numbers.
    """

    argv: tuple[str, ...]
    stdout: Path | int | None = None
    stderr: Path | int | None = None
    keep_stdin: bool = False
    stdin: int | None = None
    inherited: tuple[int, ...] = ()


@dataclass(frozen=True)
class Watched:
    """A log that is read while commands run, behind its first `behind` bytes: one of `signs` in it ends them."""

    log: Path
    behind: int
    signs: tuple[bytes, ...]


@dataclass(frozen=True)
class Ended:
    """How the commands ended: exit statuses in their order (negative: the signal), wall seconds, and why.

    `stopped`: processes of the tree that a signal had stopped when time was up. `stopped_too_long`: it was ended
    because one was stopped for longer than `patience`. `paused`: processes that were stopped and resumed, each with
    the seconds (about). `fatal_log`: it was ended for a line in `watched`. `unfinished`: places, in that order, of
    commands that had not ended by themselves.
    """

    statuses: tuple[int, ...]
    seconds: float
    timed_out: bool
    missing: str | None
    stopped: tuple[int, ...] = ()
    stopped_too_long: bool = False
    paused: tuple[tuple[int, float], ...] = ()
    unfinished: tuple[int, ...] = ()
    fatal_log: bool = False


class SupervisorMessage(TypedDict):
    """A notice of processes that a signal has stopped; with `statuses` the answer, whose keys are those of `Ended`."""

    stopped: list[int]
    statuses: NotRequired[list[int]]
    seconds: NotRequired[float]
    timed_out: NotRequired[bool]
    missing: NotRequired[str | None]
    stopped_too_long: NotRequired[bool]
    paused: NotRequired[dict[int, float]]
    unfinished: NotRequired[list[int]]
    fatal_log: NotRequired[bool]


class ProcessTree:
    """A running supervisor. `wait` returns its result; `release` (also by the garbage collector) ends its tree."""

    def __init__(
        self,
        commands: Sequence[Command],
        *,
        timeout: float | None = None,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        cleanup: Sequence[Sequence[str]] = (),
        scratch: Sequence[Path] = (),
        patience: float | None = None,
        watched: Watched | None = None,
    ) -> None:
        """Start `commands` under a supervisor; `cleanup` commands run only when the tree had to be ended.

        `scratch`: folders that the supervisor makes before and removes after, however the tree ends. `patience`:
        seconds that a process may be stopped by a signal before the tree is ended; None: no limit. `watched`: a log,
        for a line after which the commands cannot succeed. MeasurementError in a thread after a signal came to Assay.
        """
        if stops.current().number is not None and threading.current_thread() is not threading.main_thread():
            raise MeasurementError("interrupted")
        self._began = time.monotonic()
        self._has_cleanup = bool(cleanup)
        order = {
            "commands": [
                [
                    list(c.argv),
                    *(str(f) if isinstance(f, Path) else f for f in (c.stdout, c.stderr)),
                    c.keep_stdin,
                    c.stdin,
                ]
                for c in commands
            ],
            "timeout": timeout,
            "folder": str(folder) if folder else None,
            "cleanup": [list(words) for words in cleanup],
            "scratch": [str(path) for path in scratch],
            "patience": patience,
            "watched": None if watched is None else [str(watched.log), watched.behind, list(watched.signs)],
        }
        inherited = os.environ if environment is None else environment
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", supervisor.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**inherited, "ASSAY_PROCESS_TREE": "1"},
            pass_fds=sorted(
                {fd for c in commands for fd in (c.stdin, c.stdout, c.stderr, *c.inherited) if isinstance(fd, int)}
            ),
            start_new_session=True,
        )
        assert self._supervisor.stdin is not None
        text = marshal.dumps(order)
        self._supervisor.stdin.write(len(text).to_bytes(8, "little") + text)
        self._supervisor.stdin.flush()

    def wait(self, stopped: Callable[[Sequence[int]], None] = lambda pids: None) -> Ended:
        """Wait until the tree has ended by itself or by the timeout; `stopped` gets processes that a signal stopped."""
        try:
            with stops.current().also_ending(self._close_pipe):
                while (message := self._message()) is not None and "statuses" not in message:
                    stopped(message["stopped"])
        finally:
            self.release()
        if message is None:
            return Ended((), time.monotonic() - self._began, False, "its supervisor was killed")
        return Ended(
            statuses=tuple(message["statuses"]),
            seconds=message["seconds"],
            timed_out=message["timed_out"],
            missing=message["missing"],
            stopped=tuple(message["stopped"]),
            stopped_too_long=message["stopped_too_long"],
            paused=tuple(message["paused"].items()),
            unfinished=tuple(message["unfinished"]),
            fatal_log=message["fatal_log"],
        )

    def _message(self) -> SupervisorMessage | None:
        """The supervisor's next notice or its answer; None where it ended without one."""
        assert self._supervisor.stdout is not None
        length = self._supervisor.stdout.read(8)
        text = self._supervisor.stdout.read(int.from_bytes(length, "little"))
        message: SupervisorMessage | None = marshal.loads(text) if text else None
        return message

    def alive(self) -> bool:
        """Whether the tree is still running."""
        return self._supervisor.poll() is None

    def release(self) -> None:
        """End the tree, if it has not ended, and wait until nothing of it is left, at most ENDS_WITHIN."""
        self._close_pipe()
        if self._has_cleanup and stops.current().number is not None and self.alive():
            sys.stderr.write(
                f"assay: interrupted; the batch system ends what was started there, which may take {ENDS_WITHIN:g} s "
                "(a second Ctrl-C does not wait for it)\n"
            )
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._supervisor.wait(ENDS_WITHIN)
        if self._supervisor.stdout is not None:
            self._supervisor.stdout.close()

    def _close_pipe(self) -> None:
        """Close the pipe, at which the supervisor ends the tree."""
        if self._supervisor.stdin is not None and not self._supervisor.stdin.closed:
            with contextlib.suppress(OSError):
                self._supervisor.stdin.close()

    def __del__(self) -> None:
        """Close the pipe, which ends the tree."""
        process = getattr(self, "_supervisor", None)
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()


def run(
    commands: Sequence[Command],
    *,
    timeout: float | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    cleanup: Sequence[Sequence[str]] = (),
    scratch: Sequence[Path] = (),
    patience: float | None = None,
    watched: Watched | None = None,
    stopped: Callable[[Sequence[int]], None] = lambda pids: None,
) -> Ended:
    """Run `commands` at once and wait for all; everything that they started has ended when this returns.

    With `patience` (s), `stopped` gets the processes that a signal stops while they run. A budget's end ends them, too.
    """
    least = within(math.inf if timeout is None else timeout)
    tree = ProcessTree(
        commands,
        timeout=None if math.isinf(least) else least,
        environment=environment,
        folder=folder,
        cleanup=cleanup,
        scratch=scratch,
        patience=patience,
        watched=watched,
    )
    return tree.wait(stopped)


def ask(
    argv: Sequence[str], *, timeout: float, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> tuple[Ended, str]:
    """Run one command and return how it ended, with the output of both streams; a budget's end ends it, too."""
    with OutputFile() as output:
        command = Command(tuple(argv), output.path, output.path)
        ended = run((command,), timeout=timeout, environment=environment, folder=folder)
        return ended, output.read()


class OutputFile:
    """A file for a command's output, without a name in any folder, so nothing stays behind. A context manager.

    `path` is good for commands of this process's supervisors while the file is open here.
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
        """Close it."""
        os.close(self._file)
