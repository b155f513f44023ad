"""Which verdicts rest on an allowance that no print gives: all claims judged again with half of it and with double."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.published.cells import allowance
from assay.published.judge import ClaimVerdict, Outcome

Outcomes = tuple[Outcome, Outcome, Outcome]  # with half of what was chosen, as chosen, with double


def changed(evaluate: Callable[[], Sequence[ClaimVerdict]]) -> dict[str, Outcomes]:
    """The claims (ids) with different verdicts; `evaluate` judges all of them."""
    found: list[dict[str, Outcome]] = []
    for factor in (0.5, 1.0, 2.0):
        with allowance.choosing(factor):
            found.append({verdict.claim: verdict.outcome for verdict in evaluate()})
    half, middle, double = found
    every = {claim: (half[claim], outcome, double[claim]) for claim, outcome in middle.items()}
    return {claim: outcomes for claim, outcomes in every.items() if len(set(outcomes)) > 1}


def lines(changes: dict[str, Outcomes]) -> list[str]:
    """The same as Markdown: a table, or that nothing changes."""
    if not changes:
        return ["With half and with double of what was chosen, every claim has the same outcome.\n"]
    rows = [f"| `{claim}` | {' | '.join(outcomes)} |" for claim, outcomes in changes.items()]
    return ["| claim | with half | as chosen | with double |", "|---|---|---|---|", *rows, ""]
