"""Judges of this paper's claims: each a function from a study's results to parts, registered under a claim's id.

A claim's numbers and tolerances come from the catalogue, tolerances with the print that they are from or called our
choice; a function names its points. The same words have the same allowance everywhere. Claims about
saturation are judged by brackets of the bisected backlog, and about latencies only where no network is saturated,
unless they speak of saturated ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.machine.published import Claim
from assay.network.study.results import Point, Results
from assay.published.cells import allowance
from assay.published.judge import ClaimPart

Judge = Callable[[Results, Claim], Sequence[ClaimPart]]
JUDGES: dict[str, Judge] = {}
NOTES: dict[str, str] = {}
INPUTS: set[str] = set()


def judges(claim: str, note: str = "", chosen_by: bool = False) -> Callable[[Judge], Judge]:
    """Register a claim's function; `note`: how the paper's words were interpreted.

    chosen_by: of several readings of the paper the one was taken that gives this number, which is an input then.
    """

    def keep(judge: Judge) -> Judge:
        JUDGES[claim] = judge
        NOTES[claim] = note
        if chosen_by:
            INPUTS.add(claim)
        return judge

    return keep


def same(claim: Claim) -> float:
    """The share that 'the same' and 'unaffected' allow."""
    return allowance.share(claim, allowance.SAME)


def little(claim: Claim) -> float:
    """The share that 'little difference', 'marginal' and 'very closely' allow."""
    return allowance.share(claim, allowance.LITTLE)


def unsaturated(points: Sequence[Point]) -> list[Point]:
    """Those whose backlog stays."""
    return [point for point in points if not point.saturated]
