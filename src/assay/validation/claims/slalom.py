"""The DELTA report's claims about SLALOM, judged on our program: its rate, and its time by I/O nodes."""

from __future__ import annotations

from assay.published.cells import slalom_twins
from assay.published.cells.answers import Answers
from assay.validation.claims.quantities import Params, quantity

FEW = 600  # patches: files count for more than in the minute of the report


@quantity("slalom", "rate_aggregate")
def rate(answers: Answers, machine: str, params: Params) -> float | None:
    """Of all nodes, with what a minute allows."""
    return slalom_twins.rate(answers, machine, int(params["nodes"]))


@quantity("slalom", "time")
def seconds(answers: Answers, machine: str, params: Params) -> float | None:
    """Of a small room, its files on so many I/O nodes."""
    found = answers.ask(
        machine, "slalom", "time", on_ranks=int(params["nodes"]), patches=FEW, io_nodes=int(params["io_nodes"])
    )
    return found[0].value if found else None
