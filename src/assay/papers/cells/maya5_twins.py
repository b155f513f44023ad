"""The twins of maya5's times: our program `pulsars` on the described clusters. The paper prints no inputs.

Steps make a run as long as theirs; 16 parts is what the IBM cluster's times on 2 to 16 processors look like. What a
flop takes is a number of each description, from the time on 2 processors.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.machine.catalogue import PublishedCell
from assay.papers.cells.answers import Answers
from assay.papers.cells.euroben_twins import described
from assay.papers.cells.rules import Pairs, rule

INPUTS = {"pulsars": 65536, "steps": 12800, "parts": 16}
NODES = 8  # of either cluster of nodes with two processors


def time(answers: Answers, name: str, ranks: int, per_node: int = 1) -> float | None:
    """Seconds on so many ranks of a description, so many of them on each node."""
    found = answers.ask(name, "pulsars", "time", on_ranks=ranks, per_node=per_node, **INPUTS)
    return found[0].value if found else None


@rule("user.maya5")
def times(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Seconds by processors, processors of a node and network; the best of tables that print the best."""
    made: Pairs = []
    for cell in cells:
        ranks, per_node = int(cell.params["cpus"]), cell.params.get("cpus_per_node", 1)
        each = (1, 2) if per_node == "best" else (int(per_node),)
        fits = [one for one in each if ranks <= one * NODES or "cpus_per_node" not in cell.params]
        found = [time(answers, described(machine, cell), ranks, one) for one in fits]
        known = [one for one in found if one is not None]
        if known:
            made.append((cell, min(known)))
    return made
