"""Judges of claims: each a function from a study's results to the parts of a verdict, registered under a claim's id.

A claim's numbers and tolerances come from the catalogue, tolerances with the print that they are from; a function says
which points it is about. The same words have the same allowance everywhere. Claims about
saturation are judged by brackets of the bisected backlog, and about latencies only where no network is saturated,
unless they speak of saturated ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from assay.machine.published import Claim
from assay.network.study.results import Bracket, Point, Results
from assay.papers.claims.verdict import Part, within

Judge = Callable[[Results, Claim], Sequence[Part]]
JUDGES: dict[str, Judge] = {}
NOTES: dict[str, str] = {}


def judged(claim: str, note: str = "") -> Callable[[Judge], Judge]:
    """Register a claim's function; `note` says how the paper's words were taken."""

    def keep(judge: Judge) -> Judge:
        JUDGES[claim] = judge
        NOTES[claim] = note
        return judge

    return keep


SAME = 0.05  # what the transcription took 'the same' and 'unaffected' for, before anything was simulated
LITTLE = 0.1  # and 'little difference' and 'marginal'


def slack(claim: Claim) -> float:
    """What the claim's value leaves open, in its own unit: what its print says, else half of its last digit."""
    if claim.tol_abs is not None:
        return claim.tol_abs
    exponent = Decimal(repr(claim.value)).as_tuple().exponent
    return 0.5 * 10.0 ** (exponent if isinstance(exponent, int) else 0)


def unsaturated(points: Sequence[Point]) -> list[Point]:
    """Those whose backlog stays."""
    return [point for point in points if not point.saturated]


def bracket_words(name: str, one: Bracket) -> str:
    """Its numbers."""
    return f"{name} saturates between {one.low:.3g} and {one.high:.3g} messages/ms"


def before(one: Bracket, other: Bracket, names: tuple[str, str]) -> Part:
    """Whether the first saturates at a lower rate."""
    words = f"{bracket_words(names[0], one)}; {bracket_words(names[1], other)}"
    if one.high <= other.low:
        return Part("holds", words)
    return Part("differs" if other.high <= one.low else "cannot be told", words)


def bracket_in(one: Bracket, low: float, high: float, name: str) -> Part:
    """Whether a saturation point lies in a published range."""
    return Part(within((one.low, one.high), (low, high)), f"{bracket_words(name, one)}, published {low:g} to {high:g}")
