"""How far a number may be trusted, in one word, and how a program's own notes begin that bear on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.analysis.disturbance import BETWEEN
from assay.document.reported_figure import Moved, ReportedFigure

DOUBTED = "doubted: "  # what the program itself does not trust
LEFT_OUT = "left out: "  # why a case, or all of them, cannot be done here
WORST = {"clean": 0, "disturbed": 1, "bound": 2, "invalid": 3}


def worst(states: Iterable[str]) -> str:
    """Return the worst of some states; "clean" of none."""
    return max(states, key=WORST.__getitem__, default="clean")


def states(figures: Sequence[ReportedFigure]) -> dict[str, int]:
    """How many cases' figures are in each state: those by the estimator that stands, not tails and first calls."""
    main = [figure for figure in figures if figure.main]
    return {state: sum(figure.state == state for figure in main) for state in WORST}


def overall(counts: Mapping[str, int]) -> str:
    """Return the state that at least half reach, or a worse one: one case does not damn the others."""
    total, reached = sum(counts.values()), 0
    for state in sorted(WORST, key=WORST.__getitem__, reverse=True):
        reached += counts[state]
        if total and 2 * reached >= total:
            return state
    return "invalid"


def displaced(disturbance: Moved | None) -> float | None:
    """How far (relative) disturbance can have moved a figure at most; None where that was not judged."""
    return None if disturbance is None else disturbance.most


def words(figure: ReportedFigure) -> str:
    """Write a figure's state with how far disturbance can have moved it: "disturbed by at most 3%".

    Where only launches could be compared, which differ for other causes, too, it is said.
    """
    state, moved = figure.state, displaced(figure.disturbance)
    if state == "disturbed" and moved is not None:
        between = ", as launches differ" if BETWEEN in figure.reasons else ""
        return f"disturbed by at most {_percent(moved)}{between}"
    return {"bound": "bound only"}.get(state, state)


def _percent(moved: float) -> str:
    return f"{100 * moved:.0f}%" if moved >= 0.1 else f"{100 * moved:.2g}%"
