"""Whether ranks have as many nodes as they need, so many on each; said before anything is compiled."""

from __future__ import annotations

from assay.errors import InputError
from assay.execute.local import on_this_host
from assay.execute.mpiexec import finds_nodes
from assay.execute.plan import Plan

_OTHERS = "--via hosts:FILE or slurm"


def enough_nodes(plan: Plan, via: str | None, nodes: int | None) -> None:
    """InputError where a launch would need more nodes than are asked for (-N), or than this host is.

    A starter that finds nodes by itself, by a batch system's allocation or a file of hosts, may have any number.
    """
    alone = on_this_host(via) and not finds_nodes()
    if alone and via != "mpiexec" and nodes not in (None, 1):  # `mpiexec` may know nodes by a file of its site's
        raise InputError("are more nodes than this host", key="-N", value=nodes, accepted=f"1, or {_OTHERS}")
    there = nodes or (1 if alone else None)
    if there is None:
        return
    for ranks, ppn in dict.fromkeys((task.ranks, task.ppn) for task in plan.tasks):
        if ranks is None or ppn is None or ranks <= there * ppn:
            continue
        seen = "here is 1" if nodes is None else f"-N says {nodes}"
        problem = f"needs {-(-ranks // ppn)} nodes for {ranks} ranks; {seen}"
        more = f", or several nodes by {_OTHERS}" if alone else ", or more nodes (-N)"
        raise InputError(problem, key="--ppn", value=ppn, accepted=f"{-(-ranks // there)} or more{more}")
