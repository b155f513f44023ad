"""Where tasks are done: on real processors behind a launcher, or on a described machine.

Each is imported when it is chosen: measuring this machine needs no description, and so no simulator.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from assay.benchmark.record import Benchmark
from assay.benchmark.variants import AnyVariant
from assay.errors import InputError
from assay.execute.folders import Folder
from assay.execute.session import Target

DEFAULT_RANKS = 2


def choose_rank_count(
    record: Benchmark,
    given: int | None,
    on: str | None = None,
    overrides: Mapping[str, str] | None = None,
    ppn: int | None = None,
) -> int | None:
    """How many ranks a benchmark runs on: the given number, else all nodes of a described machine that has so
    many (`ppn` on each), else the record's; None for node programs.
    """
    if record.kind == "node":
        for option, value in (("-n", given), ("--ppn", ppn)):
            if value is not None:
                problem = f"is a program of one process per node; {option} is for message-passing benchmarks"
                raise InputError(problem, key=record.name)
        return None
    if on is not None and ppn is not None:
        _room(on, overrides, ppn)
    wanted = given
    if wanted is None and on is not None:
        wanted = _room(on, overrides, ppn)
    if wanted is None:
        wanted = record.extra.get("ranks", DEFAULT_RANKS)
    if wanted == "all":
        wanted = max(2, min(len(os.sched_getaffinity(0)), int(record.extra.get("most_ranks", 1 << 20))))
    least = int(record.extra.get("least_ranks", 1))
    if int(wanted) < least:
        raise InputError("needs more ranks", key=f"{record.name} -n", value=wanted, accepted=f"{least} or more")
    return int(wanted)


def on_nodes(
    on: str, overrides: Mapping[str, str], nodes: int, ppn: int | None, ranks: int | None
) -> tuple[int, int | None]:
    """How many ranks go on so many nodes of a described machine, and on each where that is not its usual number.

    `ranks` (-n) and `ppn`: as given, or None. InputError where it has not so many nodes, or they not so much room.
    """
    from assay.described.shipped import nodes_of, open_described, usual_per_node

    machine = open_described(on, overrides)
    _has_nodes(on, nodes, nodes_of(machine))
    if ranks is None:
        return nodes * (ppn or usual_per_node(machine)), ppn
    most = nodes * (ppn or (machine.node.processors if machine.node else 1))
    if ranks > most:
        problem = f"are more ranks than -N {nodes} has room for"
        raise InputError(problem, key=f"{on} -n", value=ranks, accepted=f"up to {most}")
    return ranks, ppn or -(-ranks // nodes)


def place(on: str, overrides: Mapping[str, str], placement: str, seed: int, ranks: int, ppn: int | None) -> None:
    """InputError where so many ranks cannot be placed so on a described machine."""
    from assay.described.placed import nodes_filled, nodes_for
    from assay.described.shipped import open_described

    machine = open_described(on, overrides)
    nodes_for(machine, placement, nodes_filled(machine, ranks, ppn), seed)


def _has_nodes(on: str, wanted: int, there: int | None) -> None:
    if there is not None and wanted > there:
        raise InputError("are more nodes than it has", key=f"{on} -N", value=wanted, accepted=f"1 to {there}")


def enough_ranks(
    records: Sequence[Benchmark],
    on: str | None,
    nodes: int | None,
    ppn: Sequence[int],
    say: Callable[[str], None],
) -> list[Benchmark]:
    """The benchmarks whose minimum number of ranks fits on separate hardware threads; `say` names the rest.

    InputError where a described machine has fewer nodes than requested, or where none remains.
    """
    room = None if on is None else _room(on, None, max(ppn, default=None))
    if nodes is not None and on is not None:
        from assay.described.shipped import nodes_of, open_described, usual_per_node

        machine = open_described(on)
        _has_nodes(on, nodes, nodes_of(machine))
        there = nodes * max(ppn, default=usual_per_node(machine))
    elif nodes is not None:
        there = nodes * max(ppn, default=1)
    elif on is not None:
        there = room or 1 << 20
    else:
        there = max(2, len(os.sched_getaffinity(0)))
    kept = [r for r in records if r.kind == "node" or int(r.extra.get("least_ranks", 1)) <= there]
    gone = [f"{r.name} ({r.extra['least_ranks']} ranks)" for r in records if r not in kept]
    if gone and not kept:
        raise InputError("is too small for all that is requested", key="-N", value=there, accepted=", ".join(gone))
    if gone:
        what = "hardware threads" if on is None else "nodes"
        say(f"skipped: only {there} {what}: {', '.join(gone)}")
    return kept


def target(
    on: str | None,
    via: str | None,
    nodes: int | None,
    overrides: dict[str, str],
    timeline: str | None = None,
    matrix: str | None = None,
    variants: Sequence[AnyVariant] = (),
    folders: Mapping[str, Mapping[str, Folder]] = MappingProxyType({}),
    placement: tuple[str, int] | None = None,
    verify: bool = False,
    goal: str | None = None,
) -> Target:
    """Choose where to run; InputError where the request contradict each other.

    `folders`: where benchmarks write files, by benchmark and parameter. `placement`: where a described machine's ranks
    are (described/placed.py), and the seed of what is drawn. `verify`: simulated programs compute with data.
    `goal`: file for the first operation that a simulated program measures.
    """
    if on is None:
        if matrix is not None:
            raise InputError("shows a described machine", key="--matrix", value=matrix, accepted="--on")
        if overrides:
            raise InputError(
                "sets a key of a description", key=f"--set machine.{next(iter(overrides))}", accepted="--on"
            )
        from assay.execute.real import Real  # compilers, MPI and launchers: nothing that a description needs

        return Real(via, nodes, variants, folders, timeline)
    if via is not None:
        raise InputError("a described machine is simulated, not launched", key="--via", value=via, accepted="no --via")
    from assay.execute.described import DescribedTarget

    return DescribedTarget(on, overrides, timeline, matrix, placement, verify, goal)


def _room(on: str, overrides: Mapping[str, str] | None = None, ppn: int | None = None) -> int | None:
    """How many ranks a described machine has room for, `ppn` per node; None where that is any number."""
    from assay.described.shipped import open_described, room

    return room(open_described(on, overrides), ppn)
