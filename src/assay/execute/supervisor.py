"""The supervisor of a process tree: a script that starts commands and ensures that none of them outlives Assay.

It is a child subreaper (prctl(2)), so a process that moved to its own session, as the daemons of mpiexec do, is
reparented to it when its parent dies: killing until no child is left therefore misses none. The commands themselves die
with the supervisor (PR_SET_PDEATHSIG).

It reads one order from standard input (8 bytes of length, little-endian, then a dict as `marshal` has it; both sides
are one interpreter) and answers with another on standard output, before which there may be notices: {"stopped": PIDs},
where the order requests a look for processes that a signal has stopped (SIGSTOP), and does not wait for these for ever
(`patience`). Every launch waits for its start, so that it imports only what
it cannot do without, and no module that takes milliseconds (pathlib, contextlib, subprocess).

What happened without each part (the tests show it again):
* no subreaper: ranks and the daemons of mpiexec went on after a kill -9 of Assay;
* no look for stopped processes: a launch with one rank stopped, as Slurm does where it suspends a job, waited for its
  time limit, and where the rank was continued, times with the pause in them had no mark;
* no look at the log: mpiexec of MPICH 4.0 waited for minutes after ssh had reported that a host has no address;
* no check of a process's parents before a signal: none was seen; it is 30 lines against a signal to another's process.
"""
# ruff: noqa: PTH102, PTH115, PTH106, PTH108, PTH114, PTH123, PTH208, SIM105

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself makes enumerations of its constants first
import ctypes
import marshal
import os
import select
import time

GRACE = 1.0  # s, between SIGTERM and SIGKILL to a tree
REST = 0.2  # s, for what else is in the tree, once the commands themselves have ended
GIVE_UP = 10.0  # s, after which a process that SIGKILL does not end is left to the kernel
MARK = ".assay-process"  # the file in a folder in /tmp or /dev/shm that names the process that made it
_LOG_READ = 1 << 18  # bytes
LOOK = 2.0  # s, between looks for stopped processes; each reads some small files per process (a rank: 0.1 ms)
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


class _RefusedError(Exception):
    """What could not be started, and why."""


def _start(
    argv: list[str],
    out: str | int | None,
    err: str | int | None,
    keep_stdin: bool,
    given: int | None,
    folder: str | None,
    libc: ctypes.CDLL,
) -> tuple[int, int | None]:
    """Start a command in its own session; returns its number and, with `keep_stdin`, the pipe to its standard input."""
    supervisor = os.getpid()
    errors, report = os.pipe()
    stdin, held = os.pipe() if keep_stdin else (os.open(os.devnull, os.O_RDONLY), None)
    child = os.fork()
    if child == 0:
        place = argv[0]
        try:
            os.setsid()
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != supervisor:
                os._exit(1)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.dup2(stdin if given is None else given, 0)
            for stream, path in ((1, out), (2, err)):
                if isinstance(path, int):
                    os.dup2(path, stream)
                    continue
                place = path or os.devnull
                flags = os.O_WRONLY | (os.O_APPEND | os.O_CREAT if path else 0)
                os.dup2(os.open(place, flags, 0o666), stream)
            for each in {given, out, err}:
                if isinstance(each, int):
                    os.close(each)
            if folder:
                place = folder
                os.chdir(folder)
            place = argv[0]
            os.execvp(place, argv)
        except OSError as error:
            os.write(report, f"{error.strerror}: {place}".encode())
        finally:
            os._exit(127)
    os.close(report)
    os.close(stdin)
    refusal = os.read(errors, 1 << 16)
    os.close(errors)
    if refusal:
        raise _RefusedError(refusal.decode())
    return child, held


def _below(root: int, states: str = "") -> list[int]:
    """All processes below `root`, by the parents that /proc/PID/stat names; with `states` those in one of them."""
    children: dict[int, list[int]] = {}
    state: dict[int, str] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as stat:
                    words = stat.read().rpartition(")")[2].split()
                    state[int(entry)], parent = words[0], int(words[1])
            except (OSError, ValueError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry))
    found = list(children.get(root, ()))
    for pid in found:  # grows while it is walked
        found.extend(children.get(pid, ()))
    return [pid for pid in found if not states or state[pid] in states]


