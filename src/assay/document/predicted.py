"""A time on several ranks, predicted from what one rank and a message take, and the measured one."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class PredictedTime:
    """One case on `ranks` ranks; times in s.

    `predicted`: of the same program, simulated with `rates` (units of each kernel per second, measured on one rank) and
    a message that takes `startup` + `per_byte` * bytes (fitted to messages of the run; off by up to `worst`,
    relative). `perfect`: the time on one rank over `ranks`. `computing` and `in_calls`: shares of all ranks' time,
    measured and predicted; the rest is idling at the end.

    `predicted` is the median over `launches`, each by its own rates and messages; `interval`: of the median, at 95%
    (`level`), or with fewer than six launches their range (`level` None). `parts`: seconds of all ranks, in a noted run
    that took `noted` and as predicted, by kernel (`kernel cg`), by call (`recv`), and by who waited for whom (`rank 1
    for rank 0`). `by_echo`: predicted with the same rates and the line fitted to echo's messages, where the run has
    both.
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
    interval: tuple[float, float] | None = None
    level: float | None = None
    launches: int = 1
    noted: float = 0.0
    by_echo: float | None = None
    parts: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def covers(self) -> bool | None:
        """Whether the measured time lies within the interval; None where one launch makes none."""
        if self.interval is None or self.launches < 2:
            return None
        return self.interval[0] <= self.measured <= self.interval[1]

    @property
    def error(self) -> float:
        """Predicted over measured, less 1."""
        return self.predicted / self.measured - 1

    @property
    def perfect_error(self) -> float:
        """The same of perfect scaling."""
        return self.perfect / self.measured - 1
