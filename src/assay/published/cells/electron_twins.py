"""The twins of vasp's and adf's times: our programs of their kind on the described clusters.

The paper prints no inputs of either. Ours are `planewaves` with 10 bands on 64^3 points and `orbitals` with eight water
molecules in 6-31G. One number of each makes the runs as long as theirs: cycles, and runs one after another, such that
one processor of the SGI cluster with Myrinet takes what Table 6.10 prints. Rates are those of printed kernels
(described/kernels.py and the descriptions). All other cells are what follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers, Settings
from assay.published.cells.rules import Pairs, rule
from assay.published.cells.user_times import by_processors

VASP, ADF = "user.vasp", "user.adf"
BANDS: Settings = {"problem": "field", "points": 64, "bands": 10, "steps": 6}
CYCLES = 626  # of vasp's twin
WATER: Settings = {"molecules": 8, "basis": "6-31g", "cycles": 25}
RUNS = 95  # of adf's twin


def time(answers: Answers, benchmark: str, name: str, ranks: int, per_node: int = 1) -> float | None:
    """Seconds on so many ranks of a description, so many of them on each node."""
    if benchmark == ADF:
        found = answers.ask(name, "orbitals", "time", on_ranks=ranks, per_node=per_node, **WATER)
        return RUNS * found[0].value if found else None
    # Every cycle after the first costs the same: two numbers of them give what all take.
    few, more = (
        answers.ask(name, "planewaves", "time", on_ranks=ranks, per_node=per_node, cycles=cycles, **BANDS)
        for cycles in (2, 3)
    )
    return few[0].value + (CYCLES - 2) * (more[0].value - few[0].value) if few and more else None


@rule(VASP)
@rule(ADF)
def times(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Seconds by processors."""
    return by_processors(machine, cells, partial(time, answers))
