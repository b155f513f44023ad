"""A run's cells with what a model, a described machine that was fitted to some of them, predicts for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.document.params import Params

# What separates a predicted cell from the cells that were fitted, from the least to the most.
Transfer = Literal[
    "fitted",
    "another run",
    "other length",
    "other parameters",
    "other number of ranks",
    "other benchmark",
    "other benchmark and ranks",
]


@dataclass(frozen=True, kw_only=True)
class PredictedCell:
    """One figure of one case: `measured` by the run and `predicted` by the model, SI units.

    `low` and `high`: the prediction interval of `measured`, which is a median of `launches`; None where the model has
    no uncertainty. `baseline`: a value without a simulator, by `baseline_by`; None where the rule has none. `used`:
    whether the model was fitted to this cell. `repeat_error`: even launches against odd ones, relative; None with fewer
    than four. `kind` is one of `assay.kinds`. A cell that is a bound has its best reading as `measured`, and counts in
    no error.
    """

    benchmark: str
    figure: str
    params: Params
    unit: str
    measured: float
    predicted: float
    low: float | None
    high: float | None
    baseline: float | None
    baseline_by: str | None
    used: bool
    transfer: Transfer
    kind: str
    state: str
    launches: int
    repeat_error: float | None = None

    @property
    def counts(self) -> bool:
        """Whether it is evidence: not used, with an estimate."""
        return not self.used and self.state != "bound"

    @property
    def error(self) -> float:
        """Predicted over measured, less 1."""
        return self.predicted / self.measured - 1

    @property
    def baseline_error(self) -> float | None:
        """The same of the baseline."""
        return None if self.baseline is None else self.baseline / self.measured - 1

    @property
    def covered(self) -> bool | None:
        """Whether the measured value lies within the interval; None without one."""
        if self.low is None or self.high is None:
            return None
        return self.low <= self.measured <= self.high


@dataclass(frozen=True, kw_only=True)
class PredictionCounts:
    """Counts and errors of the cells that were not used; errors are sizes, relative, and None without a cell.

    `compared`: how many have a baseline, with the median errors of both there. `coverage`: the share `covered` of
    `judged` cells, which have an interval, with its 95% binomial interval. `repeat_error`: the median of the cells'.
    """

    counted: int
    median_error: float | None
    worst_error: float | None
    compared: int
    error_compared: float | None
    baseline_error: float | None
    covered: int
    judged: int
    coverage: float | None
    coverage_interval: tuple[float, float] | None
    repeat_error: float | None


@dataclass(frozen=True, kw_only=True)
class TransferCounts(PredictionCounts):
    """The cells of one class of transfer."""

    transfer: Transfer


@dataclass(frozen=True, kw_only=True)
class ModelPrediction(PredictionCounts):
    """A run's cells as `machine` predicts them; the counts are of all that were not used.

    `level`: of the intervals, None where the model has no uncertainty; `draws` of its parameters were simulated.
    `used`, `bounds`, `disturbed`: how many cells were fitted, are bounds, are disturbed though counted. `skipped`: what
    was not predicted, and why. `not_determined`: what the model's fit did not determine, in its words. `refusal`: why
    the model's answers to scaling questions are refused; None where they are not.
    """

    machine: str
    run: str
    level: float | None
    draws: int
    used: int
    bounds: int
    disturbed: int
    cells: list[PredictedCell]
    classes: list[TransferCounts]
    skipped: list[str]
    not_determined: list[str]
    refusal: str | None