def _tree(root: int) -> list[int]:
    """All processes below `root` as `_below` finds them, without a look at those of others where the kernel allows."""
    found = [root]
    for pid in found:  # grows while it is walked
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/children") as children:
                    found.extend(map(int, children.read().split()))
        except OSError:  # it has ended; or this kernel keeps no such list (CONFIG_PROC_CHILDREN)
            if pid == root:
                return _below(root)
    return found[1:]


class _Stops:
    """Which processes of the tree a signal has stopped, as looks at intervals find them.

    `since`: those that are, with the time of the look that found them; `paused`: those that resumed, with the
    seconds that they were stopped, by the looks.
    """

    def __init__(self) -> None:
        self.since: dict[int, float] = {}
        self.paused: dict[int, float] = {}
        self._last = 0.0

    def look(self, now: float) -> list[int]:
        """Look; returns those that were not stopped at the look before."""
        stopped = [pid for pid in _tree(os.getpid()) if _state(pid) == "T"]
        new = [pid for pid in stopped if pid not in self.since]
        self.resumed([pid for pid in self.since if pid not in stopped])
        self.since |= dict.fromkeys(new, now)
        self._last = now
        return new

    def resumed(self, pids: list[int]) -> None:
        """Take note that these are not stopped any more."""
        for pid in pids:
            self.paused[pid] = self.paused.get(pid, 0.0) + self._last - self.since.pop(pid) + LOOK

    def longest(self, now: float) -> float:
        """How long one has been stopped at least (s); 0 where none is."""
        return now - min(self.since.values(), default=now)


def _state(pid: int) -> str:
    """One letter as in proc(5), T: stopped; "" where it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


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


def _is_of_tree(pid: int) -> bool:
    """Whether a process is below this one."""
    supervisor = os.getpid()
    while pid > 1:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                pid = int(stat.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return False
        if pid == supervisor:
            return True
    return False


def _send(pid: int, number: int) -> None:
    """Signal a process of the tree: another one that has its number now is found to be elsewhere."""
    held = -1
    try:
        held = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except OSError:  # kernels before 5.3, and containers that forbid it
        pass
    try:
        if _is_of_tree(pid):
            signal.pidfd_send_signal(held, number) if held >= 0 else os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass
    finally:
        if held >= 0:
            os.close(held)


def _end(statuses: dict[int, int], unfinished: list[int]) -> None:
    """Terminate the processes `unfinished`, wait a little, then kill everything below until nothing is left."""
    for pid in unfinished:
        _send(pid, signal.SIGTERM)
    began = time.monotonic()
    kill_at = began + GRACE
    while _reap(statuses):
        now = time.monotonic()
        if now - began > GIVE_UP:
            return
        if all(pid in statuses for pid in unfinished):
            kill_at = min(kill_at, now + REST)
        if now > kill_at:
            for pid in _below(os.getpid()):
                _send(pid, signal.SIGKILL)
        time.sleep(0.02)


def mark_words() -> str:
    """Which process this is: host, boot, process namespace, number, and when it began, in the kernel's ticks."""
    with open("/proc/sys/kernel/random/boot_id") as file:
        boot = file.read().strip()
    with open("/proc/self/stat") as stat:
        began = stat.read().rpartition(")")[2].split()[19]
    return f"{os.uname().nodename} {boot} {os.readlink('/proc/self/ns/pid')} {os.getpid()} {began}\n"


def mark(folder: str) -> None:
    """Mark a folder as made by this process, so that a later start can remove it (stale_files.py)."""
    with open(f"{folder}/{MARK}", "x") as file:
        file.write(mark_words())


def _remove(folders: list[str]) -> None:
    """Remove folders with all that is in them."""
    for top in folders:
        for folder, below, files in os.walk(top, topdown=False):
            for name in files + below:
                path = f"{folder}/{name}"
                try:
                    os.rmdir(path) if name in below and not os.path.islink(path) else os.unlink(path)
                except OSError:
                    continue
        try:
            os.rmdir(top)
        except OSError:
            continue


