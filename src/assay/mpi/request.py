"""What `assay mpirun` is asked for, as the simulator takes it."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from assay.described.machine_file import CoreMachine, DescribedMachine, processors_of
from assay.described.placed import nodes_filled, nodes_for
from assay.described.shipped import per_node
from assay.errors import InputError

COMPUTE = "none, cpu:FACTOR or regions:FACTOR"
IN_REGIONS = "regions"
PREFIX = "machine."


def factor_of(compute: str) -> float:
    """Simulated seconds of a second of CPU time. InputError for what is no way of charging it."""
    if compute == "none":
        return 0.0
    way, colon, text = compute.partition(":")
    try:
        factor = float(text) if way in ("cpu", IN_REGIONS) and colon else math.nan
    except ValueError:
        factor = math.nan
    if not (0 < factor < 1e9):
        raise InputError("is no way of charging computing", key="--compute", value=compute, accepted=COMPUTE)
    return factor


def in_regions(compute: str) -> bool:
    """Whether only the computing of regions that the program marks is charged."""
    return compute.partition(":")[0] == IN_REGIONS


def places_of(
    description: DescribedMachine, ranks: int, ppn: int | None, placement: tuple[str, int] | None
) -> tuple[CoreMachine, list[int], int]:
    """The machine for the core, each rank's place (node * processors + which of them), and a node's processors."""
    machine = description.for_core(per_node(description, ranks, ppn))
    processors = processors_of(machine)
    if placement is None:
        return machine, list(range(ranks)), processors
    way, seed = placement
    nodes = nodes_for(description, way, nodes_filled(description, ranks, ppn), seed)
    return machine, [nodes[rank // processors] * processors + rank % processors for rank in range(ranks)], processors


def placed_unlike(description: DescribedMachine, places: Sequence[int], ppn: str | None) -> list[str]:
    """Why a GOAL schedule of ranks at these places is replayed elsewhere on the machine: ranks are in order there."""
    found = []
    if list(places) != list(range(len(places))):
        found.append("--placement, as a schedule's ranks are in order on the nodes")
    if per_node(description, len(places), per_node_of(ppn)) != per_node(description, len(places)):
        found.append("--ppn, as a schedule's ranks fill the nodes")
    return found


def program(words: Sequence[str]) -> list[str]:
    """The program's words, its first one with a folder where it lies in this one. InputError where there is none."""
    if not words:
        raise InputError("is missing", key="PROGRAM", accepted="a program and its arguments")
    first = words[0]
    if os.sep in first:
        path = Path(first)
        if not path.is_file():
            raise InputError("is no file", key="PROGRAM", value=first, accepted="a program")
        if not os.access(path, os.X_OK):
            raise InputError("cannot be executed", key="PROGRAM", value=first, accepted="a program")
        return list(words)
    found = shutil.which(first)
    if found is None and Path(first).is_file() and os.access(first, os.X_OK):
        found = os.path.join(".", first)  # noqa: PTH118 - a Path would drop the folder
    if found is None:
        accepted = "a program on PATH or in this folder"
        raise InputError("is not found", key="PROGRAM", value=first, accepted=accepted)
    return [found, *words[1:]]


def overrides(settings: Sequence[str]) -> dict[str, str]:
    """The values of the machine's file that --set gives, by dotted key. InputError for any other key."""
    found = {}
    for each in settings:
        key, equals, value = each.partition("=")
        if not equals or not key.startswith(PREFIX) or key == PREFIX:
            raise InputError("is no value of the machine", key="--set", value=each, accepted="machine.KEY=VALUE")
        found[key.removeprefix(PREFIX)] = value
    return found


def per_node_of(text: str | None) -> int | None:
    """Ranks per node. InputError for what is no number from 1."""
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) < 1 << 31):
        raise InputError("is no number of ranks", key="--ppn", value=text, accepted="a whole number from 1")
    return int(text)


def environment(variables: Sequence[str]) -> dict[str, str]:
    """The program's: this process's, with those of -x."""
    found = dict(os.environ)
    for each in variables:
        name, equals, value = each.partition("=")
        if not name:
            raise InputError("names no variable", key="-x", value=each, accepted="NAME or NAME=VALUE")
        if equals:
            found[name] = value
        elif name not in found:
            raise InputError("is not set here", key="-x", value=each, accepted="a variable's name, or NAME=VALUE")
    return found
