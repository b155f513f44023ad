"""How far a number may be trusted, in one word, and how a program's own notes begin that bear on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.analysis.figures import FigureValue

DOUBTED = "doubted: "  # what the program itself does not trust
LEFT_OUT = "left out: "  # why a case, or all of them, cannot be done here
WORST = {"clean": 0, "disturbed": 1, "bound": 2, "invalid": 3}


def worse(one: str, other: str) -> str:
    """Return the worse of two states."""
    return max(one, other, key=WORST.__getitem__)


def states(figures: Sequence[FigureValue]) -> dict[str, int]:
    """How many cases' figures are in each state: those by the estimator that stands, not tails and first calls."""
    main = [figure for figure in figures if figure.statistic == "median" or figure.state == "bound"]
    return {state: sum(figure.state == state for figure in main) for state in WORST}


def overall(counts: Mapping[str, int]) -> str:
    """Return the state that at least half reach, or a worse one: one case does not damn the others."""
    total, reached = sum(counts.values()), 0
    for state in sorted(WORST, key=WORST.__getitem__, reverse=True):
        reached += counts[state]
        if total and 2 * reached >= total:
            return state
    return "invalid"
