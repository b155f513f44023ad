"""An MPI program's launch as a run's file: the same JSON lines as a benchmark's, with the times of its calls."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.case import ParameterValue
from assay.execute.simulated import deadlock
from assay.mpi.launch import MpiLaunch, Request
from assay.program_lines import BlockEvent, LaunchEvent, PlacedRank
from assay.stored.seal import sealed_lines

if TYPE_CHECKING:
    from assay._core.mpi import Served

PICO = 1e-12
LAUNCH_VERSION = 3  # of the first line (programs/timing/launch.hpp)
Wait = tuple[int, str, int | None, int]  # rank, call, peer (None: any), tag
ANY_TAG = -1
MOST_PLACED = 1024  # ranks whose placement is listed


def lines(request: Request, launch: MpiLaunch, machine: str, began: float) -> list[str]:
    """The lines of the launch's file; `began`: unix time, s."""
    events: list[Mapping[str, object]] = [_launch(request, machine, began), _nodes(request)]
    served = launch.served
    if served.waiting:
        stopped = served.makespan * PICO
        waiting = [dict(zip(("rank", "call", "peer", "tag"), each, strict=True)) for each in served.waiting]
        events.append({"event": "deadlock", "t": stopped, "waiting": waiting[:64], "count": len(waiting)})
    elif not served.failure:
        events += _blocks(served, began)
        events.append({"event": "done"})
    return [json.dumps(event, separators=(",", ":")) for event in events]


def write(path: Path, request: Request, launch: MpiLaunch, machine: str, began: float) -> None:
    """Append them to a file. OSError."""
    with path.open("a", encoding="utf-8") as file:
        file.write(sealed_lines(lines(request, launch, machine, began)))


def _launch(request: Request, machine: str, began: float) -> LaunchEvent:
    def placed(rank: int) -> PlacedRank:
        return {"rank": rank, "host": machine, "pid": 0, "cpus": [], "cpu": 0, "cores": 0, "sockets": 0, "threads": 0}

    return {
        "event": "launch",
        "version": LAUNCH_VERSION,
        "program": Path(request.words[0]).name,
        "launch": 0,
        "seed": 0,
        "t": began,
        "ranks": len(request.places),
        "placement": [placed(rank) for rank in range(min(len(request.places), MOST_PLACED))],
        "hosts": [],
        "transport": "described",
        "compiler": None,
        "flags": None,
        "library": request.library,
        "clock": {"name": "simulated", "resolution": PICO, "overhead": 0},
    }


def _nodes(request: Request) -> dict[str, object]:
    nodes = {place // request.processors for place in request.places}
    ranks, each = len(request.places), request.processors
    return {"event": "nodes", "ranks": ranks, "nodes": len(nodes), "per_node": min(each, ranks), "processors": each}


def _blocks(served: Served, began: float) -> Iterator[BlockEvent]:
    ended = began + served.makespan * PICO
    yield _block("makespan", {}, 0, [served.makespan * PICO], began, ended)
    for order, (function, length, peer, _, _, _, _, kept) in enumerate(served.calls, 1):
        case: dict[str, ParameterValue] = {"function": function, "length": length, "peer": peer}
        yield _block("call_time", case, order, [each * PICO for each in kept], began, ended)
    for order, (name, _, _, _, _, kept) in enumerate(served.regions, 1 + len(served.calls)):
        yield _block("region_time", {"region": name}, order, [each * PICO for each in kept], began, ended)


def _block(
    metric: str, case: dict[str, ParameterValue], order: int, values: list[float], began: float, ended: float
) -> BlockEvent:
    return {
        "event": "block",
        "case": case,
        "metric": metric,
        "block": 0,
        "order": order,
        "batch": 1,
        "first": None,
        "values": values,
        "ended": "repetitions done",
        "t0": began,
        "t1": ended,
        "cache": None,
    }


def reason(launch: MpiLaunch) -> str | None:
    """Why the launch is not what it should be, in one line; None where all is well."""
    served = launch.served
    if launch.missing:
        return f"cannot be started: {launch.missing}"
    if served.waiting:
        waiting = by_rank(served.waiting) if launch.mpich else list(served.waiting)
        return deadlock(served.makespan * PICO, waiting)
    if served.failure:
        if launch.mpich and served.abandoned:
            return f"MPICH's mpiexec ended with status {launch.exit_status} before all ranks had called MPI_Finalize"
        return str(served.failure)
    return f"exit status {launch.exit_status}" if launch.exit_status else None


def by_rank(waiting: Sequence[Wait]) -> list[Wait]:
    """Under MPICH a rank waits for all of its messages at once: once for each rank that it waits for, or for any.

    Its tags are the simulator's numbers, and its receives from any rank may be MPICH's own: they count where it has no
    others.
    """
    found: dict[tuple[int, int | None], None] = {}
    named = {rank for rank, _, peer, _ in waiting if peer is not None}
    for rank, _, peer, _ in waiting:
        if peer is not None or rank not in named:
            found[rank, peer] = None
    return [(rank, "MPICH", peer, ANY_TAG) for rank, peer in found]


def now() -> float:
    """Unix time, s."""
    return time.time()
