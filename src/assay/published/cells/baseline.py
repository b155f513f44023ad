"""The prediction of a published cell without a simulator: a straight line through used cells, or the nearest of them.

`line`: through the two used cells of the same table that differ from the cell in one coordinate, the same one, and are
nearest to it on both sides, or on one where there is no other side; over lengths by their logarithm. A rate of messages
of a length is drawn as its time. The coefficients of a line over lengths (alpha, beta) are those of the line through
all used times of the machine.
`share`: of k processors of a node: k times one, together at most what one that only reads has of the bus; a speedup: k,
at most what the bus allows where the rate of one is printed.
`level`: another metric of the same benchmark that was used (the rate from the first cache), times the mean ratio of the
cell's metric to it where both were used, of other kernels of the same set.
`scaled`: of a whole program by processors or nodes: the nearest used time or rate of it on the same machine if it
scaled perfectly; where none was used, that of the machine which does best here.
`benchmark`: the nearest used cell of the same benchmark, on the same machine before others.
`machine`: the nearest used cell of the same machine, of the same program before others.

Neighbours have the cell's unit, and no other network, mode or other label than the cell where both name one. They are
near by the coordinates that both have (lengths by their logarithm); of several equally near it is their mean.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from assay.analysis.alpha_beta import ordinary_line
from assay.machine.catalogue import PublishedCell
from assay.published.cells.allowance import length
from assay.published.cells.hull import Coordinates, coordinates, labels, same_table

WHOLE = ("user", "cholesky", "linpack-peak", "slalom")  # programs, whose cells are by processors or nodes
FAR = 1e9  # a coordinate that one of two cells lacks: farther than any that both have
BYTES_PER_FLOP = {"kernel.hitc-f": 6.0}  # of kernels whose rate on one processor is printed
OPERATION = "time_per_op"  # no neighbour of a whole program's time
READS = "pfldq"  # only reads memory
SINGLE, COMPUTING = "paragon-gp", 2  # a node with one processor that computes, and how many an MP's node has
SUMMARY = {"time_8_B": 8, "rate_8192_B": 8192}  # bytes, of metrics that name a length


class Used(Protocol):
    """What knows the cells that a description used."""

    def used(self, machine: str | None = None) -> tuple[PublishedCell, ...]:
        """Those of one machine, or all that the description at hand used."""


def baselines(cell: PublishedCell, behind: Used) -> dict[str, float]:
    """The values (SI) of a cell without a simulator, by how each was had; empty where no used cell is a neighbour."""
    own = [each for each in behind.used(cell.machine) if each is not cell]
    found: dict[str, float | None] = {}
    if cell.benchmark == "echo-fit":
        found["line"] = _coefficient(cell, own)
    else:
        beside = [each for each in own if each.benchmark == cell.benchmark and same_table(cell, each)]
        found["line"] = on_line(cell, beside)
    found["share"] = _share(cell, own)
    found["level"] = _level(cell, behind.used())
    found["scaled"] = _scaled(cell, [each for each in behind.used() if each is not cell])
    near = [
        each
        for each in behind.used()
        if each is not cell and each.unit == cell.unit and _compatible(cell, each)
        if (each.metric == OPERATION) == (cell.metric == OPERATION)
    ]
    found["benchmark"] = _nearest(cell, [each for each in near if each.benchmark == cell.benchmark])
    found["machine"] = _nearest(cell, [each for each in near if each.machine == cell.machine])
    return {by: value for by, value in found.items() if value is not None}


def _share(cell: PublishedCell, own: Sequence[PublishedCell]) -> float | None:
    """What k processors do together if each has an equal part of the bus and nothing is lost."""
    cpus = cell.params.get("cpus")
    if cell.params.get("relative_to") == SINGLE:
        return float(COMPUTING)
    if not isinstance(cpus, int) or cpus < 2:
        return None
    alone = [each for each in own if each.params.get("cpus") == 1]
    one = [each.value for each in alone if each.benchmark == cell.benchmark]
    bus = [each.value for each in alone if each.benchmark == READS]
    if cell.metric == "speedup":
        traffic = BYTES_PER_FLOP.get(cell.benchmark)
        return min(float(cpus), bus[0] / (traffic * one[0])) if traffic and one and bus else float(cpus)
    return min(cpus * one[0], bus[0]) if one and bus else None


def _level(cell: PublishedCell, used: Sequence[PublishedCell]) -> float | None:
    """The rate from another level of memory, scaled as other kernels of its set are: on its machine before others."""
    kind = cell.benchmark.rpartition(".")[0]  # a set of kernels, such as euroben.mod1ac
    if "." not in kind:
        return None
    rates: dict[tuple[str | None, str, str | None], dict[str, float]] = defaultdict(dict)
    for each in used:
        if each.benchmark.rpartition(".")[0] == kind and each.unit == cell.unit and each is not cell:
            rates[each.machine, each.benchmark, each.table][each.metric] = each.value
    for metric, value in rates.get((cell.machine, cell.benchmark, cell.table), {}).items():
        both = {of: known for of, known in rates.items() if {metric, cell.metric} <= set(known)}
        here = [known for (machine, *_), known in both.items() if machine == cell.machine]
        ratios = [known[cell.metric] / known[metric] for known in here or both.values()]
        if ratios:
            return value * float(np.mean(ratios))
    return None


def _scaled(cell: PublishedCell, used: Sequence[PublishedCell]) -> float | None:
    """What perfect scaling makes of the nearest cell of the same program, whatever its network."""
    key = next((key for key in ("cpus", "nodes") if isinstance(cell.params.get(key), int)), None)
    if key is None or cell.benchmark.partition(".")[0] not in WHOLE:
        return None
    machines: dict[str | None, list[PublishedCell]] = defaultdict(list)
    for each in used:
        same = (each.benchmark, each.metric) == (cell.benchmark, cell.metric) and _compatible(cell, each, "network")
        if same and isinstance(each.params.get(key), int):
            times = cell.params[key] / each.params[key]
            value = each.value / times if each.unit == "s" else each.value * times
            machines[each.machine].append(replace(each, value=value))
    if cell.machine in machines:
        return _nearest(cell, machines[cell.machine])
    found = [value for cells in machines.values() if (value := _nearest(cell, cells)) is not None]
    return min(found, key=lambda value: abs(value - cell.value), default=None)


def _compatible(cell: PublishedCell, other: PublishedCell, but: str = "") -> bool:
    one, two = dict(labels(cell)[1:]), dict(labels(other)[1:])
    return all(key == but or two.get(key, value) == value for key, value in one.items())


def drawn(cell: PublishedCell) -> float:
    """What a line is drawn through: the time of a rate of messages of a length, else the value."""
    size = length(cell)
    return size / cell.value if size and cell.unit == "B/s" and cell.metric == "rate" else cell.value


def on_line(cell: PublishedCell, beside: Sequence[PublishedCell]) -> float | None:
    """The value (SI) on a straight line along one coordinate of the table; None where no two cells lie on one."""
    at = coordinates(cell)
    best: tuple[tuple[bool, float], float] | None = None
    for key in at:
        along = [
            (coordinates(each)[key], each)
            for each in beside
            if all(coordinates(each)[other] == at[other] for other in at if other != key)
        ]
        points = {place: drawn(each) for place, each in along}
        if len(points) < 2:
            continue
        x0, x1 = _ends(at[key], list(points))
        value = points[x0] + (points[x1] - points[x0]) * (at[key] - x0) / (x1 - x0)
        order = (not x0 <= at[key] <= x1, x1 - x0)  # inside before outside, then the closer pair
        best = min(best or (order, value), (order, value))
    if best is None:
        return None
    size = length(cell)
    return size / best[1] if size and cell.unit == "B/s" and cell.metric == "rate" else best[1]


def _ends(at: float, places: Sequence[float]) -> tuple[float, float]:
    below, above = [each for each in places if each <= at], [each for each in places if each >= at]
    if below and above and max(below) < min(above):
        return max(below), min(above)
    first, second, *_ = sorted(places, key=lambda each: abs(each - at))
    return min(first, second), max(first, second)


def _nearest(cell: PublishedCell, others: Sequence[PublishedCell]) -> float | None:
    if not others:
        return None
    at, program = coordinates(cell), cell.benchmark.partition(".")[0]
    order = [
        (
            *(each.benchmark != cell.benchmark, each.benchmark.partition(".")[0] != program),
            *(each.machine != cell.machine, _far(at, each)),
        )
        for each in others
    ]
    least = min(order)
    return float(np.mean([each.value for place, each in zip(order, others, strict=True) if place == least]))


def _far(at: Coordinates, other: PublishedCell) -> float:
    of = coordinates(other)
    return math.sqrt(sum((at[key] - of[key]) ** 2 if key in at and key in of else FAR for key in at | of))


def _coefficient(cell: PublishedCell, own: Sequence[PublishedCell]) -> float | None:
    times = {}
    for each in own:
        size = SUMMARY.get(each.metric) if each.benchmark == "summary" else length(each)
        if each.benchmark in ("echo", "summary") and size is not None and each.params.get("hops", 1) == 1:
            times[float(size)] = size / each.value if each.unit == "B/s" else each.value
    if len(times) < 2:
        return None
    alpha, beta = ordinary_line(np.array(list(times)), np.array(list(times.values())))
    return float(beta if cell.metric == "beta" else alpha)
