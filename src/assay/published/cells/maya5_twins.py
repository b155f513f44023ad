"""The twins of maya5's times: our program `pulsars` on the described clusters. The paper prints no inputs.

Steps make a run as long as theirs; 16 parts is what the IBM cluster's times on 2 to 16 processors look like. What a
flop takes is a number of each description, from the time on 2 processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers
from assay.published.cells.rules import Pairs, rule
from assay.published.cells.user_times import by_processors

INPUTS = {"pulsars": 65536, "steps": 12800, "parts": 16}


MAYA5 = "user.maya5"


def time(answers: Answers, benchmark: str, name: str, ranks: int, per_node: int = 1) -> float | None:
    """Seconds on so many ranks of a description, so many of them on each node."""
    found = answers.ask(name, "pulsars", "time", on_ranks=ranks, per_node=per_node, **INPUTS)
    return found[0].value if found else None


@rule(MAYA5)
def times(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Seconds by processors."""
    return by_processors(machine, cells, partial(time, answers))