def _clean_up(commands: list[list[str]]) -> None:
    import subprocess

    for words in commands:
        try:
            subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=GIVE_UP)
        except (OSError, subprocess.SubprocessError):
            continue


def _read(length: int) -> bytes:
    """Read so many bytes from standard input; nothing where it ends before."""
    text = b""
    while len(text) < length:
        piece = os.read(0, length - len(text))
        if not piece:
            return b""
        text += piece
    return text


def _write(message: dict[str, object]) -> None:
    """Write a notice or the answer to standard output."""
    text = marshal.dumps(message)
    try:
        os.write(1, len(text).to_bytes(8, "little") + text)
    except OSError:
        pass


def _contains(log: str, behind: int, signs: list[bytes]) -> bool:
    """Whether one of `signs` is in a log, behind its first bytes."""
    try:
        with open(log, "rb") as file:
            file.seek(behind)
            text = file.read(_LOG_READ)
    except OSError:
        return False
    return any(sign in text for sign in signs)


def _supervise() -> None:
    """Supervise: read the order, start, wait for the end, leave nothing behind, answer."""
    libc = ctypes.CDLL(None)  # loaded before the fork: the child may only make calls
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    length = _read(8)
    text = _read(int.from_bytes(length, "little"))
    if not text:
        return
    order = marshal.loads(text)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    terminated: list[int] = []
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: terminated.append(1))
    began = time.monotonic()
    statuses: dict[int, int] = {}
    missing, timed_out, orphaned = None, False, False
    pids: list[int] = []
    held: list[int] = []
    made: list[str] = []
    try:
        for folder in order["scratch"]:
            os.mkdir(folder, 0o700)
            made.append(folder)
            mark(folder)
        for argv, out, err, keep_stdin, given in order["commands"]:
            pid, pipe = _start(argv, out, err, keep_stdin, given, order["folder"], libc)
            pids.append(pid)
            if pipe is not None:
                held.append(pipe)
    except _RefusedError as refusal:
        missing = str(refusal)
    except OSError as error:  # no process, no pipe
        missing = str(error.strerror)
    stops, looked, patience, stopped_too_long = _Stops(), began, order["patience"], False
    fatal_log = False
    while missing is None:
        _reap(statuses)
        if all(pid in statuses for pid in pids):
            break
        now = time.monotonic()
        left = None if order["timeout"] is None else order["timeout"] - (now - began)
        timed_out = left is not None and left <= 0
        if timed_out or orphaned or terminated:
            break
        if patience is not None:
            if now - looked >= LOOK:
                looked = now
                if new := stops.look(now):
                    _write({"stopped": new})
                stopped_too_long = stops.longest(now) >= patience
                fatal_log = order["watched"] is not None and _contains(*order["watched"])
                if stopped_too_long or fatal_log:
                    break
            until = LOOK - (now - looked)
            left = until if left is None else min(left, until)
        ready = select.select([0, woken], [], [], left)[0]
        if woken in ready:
            os.read(woken, 1 << 16)
        orphaned = 0 in ready and os.read(0, 1) == b""
    seconds = time.monotonic() - began
    stopped = _below(os.getpid(), "Tt") if timed_out or stopped_too_long else []
    stops.resumed([pid for pid in stops.since if pid not in stopped])
    unfinished = [at for at, pid in enumerate(pids) if pid not in statuses]
    for pipe in held:
        os.close(pipe)
    _end(statuses, [pid for pid in pids if pid not in statuses])
    _remove(made)
    if unfinished:
        _clean_up(order["cleanup"])
    ended = [statuses.get(pid, -int(signal.SIGKILL)) for pid in pids]
    answer: dict[str, object] = {"statuses": ended, "seconds": seconds, "missing": missing, "timed_out": timed_out}
    _write(
        answer
        | {
            "stopped_too_long": stopped_too_long,
            "fatal_log": fatal_log,
            "stopped": stopped,
            "paused": stops.paused,
            "unfinished": unfinished,
        }
    )


if __name__ == "__main__":
    _supervise()
    os._exit(0)  # taking the interpreter down in order would take as long as the rest
