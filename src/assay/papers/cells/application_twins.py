"""The twins of whole programs on described machines: Cholesky factorisation and LINPACK, by the program `dense`.

Cholesky's columns are dealt out one by one, as the papers' program has them. LINPACK's size is the largest that memory
holds, which the paper does not print: `LARGEST` has what all of the nodes' memory would hold. Other cells of it are
played by command alone (docs/applications.md): the DELTA's take minutes, as its messages travel in segments of 476
bytes, and the Ncube 6400's are of more nodes than its description has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.machine.catalogue import PublishedCell
from assay.papers.cells.answers import Answers
from assay.papers.cells.rules import Pairs, rule

LARGEST = {("ipsc860", 128): 11600}  # equations, by machine and nodes
TYPES = {"single": "float32", "double": "float64"}


def cholesky_rate(answers: Answers, machine: str, params: Any) -> float | None:
    """Flop/s of a factorisation by `n`, `precision` and `nodes`; None where it is not simulated."""
    found = answers.ask(
        machine,
        "dense",
        "rate",
        factorisation="cholesky",
        layout="columns",
        size=int(params.get("n", 1000)),
        type=TYPES[params["precision"]],
        on_ranks=int(params.get("nodes", 16)),
    )
    return found[0].value if found else None


@rule("cholesky")
def cholesky(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The aggregate rate of a Cholesky factorisation."""
    made: Pairs = []
    for cell in cells:
        rate = cholesky_rate(answers, machine, cell.params)
        if rate is not None:
            made.append((cell, rate))
    return made


@rule("linpack-peak")
def linpack(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The rate of LU with the largest system that memory holds."""
    made: Pairs = []
    for cell in cells:
        nodes = int(cell.params["nodes"])
        size = LARGEST.get((machine, nodes))
        if size is None:
            continue
        found = answers.ask(machine, "dense", "rate", factorisation="lu", size=size, type="float64", on_ranks=nodes)
        made += [(cell, found[0].value) for _ in found[:1]]
    return made
