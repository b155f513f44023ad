"""The twins of Table 3.5: how much faster NAS kernels are with both processors of a Paragon MP's nodes than with one.

The variant `threads` has two ranks on a node, which share its memory and its bus; a node with one rank is a GP's. The
table does not say on how many nodes: its least and greatest are ours over 4, 8 and 16 of the 28 nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers
from assay.published.cells.rules import Pairs, rule

KERNELS = {"nas.ep": "ep", "nas.ft": "ft", "nas.mg": "mg"}
NODES = (4, 8, 16)
PROCESSORS = 2  # that compute, of a node


def speedups(answers: Answers, machine: str, kernel: str, size: str) -> list[float]:
    """Of a kernel and class, by nodes."""
    found = []
    for nodes in NODES:
        case = {"kernel": kernel, "class": size}
        one = answers.ask(machine, "nas", "time", on_ranks=nodes, per_node=1, **case)
        ranks = PROCESSORS * nodes
        both = answers.ask(f"{machine}:threads", "nas", "time", on_ranks=ranks, per_node=PROCESSORS, **case)
        found += [one[0].value / both[0].value] if one and both else []
    return found


@rule(*KERNELS)
def table(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The least and the greatest."""
    made: Pairs = []
    for cell in cells:
        found = speedups(answers, machine, KERNELS[cell.benchmark], str(cell.params["class"]))
        if found:
            made.append((cell, min(found) if cell.metric == "speedup_min" else max(found)))
    return made
