"""How many processes this computer allows: asked before the ranks of an MPI program are started."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

from assay.errors import InputError

BESIDE = 8  # processes of a program beside its ranks: the supervisor, a launcher
OF_A_RANK = 4  # descriptors of MPICH's launcher for each rank: its output, its errors, its connection
BESIDE_FILES = 64


def check(ranks: int, mpich: bool, root: Path = Path("/")) -> None:
    """InputError where so many ranks cannot be started here: it names the limit.

    MPICH's launcher also has files open for each rank; this process's limit of those is raised as far as it may be.
    """
    limits = list(processes(root))
    if mpich:
        limits.append(files(ranks))
    most, limit = min(limits, default=(ranks, ""))
    if ranks > most:
        problem = "more ranks than processes that can be started on this computer"
        raise InputError(problem, key="-n", value=ranks, accepted=f"1 to {max(1, most)} ({limit})")


def processes(root: Path) -> Iterator[tuple[int, str]]:
    """The most ranks by each limit of processes, with the limit's name; a process is a thread more as well."""
    running = _number(root / "proc/loadavg", lambda text: text.split()[3].partition("/")[2]) or 0
    for name in ("pid_max", "threads-max"):
        most = _number(root / "proc/sys/kernel" / name)
        if most is not None:
            yield most - running - BESIDE, f"/proc/sys/kernel/{name} is {most}, {running} threads are running"
    most, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if most != resource.RLIM_INFINITY and os.geteuid() != 0:
        yield most - BESIDE, f"ulimit -u is {most}"
    for folder in _groups(root):
        most = _number(folder / "pids.max")
        if most is not None:
            there = _number(folder / "pids.current") or 0
            yield most - there - BESIDE, f"{folder}/pids.max is {most}, {there} are there"


def files(ranks: int) -> tuple[int, str]:
    """The most ranks by the limit of open files, which is raised where it has to be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ranks * OF_A_RANK + BESIDE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    most = ranks if soft == resource.RLIM_INFINITY else (soft - BESIDE_FILES) // OF_A_RANK
    return most, f"ulimit -n is {soft}, of which MPICH's launcher needs {OF_A_RANK} for a rank"


def _groups(root: Path) -> Iterator[Path]:
    """The control groups that count this process: its own, and those above it."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers not in ("", "pids"):
            continue
        top = root / "sys/fs/cgroup" / controllers
        folder = top / path.lstrip("/")
        while folder != top.parent and folder.is_relative_to(top):
            yield folder
            folder = folder.parent


def _number(path: Path, part: Callable[[str], str] = str.strip) -> int | None:
    """The number in a file; None where there is no such file, or none in it (`max`)."""
    try:
        return int(part(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, IndexError):
        return None
