"""The twins of whole programs on described machines: Cholesky factorisation and LINPACK, by the program `dense`.

Cholesky's columns are dealt out one by one, as the papers' program has them. LINPACK's size is the largest that memory
holds, which the paper does not print: `LARGEST` has what all of the nodes' memory would hold. Cells that take minutes
(the DELTA's messages travel in segments of 476 bytes) or more nodes than a description has are played by the commands
of docs/applications.md; `KEPT` has what these gave, and a nightly test plays them again.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.case import Parameters
from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers
from assay.published.cells.rules import Pairs, rule

LARGEST = {  # equations, by machine and nodes
    ("ipsc860", 128): 11600,
    ("delta", 128): 16000,
    ("delta", 512): 32000,
    ("ncube6400", 1024): 23000,
}
KEPT = {  # flop/s by machine and nodes
    ("delta", 128): 3.59173e9,
    ("delta", 512): 1.41347e10,
    ("ncube6400", 1024): 1.92475e9,
}
FITTED = ("delta", 128)  # on this cell the description's rate of gemm was fitted
TYPES = {"single": "float32", "double": "float64"}


def cholesky_rate(answers: Answers, machine: str, params: Parameters) -> float | None:
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


def linpack_rate(answers: Answers, machine: str, nodes: int) -> float | None:
    """Flop/s of LU with the largest system that memory holds; as stored where it takes long (None of a changed
    description).
    """
    if (machine, nodes) in KEPT:
        return None if getattr(answers, "overrides", None) else KEPT[machine, nodes]
    size = LARGEST.get((machine, nodes))
    if size is None:
        return None
    found = answers.ask(machine, "dense", "rate", factorisation="lu", size=size, type="float64", on_ranks=nodes)
    return found[0].value if found else None


@rule("linpack-peak")
def linpack(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The rate of LU with the largest system that memory holds."""
    at = [(cell, int(cell.params["nodes"])) for cell in cells]
    found = [(cell, linpack_rate(answers, machine, nodes)) for cell, nodes in at if (machine, nodes) != FITTED]
    return [(cell, rate) for cell, rate in found if rate is not None]
