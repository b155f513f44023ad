"""The twin of the materials code's speedup: `materials` with both processors of a Paragon MP's nodes, and with one.

The paper gives only that 1.7 of the program. ORNL's codes of that time solve complex matrices of the atoms around
each atom; the paper's HiTC kernel, of the same kind, is a ZAXPY by a library. Hence the rate that is printed of ZAXPY,
and an elimination by columns in which the pivot's column stays in the cache. Nodes as the variant `threads` has them
(nas_twins.py): a node with one rank is a GP's.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers
from assay.published.cells.nas_twins import PROCESSORS
from assay.published.cells.rules import Pairs, rule

NODES = 16  # of the 28
CASE = {"atoms": 64, "points": 12, "cycles": 2}  # a matrix of 64 KB, columns of 1 KB and a cache of 16


def speedup(answers: Answers, machine: str) -> float | None:
    """By the second processor of each node; None where one of both cannot be played."""
    one = answers.ask(machine, "materials", "time", on_ranks=NODES, per_node=1, **CASE)
    ranks = PROCESSORS * NODES
    both = answers.ask(f"{machine}:threads", "materials", "time", on_ranks=ranks, per_node=PROCESSORS, **CASE)
    return one[0].value / both[0].value if one and both else None


@rule("user.material-science")
def cell(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """One number."""
    found = speedup(answers, machine)
    return [] if found is None else [(each, found) for each in cells]
