"""Folders /tmp/assay-… and /dev/shm/assay-… whose process was killed: the next start on their host removes them.

So are those of Assay's worker processes, pymp-… by Python's name, and their semaphores sem.assay-….

Each has a mark (`supervisor.mark`) that names host, boot, process namespace, process and the start time of that. A
folder is removed only where it is this user's, has a mark, and that process is certainly gone; one of another host or
container is left. Symbolic links are removed, not followed.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assay import left_names
from assay.execute import ledger, supervisor
from assay.execute.process_signals import began

PREFIX, WORKERS = "assay-", "pymp-"
SEMAPHORES = f"sem.{PREFIX}"  # as the C library names them in /dev/shm
SHARED_MEMORY = "/dev/shm"


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A temporary folder with the mark of this process."""
    assert prefix.startswith(PREFIX)
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        supervisor.mark(folder)
        yield Path(folder)


def mark_workers() -> None:
    """Mark what worker processes that this process is going to start leave: their folder pymp-…, their semaphores."""
    from multiprocessing import process, util

    process.current_process()._config["semprefix"] = "/" + left_names.marked(PREFIX)  # type: ignore[attr-defined]
    with contextlib.suppress(FileExistsError):  # of earlier workers
        supervisor.mark(util.get_temp_dir())


def places() -> list[str]:
    """Where such folders are made, here and by scripts on nodes."""
    return list(dict.fromkeys((tempfile.gettempdir(), "/tmp", SHARED_MEMORY)))


def clear() -> list[str]:
    """Remove folders whose processes are gone; returns the paths of those that were there."""
    removed = []
    for place in places():
        removed += [f"{place}/{name}" for name in left_names.clear(Path(place), SEMAPHORES)]
        with contextlib.suppress(OSError):
            parent = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                names = [name for name in os.listdir(parent) if name.startswith((PREFIX, WORKERS))]  # noqa: PTH208 - what is open
                removed += [f"{place}/{name}" for name in names if _removed(parent, name)]
            finally:
                os.close(parent)
    return removed


def _removed(parent: int, name: str) -> bool:
    own = -1
    try:
        own = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        if os.fstat(own).st_uid != os.geteuid() or not _is_gone(own):
            return False
        ledger.empty(own, keep=supervisor.MARK)
        os.unlink(supervisor.MARK, dir_fd=own)
        os.rmdir(name, dir_fd=parent)
    except OSError:
        return False
    finally:
        if own >= 0:
            os.close(own)
    return True


def _is_gone(own: int) -> bool:
    """Whether the process that a folder's mark names is gone; False also where that is not known."""
    mark = os.open(supervisor.MARK, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=own)
    try:
        about = os.fstat(mark)
        words = os.read(mark, 1024).decode(errors="replace").split()
    finally:
        os.close(mark)
    here = supervisor.mark_words().split()
    if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or len(words) != len(here):
        return False
    if words[0] != here[0] or not (words[3] + words[4]).isdecimal():
        return False
    if words[1] != here[1]:
        return about.st_mtime < _booted()  # before this host was started again
    return words[2] == here[2] and began(int(words[3])) != int(words[4])


def _booted() -> float:
    """When this host was started, in seconds since 1970; 0 where it is unknown."""
    for line in Path("/proc/stat").read_text().splitlines():
        if line.startswith("btime "):
            return float(line.split()[1])
    return 0.0
