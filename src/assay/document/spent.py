"""How a run's launches were spent, where their number was not fixed beforehand."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Look:
    """One look at a benchmark's intervals: after how many launches, whether it ended there, and why."""

    launches: int
    stop: bool
    reached: bool | None
    reason: str
    level: float


@dataclass(frozen=True, kw_only=True)
class BenchmarkSpent(Look):
    """How a benchmark ended (its last look), and all its looks."""

    benchmark: str
    looks: list[Look]


@dataclass(frozen=True, kw_only=True)
class BudgetSpent:
    """What a budget (s, of the whole command) left of a first look: `launches` of each benchmark, of `planned`.

    `needed`: seconds that all of it would have taken; `left_out`: benchmarks without a launch; `cut`: how many launches
    no longer fitted when they were due; `text`: all of it in words, empty where nothing was left out.
    """

    seconds: float
    needed: float
    planned: int
    launches: int
    left_out: list[str]
    cut: int
    text: str


@dataclass(frozen=True, kw_only=True)
class LaunchesSpent:
    """Half-width wanted (relative), after which launches it was looked, the intervals' level, and the budget (s)."""

    within: float
    looks: list[int]
    level: float
    budget: float | None
    benchmarks: list[BenchmarkSpent] = field(default_factory=list)
