"""A time on several ranks, predicted from what one rank and a message take, beside the measured one."""

from __future__ import annotations

from dataclasses import dataclass

from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class PredictedTime:
    """One case on `ranks` ranks; times in s.

    `predicted`: of the same program, simulated with `rates` (units of each kernel per second, measured on one rank) and
    a message that takes `startup` + `per_byte` * bytes (fitted to messages beside the run; off by up to `worst`,
    relative). `perfect`: the time on one rank over `ranks`. `computing` and `in_calls`: shares of all ranks' time,
    measured and predicted; the rest is idling at the end.
    """

    params: Params
    ranks: int
    measured: float
    predicted: float
    perfect: float
    computing: tuple[float, float]
    in_calls: tuple[float, float]
    rates: dict[str, float]
    startup: float
    per_byte: float
    worst: float

    @property
    def error(self) -> float:
        """Predicted over measured, less 1."""
        return self.predicted / self.measured - 1

    @property
    def perfect_error(self) -> float:
        """The same of perfect scaling."""
        return self.perfect / self.measured - 1
