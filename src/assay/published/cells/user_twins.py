"""The twins of rboltz's and primmod's times: our programs of their kind on the described clusters.

The paper prints no inputs of rboltz, and of primmod the particles alone. Of each the number of steps is such that one
cell comes out on the SGI cluster (its description says which). Rates are those of printed kernels
(described/kernels.py). All other cells are what follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers, Settings
from assay.published.cells.rules import Pairs, rule
from assay.published.cells.user_times import by_processors

RBOLTZ, PRIMMOD = "user.rboltz", "user.primmod"
PROGRAMS: Mapping[str, tuple[str, Settings]] = {
    RBOLTZ: ("lattice", {"flow": "taylor-green", "size": 64, "steps": 185}),
    PRIMMOD: ("colloid", {"macroions": 80, "charge": 60, "steps": 225}),
}


def time(answers: Answers, benchmark: str, name: str, ranks: int, per_node: int = 1) -> float | None:
    """Seconds on so many ranks of a description, so many of them on each node."""
    program, inputs = PROGRAMS[benchmark]
    found = answers.ask(name, program, "time", on_ranks=ranks, per_node=per_node, **inputs)
    return found[0].value if found else None


@rule(RBOLTZ)
@rule(PRIMMOD)
def times(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Seconds by processors."""
    return by_processors(machine, cells, partial(time, answers))
