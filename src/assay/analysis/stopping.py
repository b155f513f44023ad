"""When to stop measuring: rules as objects that never read a clock (METHOD rules 3 and 4).

A rule is told how far the measuring is (`Progress`) and answers with a `Decision`: stop or go on, why, and the level
at which an interval may be drawn now. Looks are fixed beforehand. A rule that looks k times at its own interval and
stops when it likes it would miss more often than 5%; here the 5% are shared among the looks (each interval is drawn
at 1 - 0.05/k), so that the chance that any of them misses stays under 5% (Bonferroni; Jennison and Turnbull 2000,
chapter 2). A budget of time that runs out between two looks uses the share of the look that it never reached.

`Launches`, `HalfWidth` and `TimeBudget` end a run; `Slice` and `Repetitions` end a block inside a launch, where time
is spent and precision is not chased. `FirstOf` joins rules.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from assay.analysis.intervals import median_interval
from assay.analysis.result import Result


@dataclass(frozen=True)
class Progress:
    """How far it is: launch values so far (the metric's unit), seconds spent, repetitions in this block."""

    launches: Sequence[float] = ()
    elapsed: float = 0.0
    repetitions: int = 0


@dataclass(frozen=True)
class Decision(Result):
    """`stop`, the `reason` in words, and the `level` at which an interval across launches covers 95% in the end."""

    stop: bool
    reason: str
    level: float = 0.95


class Rule(Protocol):
    """Anything that decides from progress alone."""

    def decide(self, progress: Progress) -> Decision:
        """Say whether to stop now, and why."""
        ...


@dataclass(frozen=True)
class Launches:
    """Stop after a number of launches fixed beforehand (quick 3, standard 10, a claim 30).

    One look, the whole level.
    """

    count: int

    def decide(self, progress: Progress) -> Decision:
        """Count launches."""
        n = len(progress.launches)
        return Decision(n >= self.count, f"{n} of {self.count} launches done")


@dataclass(frozen=True)
class HalfWidth:
    """Stop at the first of `looks` (launches, ascending) whose interval is within +-`target`, or at the last look."""

    target: float
    looks: tuple[int, ...] = (10, 15, 20, 30)
    level: float = 0.95

    def __post_init__(self) -> None:
        if not self.looks or list(self.looks) != sorted(set(self.looks)) or self.target <= 0:
            raise ValueError("looks are ascending numbers of launches, the target is positive")

    @property
    def spent(self) -> float:
        """The level of each look's interval."""
        return 1 - (1 - self.level) / len(self.looks)

    def decide(self, progress: Progress) -> Decision:
        """Look at the interval if this is a look."""
        n = len(progress.launches)
        if n not in self.looks and n < self.looks[-1]:
            return Decision(False, f"{n} launches: no look before {next(k for k in self.looks if k > n)}", self.spent)
        interval = median_interval(np.asarray(progress.launches, float), self.spent)
        middle = float(np.median(np.asarray(progress.launches, float)))
        half = math.inf if interval is None or middle == 0 else (interval[1] - interval[0]) / 2 / abs(middle)
        if half <= self.target:
            return Decision(True, f"+-{half:.2%} after {n} launches, {self.target:.2%} wanted", self.spent)
        if n >= self.looks[-1]:
            return Decision(True, f"last look: +-{half:.2%} after {n} launches, {self.target:.2%} wanted", self.spent)
        return Decision(False, f"+-{half:.2%} after {n} launches, {self.target:.2%} wanted", self.spent)


@dataclass(frozen=True)
class TimeBudget:
    """Stop when `seconds` are spent, or when another launch, as long as those before on average, would pass them."""

    seconds: float

    def decide(self, progress: Progress) -> Decision:
        """Compare time spent with the budget."""
        n = len(progress.launches)
        following = progress.elapsed * (n + 1) / n if n else progress.elapsed
        if progress.elapsed >= self.seconds:
            return Decision(True, f"the budget of {self.seconds:g} s is spent")
        if following > self.seconds:
            return Decision(True, f"another launch would pass the budget of {self.seconds:g} s")
        return Decision(False, f"{progress.elapsed:.3g} of {self.seconds:g} s spent")


@dataclass(frozen=True)
class Slice:
    """Stop a block when its slice of time is spent and it holds at least `least` repetitions."""

    seconds: float
    least: int = 1

    def decide(self, progress: Progress) -> Decision:
        """Compare the block's time with its slice."""
        done = progress.elapsed >= self.seconds and progress.repetitions >= self.least
        return Decision(done, "slice spent" if done else f"{progress.elapsed:.3g} of {self.seconds:g} s spent")


@dataclass(frozen=True)
class Repetitions:
    """Stop a block after a number of repetitions fixed beforehand."""

    count: int

    def decide(self, progress: Progress) -> Decision:
        """Count repetitions."""
        return Decision(progress.repetitions >= self.count, f"{progress.repetitions} of {self.count} repetitions done")


@dataclass(frozen=True)
class FirstOf:
    """Stop when the first of `rules` stops.

    The level is the highest of theirs, so that coverage holds whichever it was.
    """

    rules: tuple[Rule, ...]

    def decide(self, progress: Progress) -> Decision:
        """Ask all rules."""
        decisions = [rule.decide(progress) for rule in self.rules]
        level = max(decision.level for decision in decisions)
        stopping = [decision.reason for decision in decisions if decision.stop]
        reasons = stopping or [decision.reason for decision in decisions]
        return Decision(bool(stopping), "; ".join(reasons), level)
