"""A guideline of collectives: an operation compared with others that do its work, both by a library."""

from __future__ import annotations

from dataclasses import dataclass

from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class GuidelineTest:
    """One test: `value` of the case `params`, and `other_value` of what it should not be slower than, `text`.

    `ratio` is the first over the second; `ci95` its interval where the guideline is named `broken`, so that of all that
    are stated at most 5% miss; `comparisons` is how many guidelines were tested (analysis/chosen.py).
    """

    params: Params
    kind: str
    text: str
    value: float
    other_value: float
    unit: str
    ratio: float
    ci95: list[float] | None
    broken: bool
    launches: int
    comparisons: int
    reason: str
