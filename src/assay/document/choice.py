"""What a library chose for an operation, compared with the best of the algorithms that were measured with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class ChoiceWanted:
    """What a record wants compared: `[choice]`, the `own` value of the parameter `across` by a `figure` of time.

    `whose`: of a machine without a library, what replaces "library" (report/derive/message_library.py).
    """

    figure: str
    across: str
    own: str
    whose: Annotated[str | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One case (`params`, without the parameter that is compared): `ratio` of the `own` value to the `best` one's.

    `ci95` holds the interval where the choice is named `slower`, so that of all that are stated at most 5% miss;
    `level` is that of each one by itself, `comparisons` how many were made in all (analysis/chosen.py).
    """

    params: Params
    best: str
    value: float
    best_value: float
    unit: str
    ratio: float
    ci95: list[float] | None
    level: float | None
    slower: bool
    launches: int
    comparisons: int
    reason: str
