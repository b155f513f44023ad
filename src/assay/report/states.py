"""How far a number may be trusted, in one word, and how a program's own notes begin that bear on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.analysis.figures import FigureValue

DOUBTED = "doubted: "  # what the program itself does not trust
LEFT_OUT = "left out: "  # why a case, or all of them, cannot be done here
WORST = {"clean": 0, "disturbed": 1, "bound": 2, "invalid": 3}


def worse(one: str, other: str) -> str:
    """Return the worse of two states."""
    return max(one, other, key=WORST.__getitem__)


def states(figures: Sequence[FigureValue]) -> dict[str, int]:
    """How many cases' figures are in each state: those by the estimator that stands, not tails and first calls."""
    main = [figure for figure in figures if is_main(vars(figure))]
    return {state: sum(figure.state == state for figure in main) for state in WORST}


def overall(counts: Mapping[str, int]) -> str:
    """Return the state that at least half reach, or a worse one: one case does not damn the others."""
    total, reached = sum(counts.values()), 0
    for state in sorted(WORST, key=WORST.__getitem__, reverse=True):
        reached += counts[state]
        if total and 2 * reached >= total:
            return state
    return "invalid"


def displaced(figure: dict[str, Any]) -> float | None:
    """How far (relative) disturbance can have moved a figure at most; None where that was not judged."""
    bounds = figure.get("disturbance")
    known = bounds and bounds["low"] is not None and bounds["high"] is not None
    return max(abs(bounds["low"]), abs(bounds["high"])) if bounds and known else None


def words(figure: dict[str, Any]) -> str:
    """Write a figure's state with how far disturbance can have moved it: "disturbed by at most 3%"."""
    state, moved = str(figure["state"]), displaced(figure)
    if state == "disturbed" and moved is not None:
        return f"disturbed by at most {_percent(moved)}"
    return {"bound": "bound only"}.get(state, state)


def _percent(moved: float) -> str:
    return f"{100 * moved:.0f}%" if moved >= 0.1 else f"{100 * moved:.2g}%"


def is_main(figure: dict[str, Any]) -> bool:
    """Whether a figure is by the estimator that stands for its case: no tail, first call or extreme beside it."""
    return bool(figure["statistic"] == "median" or figure["state"] == "bound")


def shown(figure: dict[str, Any]) -> float | None:
    """Return the value that may be shown: an invalid figure has none, whatever it holds."""
    return None if figure["state"] == "invalid" else figure["value"]
