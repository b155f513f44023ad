"""The one judge of claims: what becomes of a statement, from what was found, what is accepted, and what was an input.

What was found is an interval; an exact number is an interval without width. What is accepted is an interval as well: a
value with what its print leaves open, a range, everything below a value. A claim *holds* where all that was found lies
inside what is accepted, *differs* where none of it does, and *inconclusive* where the interval crosses an end, is
unbounded, or nothing was found. Widening what is accepted never turns `holds` into anything else.

A claim of several parts differs where one differs, and is inconclusive where one is; its parts share the error
probability of their intervals (done by the caller). A verdict carries a mark where descriptions could have
used what the claim states: what was an input, or restates one, is no evidence although it holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Outcome = Literal["holds", "differs", "inconclusive"]
OUTCOMES: tuple[Outcome, ...] = ("holds", "inconclusive", "differs")
SIGNS: dict[Outcome, str] = {"holds": "✓", "differs": "✗", "inconclusive": "?"}
Range = tuple[float, float]
Comparison = Literal["==", "~=", "<", ">", "<=", ">="]
EXACT = 1e-9  # relative: what rounding makes of equal numbers


@dataclass(frozen=True)
class Accepted:
    """The values that a statement accepts; `open` where the ends themselves are not."""

    low: float = -math.inf
    high: float = math.inf
    open: bool = False


@dataclass(frozen=True)
class ClaimPart:
    """One comparison with its numbers in words.

    `of`: the published cells that it speaks of, where its judge names them, each with its machine (cells/clauses.py).
    """

    outcome: Outcome
    numbers: str
    of: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClaimVerdict:
    """What became of a claim; `mark`: its kind (`assay.kinds`), where it has one.

    `rests_on`: the claim that is equivalent for the same simulation, with which it counts once.
    """

    claim: str
    outcome: Outcome
    parts: tuple[ClaimPart, ...]
    note: str = ""
    mark: str | None = None
    rests_on: str | None = None

    def document(self) -> dict[str, object]:
        """For JSON."""
        return {
            "claim": self.claim,
            "outcome": self.outcome,
            "parts": [{"outcome": part.outcome, "numbers": part.numbers} for part in self.parts],
            "note": self.note,
            **({} if self.mark is None else {"mark": self.mark}),
        }


def accepted(op: Comparison, value: float, slack: float = 0.0) -> Accepted:
    """What a comparison with a value accepts; `slack` is what the value's print leaves open, for `~=` alone."""
    if op in ("==", "~="):
        width = EXACT * abs(value) if op == "==" else slack * (1 + EXACT)
        return Accepted(value - width, value + width)
    low, high = (-math.inf, value) if op in ("<", "<=") else (value, math.inf)
    return Accepted(low, high, open=op in ("<", ">"))


def within(found: Range | float | None, expected: Accepted | Range, strictly_between: bool = False) -> Outcome:
    """Whether what was found lies inside what is accepted, outside of it, or is inconclusive.

    strictly_between: the ends of what was found are known not to be reached, as of a bisection's bracket.
    """
    if found is None:
        return "inconclusive"
    low, high = (found, found) if isinstance(found, int | float) else found
    if not (math.isfinite(low) and math.isfinite(high)):
        return "inconclusive"
    ends = expected if isinstance(expected, Accepted) else Accepted(*expected)
    if ends.open and not strictly_between:
        inside = low > ends.low and high < ends.high
    else:
        inside = low >= ends.low and high <= ends.high
    if inside:
        return "holds"
    if ends.open or strictly_between:
        outside = high <= ends.low or low >= ends.high
    else:
        outside = high < ends.low or low > ends.high
    return "differs" if outside else "inconclusive"


def judged(
    found: Range | float | None, expected: Accepted | Range, numbers: str, of: tuple[str, ...] = ()
) -> ClaimPart:
    """One comparison as a part of a verdict."""
    return ClaimPart(within(found, expected), numbers, of)


def fact(true: bool | None, numbers: str, of: tuple[str, ...] = ()) -> ClaimPart:
    """What is true or not and needs no interval; None where nothing was found."""
    return ClaimPart("inconclusive" if true is None else "holds" if true else "differs", numbers, of)


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """All parts together: one that differs, differs; else one that is inconclusive, or having none, leaves it open."""
    if "differs" in outcomes:
        return "differs"
    return "inconclusive" if "inconclusive" in outcomes or not outcomes else "holds"


def follows(values: Sequence[float], direction: str, flat: float) -> Outcome:
    """Whether exact values, in order, rise, fall or stay: never the other way, and not all the same.

    direction: increasing, decreasing or flat; flat: the share by which the greatest may exceed the least.
    """
    if len(values) < 2:
        return "inconclusive"
    if direction == "flat":
        return within(max(values) - min(values), Accepted(high=flat * min(values) * (1 + EXACT)))
    sign = 1 if direction == "increasing" else -1
    steps = [within(sign * (b - a), accepted(">=", 0.0)) for a, b in pairwise(values)]
    return together([*steps, within(sign * (values[-1] - values[0]), accepted(">", 0.0))])


def verdict(
    claim: str, parts: Sequence[ClaimPart], note: str = "", mark: str | None = None, rests_on: str | None = None
) -> ClaimVerdict:
    """A claim's parts together; an inconclusive one has no mark, being evidence for nothing."""
    outcome = together([part.outcome for part in parts])
    return ClaimVerdict(claim, outcome, tuple(parts), note, None if outcome == "inconclusive" else mark, rests_on)
