"""Section 3.1's question by simulation: how many I/O nodes keep a hypercube of N elements in balance?

A machine is in balance where its I/O takes as long as its computing (Kung 1986). The I/O is simulated: every element
reads its memory full from files of its own on a described machine's I/O nodes, and writes it back. The computing is
counted: out-of-core sorting of M words at each of N elements compares M log2(N M) times per element, blocked matrix
multiplication multiplies M sqrt(N M) times; how fast an element computes is such that one element with one I/O node is
in balance.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from assay._core import network as core
from assay.network.study.results import StudyTable
from assay.published.cells.balanced_cube import machine, rate

WORD, MEMORY = 8, 1 << 17  # B; words of an element
SECTION = WORD * MEMORY
DIMENSIONS = (1, 2, 3, 4, 5, 6, 7)


@functools.cache
def transfer(dimension: int, io_nodes: int, ranks: int) -> float:
    """Seconds in which so many elements read SECTION bytes each, and write as many."""
    on = machine(dimension, io_nodes)
    return sum(SECTION / rate(on, ranks, SECTION, direction) for direction in ("read", "write"))


def least(most: int, seconds: float, takes: Callable[[int], float]) -> int | None:
    """The fewest of 1 to `most` I/O nodes that take no longer than that; None where all of them take longer."""
    if takes(most) > seconds:
        return None
    low, high = 0, most  # too few, enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if takes(middle) <= seconds else (middle, high)
    return high


def sorting(elements: int) -> float:
    """How much longer N elements compute between the same bytes than one does, in sorting."""
    return math.log2(elements * MEMORY) / math.log2(MEMORY)


def multiplying(elements: int) -> float:
    """Likewise in multiplying matrices."""
    return math.sqrt(elements)


def needed(dimension: int, longer: Callable[[int], float]) -> int | None:
    """The fewest I/O nodes that keep 2^dimension elements in balance; None where even one per element does not."""
    elements = 1 << dimension
    allowed = transfer(1, 1, 1) * longer(elements) * (1 + 1e-9)
    return least(elements, allowed, lambda io_nodes: transfer(dimension, io_nodes, elements))


def tables() -> list[StudyTable]:
    """I/O nodes by simulation, compared with the rules."""
    rows: list[list[Any]] = []
    for dimension in DIMENSIONS:
        elements = 1 << dimension
        exact, root = core.sorting_scaling(float(elements), float(MEMORY)), math.sqrt(elements)
        by_sorting, by_matrices = needed(dimension, sorting), needed(dimension, multiplying)
        rows.append(
            [
                elements,
                f"{exact:.1f}",
                by_sorting if by_sorting is not None else f"more than {elements}",
                f"{core.io_scaling(float(elements)):.1f}",
                f"{root:.1f}",
                by_matrices if by_matrices is not None else f"more than {elements}",
            ]
        )
    return [
        StudyTable(
            f"The fewest I/O nodes that keep N elements with {MEMORY:,} words each in balance: reading and writing "
            "all memories is simulated (messages, I/O nodes' processors, devices, waiting for each other), computing "
            "is counted. Where sorting needs N log M / (log N + log M), messages and uneven shares come on top.",
            ["N", "equation 3", "sorting", "N/log N", "√N", "matrix multiplication"],
            rows,
        )
    ]
