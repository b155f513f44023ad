"""The twins of rboltz's and primmod's times: our programs of their kind on the described clusters.

The paper prints no inputs of rboltz, and of primmod the particles alone. Of each the number of steps is such that one
cell comes out on the SGI cluster (its description says which). Rates are those of printed kernels
(described/kernels.py). All other cells are what follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.machine.catalogue import PublishedCell
from assay.papers.cells.answers import Answers
from assay.papers.cells.euroben_twins import described
from assay.papers.cells.rules import Pairs, rule

RBOLTZ, PRIMMOD = "user.rboltz", "user.primmod"
PROGRAMS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    RBOLTZ: ("lattice", {"flow": "taylor-green", "size": 64, "steps": 185}),
    PRIMMOD: ("colloid", {"macroions": 80, "charge": 60, "steps": 225}),
}
NODES = 8  # of either cluster of nodes with two processors


def time(answers: Answers, benchmark: str, name: str, ranks: int, per_node: int = 1) -> float | None:
    """Seconds on so many ranks of a description, so many of them on each node."""
    program, inputs = PROGRAMS[benchmark]
    found = answers.ask(name, program, "time", on_ranks=ranks, per_node=per_node, **inputs)
    return found[0].value if found else None


@rule(RBOLTZ)
@rule(PRIMMOD)
def times(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Seconds by processors, processors of a node and network; the best of tables that print the best."""
    made: Pairs = []
    for cell in cells:
        if cell.metric != "time":
            continue  # user time
        ranks, per_node = int(cell.params["cpus"]), cell.params.get("cpus_per_node", 1)
        each = (1, 2) if per_node == "best" else (int(per_node),)
        fits = [one for one in each if ranks <= one * NODES or "cpus_per_node" not in cell.params]
        found = [time(answers, cell.benchmark, described(machine, cell), ranks, one) for one in fits]
        known = [one for one in found if one is not None]
        if known:
            made.append((cell, min(known)))
    return made
