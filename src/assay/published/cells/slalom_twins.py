"""The twins of SLALOM's rates: our program `slalom` on 64 described nodes, by columns, as large as a minute allows.

Sizes are what `slalom` with `patches=0` finds on each machine. Nodes are charged [compute]'s LINPACK.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers, Settings
from assay.published.cells.rules import Pairs, rule

PATCHES = {"ncube6400": 962, "ipsc860": 1749, "delta": 2290}
COLUMNS: Settings = {"block": 1, "broadcast": "ring"}


def rate(answers: Answers, machine: str, nodes: int = 64) -> float | None:
    """Operations per second (flop/s) of all nodes."""
    size = PATCHES.get(machine.partition(":")[0])
    found = answers.ask(machine, "slalom", "rate", on_ranks=nodes, patches=size, **COLUMNS) if size else []
    return found[0].value if found else None


@rule("slalom")
def rates(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Aggregate rate by nodes."""
    found = ((cell, rate(answers, machine, int(cell.params["nodes"]))) for cell in cells)
    return [(cell, value) for cell, value in found if value is not None]
