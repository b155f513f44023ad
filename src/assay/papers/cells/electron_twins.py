"""The twins of vasp's and adf's times: our programs of their kind on the described clusters.

The paper prints no inputs of either. Ours are `planewaves` with 10 bands on 64^3 points and `orbitals` with eight water
molecules in 6-31G. One number of each makes the runs as long as theirs: cycles, and runs one after another, such that
one processor of the SGI cluster with Myrinet takes what Table 6.10 prints. Rates are those of printed kernels
(described/kernels.py and the descriptions). All other cells are what follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.machine.catalogue import PublishedCell
from assay.papers.cells.answers import Answers
from assay.papers.cells.euroben_twins import described
from assay.papers.cells.rules import Pairs, rule

VASP, ADF = "user.vasp", "user.adf"
BANDS = {"problem": "field", "points": 64, "bands": 10, "steps": 6}
CYCLES = 626  # of vasp's twin
WATER = {"molecules": 8, "basis": "6-31g", "cycles": 25}
RUNS = 95  # of adf's twin
NODES = {"compaq-xp1000-cluster": 18}  # 8 of the others


def time(answers: Answers, benchmark: str, name: str, ranks: int, per_node: int = 1) -> float | None:
    """Seconds on so many ranks of a description, so many of them on each node."""
    if benchmark == ADF:
        found = answers.ask(name, "orbitals", "time", on_ranks=ranks, per_node=per_node, **WATER)
        return RUNS * found[0].value if found else None
    # Every cycle after the first costs the same: two numbers of them say what all take.
    few, more = (
        answers.ask(name, "planewaves", "time", on_ranks=ranks, per_node=per_node, cycles=cycles, **BANDS)
        for cycles in (2, 3)
    )
    return few[0].value + (CYCLES - 2) * (more[0].value - few[0].value) if few and more else None


@rule(VASP)
@rule(ADF)
def times(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Seconds by processors, processors of a node and network; the best of tables that print the best."""
    made: Pairs = []
    for cell in cells:
        if cell.metric != "time":
            continue
        ranks, per_node = int(cell.params["cpus"]), cell.params.get("cpus_per_node", 1)
        each = (1, 2) if per_node == "best" else (int(per_node),)
        fits = [one for one in each if ranks <= one * NODES.get(machine, 8) or "cpus_per_node" not in cell.params]
        found = [time(answers, cell.benchmark, described(machine, cell), ranks, one) for one in fits]
        known = [one for one in found if one is not None]
        if known:
            made.append((cell, min(known)))
    return made
