"""Whether there are enough nodes for the ranks, checked before anything is compiled."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from assay.errors import InputError
from assay.execute.host_file import read_hosts
from assay.execute.local import on_this_host
from assay.execute.mpiexec import finds_nodes
from assay.execute.plan import Plan

_OTHERS = "--via hosts:FILE or slurm"


def enough_nodes(plan: Plan, via: str | None, nodes: int | None) -> None:
    """InputError where a launch would need more nodes than are requested (-N), or than this host is.

    A starter that finds nodes by itself, by a batch system's allocation, may have any number.
    """
    alone = on_this_host(via) and not finds_nodes()
    if alone and via != "mpiexec" and nodes not in (None, 1):  # `mpiexec` may know nodes by a file of its site's
        raise InputError("are more nodes than this host", key="-N", value=nodes, accepted=f"1, or {_OTHERS}")
    most, room = max(plan.most_ranks.values(), default=1), most_processes()
    if alone and nodes in (None, 1) and room is not None and most > room:
        problem = "are more ranks than processes can be started here (kernel.pid_max, threads-max, RLIMIT_NPROC)"
        raise InputError(problem, key="-n", value=most, accepted=f"up to {room}, or several nodes by {_OTHERS}")
    hosts = len(read_hosts(Path(via.partition(":")[2]))) if via is not None and via.startswith("hosts:") else None
    there = nodes or (1 if alone else hosts)
    if there is None:
        return
    for ranks, ppn in dict.fromkeys((task.ranks, task.ppn) for task in plan.tasks):
        if ranks is None or ppn is None or ranks <= there * ppn:
            continue
        named = "here is 1" if hosts is None else f"the file of hosts names {hosts}"
        seen = named if nodes is None else f"-N is {nodes}"
        problem = f"needs {-(-ranks // ppn)} nodes for {ranks} ranks; {seen}"
        more = f", or several nodes by {_OTHERS}" if alone else ", or more nodes (-N)"
        raise InputError(problem, key="--ppn", value=ppn, accepted=f"{-(-ranks // there)} or more{more}")


def most_processes() -> int | None:
    """How many processes this host could start at all: process numbers, and the user's limit where it holds for them.

    Memory and files may allow fewer, by how much depends on the MPI. None where nothing is known.
    """
    bounds = []
    for name in ("pid_max", "threads-max"):
        try:
            bounds.append(int(Path("/proc/sys/kernel", name).read_text()))
        except (OSError, ValueError):
            continue
    allowed, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.getuid() != 0 and allowed != resource.RLIM_INFINITY:  # the kernel does not hold root to it
        bounds.append(allowed)
    return min(bounds, default=None)
