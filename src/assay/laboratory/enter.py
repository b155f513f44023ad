"""A script: a command on a host of a laboratory, in a PID namespace of its own that ends with this process.

`python -I -S enter.py HOLDER HOST COMMAND...`: HOLDER is the PID of the laboratory's first process. Whoever kills this
process, the command or the holder ends everything that the command started, also what moved to a session of its own, as
an MPI's daemons do: the namespace's first process dies with this one (PR_SET_PDEATHSIG), and the kernel kills the rest.
The command sees a /proc of its namespace and a private folder for temporary files. Exit status: the command's; 1 where
the laboratory ended.
"""
# ruff: noqa: PTH123

import contextlib
import ctypes
import os
import select
import signal
import sys

ROOM = "/dev/shm"
_NEWNS, _NEWPID = 0x00020000, 0x20000000
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _mount(kind: str, target: str) -> None:
    _check(_libc.mount(kind.encode(), target.encode(), kind.encode(), 0, None), f"mount {target}")


def _prefer() -> None:
    """Run before other work of this machine, where this user may: a host of a real network would have a processor.

    Nice values count within a session; of a session as a whole its autogroup has one.
    """
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)
        with open("/proc/self/autogroup", "w") as group:
            group.write("-20")


def _enter(holder: int, host: str) -> int:
    """Join the holder's namespaces and the host's; a file descriptor that becomes readable when the holder ends."""
    watched = os.pidfd_open(holder)
    folder = os.getcwd()  # noqa: PTH109
    opened = [os.open(f"/proc/{holder}/ns/{kind}", os.O_RDONLY) for kind in ("user", "mnt")]
    for space in opened:
        _check(_libc.setns(space, 0), "setns")
        os.close(space)
    for kind in ("net", "uts"):
        space = os.open(f"{ROOM}/{kind}/{host}", os.O_RDONLY)
        _check(_libc.setns(space, 0), f"setns {kind}")
        os.close(space)
    _check(_libc.unshare(_NEWNS | _NEWPID), "unshare")
    try:
        os.chdir(folder)
    except OSError:
        os.chdir("/")
    return watched


def _first(words: list[str], parent: int) -> int:
    """Be the first process of the namespace: run the command, collect what ends, return the command's status."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.read(parent, 1) != b"g":  # the parent was killed before
        return 1
    os.close(parent)
    _check(_libc.mount(b"none", b"/", None, 0x44000, None), "mount --make-rprivate")  # MS_REC | MS_PRIVATE
    _mount("proc", "/proc")
    _mount("tmpfs", f"{ROOM}/run")
    with contextlib.suppress(OSError):
        _mount("sysfs", "/sys")  # which shows the host's own interfaces
    command = os.fork()
    if command == 0:
        try:
            os.execvpe(words[0], words, os.environ | {"TMPDIR": f"{ROOM}/run"})
        except OSError as error:
            os.write(2, f"{words[0]}: {error.strerror}\n".encode())
        finally:
            os._exit(127)
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == command:
            ended = os.waitstatus_to_exitcode(status)
            return ended if ended >= 0 else 128 - ended


def main(holder: int, host: str, words: list[str]) -> int:
    """Run `words` on a host; the exit status."""
    _prefer()
    watched = _enter(holder, host)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        try:
            status = _first(words, reading)
        except OSError as error:
            os.write(2, f"laboratory: {error}\n".encode())
            status = 1
        os._exit(status)
    os.close(reading)
    os.write(writing, b"g")
    running = os.pidfd_open(child)
    ready = select.select([watched, running], [], [])[0]
    if running not in ready:
        os.write(2, b"laboratory: it was taken down\n")
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if status >= 0 else 1


if __name__ == "__main__":
    try:
        ended = main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
    except OSError as failure:
        os.write(2, f"laboratory: {failure}\n".encode())
        ended = 1
    os._exit(ended)
