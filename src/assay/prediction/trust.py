"""Whether a model's answers to scaling questions are refused: by cells that its fit did not see.

They are refused where coverage lies below the level of the intervals beyond chance (the upper end of the binomial 95%
interval of the share is below it), where the median error is larger than that of the plain baseline on the same cells,
and where fewer than `LEAST` cells were compared, which show neither. The numbers are kept in the model's file, in
[validation], with a digest of everything else in the file: a model that was changed since has no verdict.
"""

from __future__ import annotations

from typing import Protocol

from assay.analysis.binomial import share_interval
from assay.described.machine_file import DescribedMachine
from assay.described.validation_table import digest

LEAST = 5  # cells


class VerdictNumbers(Protocol):
    """What a verdict rests on: a prediction, or the [validation] of a file."""

    @property
    def level(self) -> float | None:
        """The level of the intervals."""

    @property
    def counted(self) -> int:
        """Cells that were not used."""

    @property
    def covered(self) -> int:
        """Those of them whose measured value lies within its interval."""

    @property
    def judged(self) -> int:
        """Those of them that have an interval."""

    @property
    def compared(self) -> int:
        """Those of them that have a baseline."""

    @property
    def error_compared(self) -> float | None:
        """The median error of these."""

    @property
    def baseline_error(self) -> float | None:
        """The median error of their baselines."""


def trustworthy(of: VerdictNumbers) -> str | None:
    """Why answers of a model with these predictions are refused, in words; None where they are not."""
    if of.counted < LEAST:
        return f"{of.counted} cells that it was not fitted to were compared, and {LEAST} are needed"
    if of.level is None or of.judged < LEAST:
        return "it has no [uncertainty], so that its predictions have no intervals"
    high = share_interval(of.covered, of.judged)[1]
    if high < of.level:
        return (
            f"its {of.level:.0%} intervals hold {of.covered} of {of.judged} cells that it was not fitted to "
            f"({of.covered / of.judged:.0%}, at most {high:.0%}): fewer than by chance"
        )
    own, other = of.error_compared, of.baseline_error
    if own is not None and other is not None and own > other:
        return (
            f"its median error of {own:.1%} is larger than the {other:.1%} of a plain baseline, on {of.compared} cells"
        )
    return None


def refusal(model: DescribedMachine) -> str | None:
    """Why a described machine's answers to scaling questions are refused, by its [validation]; None where not.

    A machine without [uncertainty] was not fitted to a run: what it rests on is in its [origin], and it is not refused.
    """
    if model.uncertainty is None:
        return None
    table, name = model.validation, model.name
    advice = f"`assay predict FILE RUN -o FILE` compares {name} with a run"
    if table is None:
        return f"{name} was compared with no cell that it was not fitted to: {advice}"
    if table.digest != digest(model.filed):
        return f"{name} was changed since it was compared with {table.run}: {advice}"
    found = trustworthy(table)
    return None if found is None else f"{name} failed against {table.run}: {found}"
