"""When to stop measuring: rules as objects that never read a clock (method.md, rules 3 and 4).

A rule reads how far the measuring is (`LaunchProgress`) and answers with a `Decision`: stop or go on, why, and the
level at which an interval may be drawn now. Looks are fixed beforehand. A rule that looks k times at its own interval
and stops when it likes it would miss more often than 5%; here the 5% are shared among the looks (each interval is drawn
at 1 - 0.05/k), so that the chance that any of them misses stays under 5% (Bonferroni; Jennison and Turnbull 2000,
chapter 2). A budget of time that runs out between two looks uses the share of the look that it never reached.

Several figures are watched at once: a benchmark stops when all of them are narrow enough. As every look's interval is
drawn at the spent level, each covers 95% whichever of them decided. What is inside a launch is not stopped here: a
block there ends with its time slice, and precision is not chased.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from assay.analysis.intervals import median_interval
from assay.analysis.median import median
from assay.analysis.result import AnalysisResult

OUT_OF_REACH = 2.0  # an interval that at the last look would still be so many times too wide is not waited for


@dataclass(frozen=True)
class LaunchProgress:
    """How far it is.

    `figures`: of each figure that is watched its value in each launch so far (the metric's unit). `launches`: how many
    were made, also those that failed and gave no value. `elapsed`: seconds spent; `following`: those that another
    launch takes.
    """

    figures: Sequence[Sequence[float]] = ()
    launches: int = 0
    elapsed: float = 0.0
    following: float = 0.0


@dataclass(frozen=True)
class Decision(AnalysisResult):
    """`stop`, the `reason` in words, the `level` at which an interval across launches covers 95% in the end.

    `reached`: whether it stops because what was wanted is there.
    """

    stop: bool
    reason: str
    level: float = 0.95
    reached: bool = False


class StoppingRule(Protocol):
    """Anything that decides from progress alone."""

    def decide(self, progress: LaunchProgress) -> Decision:
        """Whether to stop now, and why."""
        ...


@dataclass(frozen=True)
class HalfWidth:
    """Stop at the first of `looks` (launches, ascending) where every interval is within +-`target`, or at the last.

    Widths shrink as one over the square root of the launches: where by this the last look's interval would still be
    twice the target, more launches are no use and none is made.
    """

    target: float
    looks: tuple[int, ...]
    level: float = 0.95

    def __post_init__(self) -> None:
        if not self.looks or list(self.looks) != sorted(set(self.looks)) or self.target <= 0:
            raise ValueError("looks are ascending numbers of launches, the target is positive")

    @property
    def spent(self) -> float:
        """The level of each look's interval."""
        return 1 - (1 - self.level) / len(self.looks)

    def decide(self, progress: LaunchProgress) -> Decision:
        """Look at the intervals if this is a look; the widest speaks."""
        n = progress.launches
        if n not in self.looks and n < self.looks[-1]:
            return Decision(False, f"{n} launches: no look before {next(k for k in self.looks if k > n)}", self.spent)
        halves = [half_width(values, self.spent) for values in progress.figures]
        half = max(halves, default=math.inf)
        seen = f"{'no interval' if half == math.inf else f'+-{half:.1%}'} after {n} launches, {self.target:.1%} wanted"
        if half <= self.target:
            return Decision(True, seen, self.spent, reached=True)
        widest = max((each for each in halves if each < math.inf), default=0.0)
        if n < self.looks[-1] and widest > self.target * OUT_OF_REACH * math.sqrt(self.looks[-1] / n):
            far = f"{self.looks[-1]} would not reach it (about +-{widest * math.sqrt(n / self.looks[-1]):.1%})"
            return Decision(True, f"{seen}: {far}", self.spent)
        return Decision(n >= self.looks[-1], f"last look: {seen}" if n >= self.looks[-1] else seen, self.spent)


def half_width(values: Sequence[float], level: float) -> float:
    """Half of the interval of the median of launches at `level`, relative to the median; infinite where none exists."""
    launches = np.asarray(values, float)
    interval = median_interval(launches, level)
    if interval is None or not (middle := median(launches)):
        return math.inf
    return float((interval[1] - interval[0]) / 2 / abs(middle))


@dataclass(frozen=True)
class TimeBudget:
    """Stop when `seconds` are spent, or when another launch would pass them."""

    seconds: float

    def decide(self, progress: LaunchProgress) -> Decision:
        """Compare time spent with the budget."""
        if progress.elapsed >= self.seconds:
            return Decision(True, f"the budget of {self.seconds:.3g} s is spent")
        if progress.elapsed + progress.following > self.seconds:
            return Decision(True, f"another launch would pass the budget of {self.seconds:.3g} s")
        return Decision(False, f"{progress.elapsed:.3g} of {self.seconds:.3g} s spent")


@dataclass(frozen=True)
class FirstOf:
    """Stop when the first of `rules` stops.

    The level is the highest of theirs, so that coverage holds whichever it was.
    """

    rules: tuple[StoppingRule, ...]

    def decide(self, progress: LaunchProgress) -> Decision:
        """Apply all rules."""
        decisions = [rule.decide(progress) for rule in self.rules]
        level = max(decision.level for decision in decisions)
        stopping = [decision.reason for decision in decisions if decision.stop]
        reasons = stopping or [decision.reason for decision in decisions]
        return Decision(bool(stopping), "; ".join(reasons), level, any(decision.reached for decision in decisions))
