"""Kinds of numbers: what each shows about a description; for published cells, claims and simulated figures.

The words are used in code, in JSON (`kind`, `mark`) and in documents with the meaning that `MEANING` gives. Only what
is extrapolated or transferred is evidence for a description (method.md, rule 13).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class NumberKind(StrEnum):
    """The kinds of numbers, from the least to the most evidence for a description."""

    MEASURED = "measured"
    QUOTED = "quoted"
    SIMULATED = "simulated"
    INPUT = "input"
    FITTED = "fitted"
    RESTATED = "restated"
    INTERPOLATED = "interpolated"
    EXTRAPOLATED = "extrapolated"
    TRANSFERRED = "transferred"


MEANING: dict[NumberKind, str] = {
    NumberKind.MEASURED: "measured on a real machine",
    NumberKind.QUOTED: "printed, not simulated; of a claim: it is judged from print alone",
    NumberKind.SIMULATED: "nothing printed is there to compare with",
    NumberKind.INPUT: "the description took this very value, or was chosen by it",
    NumberKind.FITTED: "a number of the description was fitted on this cell",
    NumberKind.RESTATED: "the source computes it from other cells, all of which were used",
    NumberKind.INTERPOLATED: "same benchmark and machine as used cells, inside their hull in the coordinates of the "
    "table (lengths by their logarithm)",
    NumberKind.EXTRAPOLATED: "same benchmark and machine as used cells, outside their hull",
    NumberKind.TRANSFERRED: "another benchmark, pattern or machine than any that was used",
}
PUBLISHED = (
    *(NumberKind.INPUT, NumberKind.FITTED, NumberKind.RESTATED, NumberKind.INTERPOLATED),
    *(NumberKind.EXTRAPOLATED, NumberKind.TRANSFERRED, NumberKind.QUOTED),
)  # what a published cell can be, in the order of tables
EVIDENCE = (NumberKind.EXTRAPOLATED, NumberKind.TRANSFERRED)


def weakest(kinds: Iterable[NumberKind]) -> NumberKind | None:
    """The kind with the least evidence, None of none: a claim is no more than its weakest clause."""
    order = list(NumberKind)
    return min(kinds, key=order.index, default=None)


def is_simulated(kind: str) -> bool:
    """Whether a figure of this kind is a simulation's: neither measured nor printed."""
    return kind not in (NumberKind.MEASURED, NumberKind.QUOTED)
