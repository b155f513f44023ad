"""Spends a run's launches where its intervals are wide: applies the stopping rule at each look, and journals it.

A decision rests on the samples and on the seconds in the journal, and is final once it is written there: a run that was
interrupted goes on with the same launches.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.execute.budget import TimeBound
from assay.execute.plan import Plan, Spending
from assay.store import Run
from assay.stored.journal_entries import JournalEntry


@dataclass
class Spent:
    """Decides for one plan; `stopped` is called before each of its launches."""

    spending: Spending
    tasks: dict[str, tuple[str, int]]  # benchmark and launch by the task's name
    bound: TimeBound | None = None
    _decided: dict[tuple[str, int], bool] = field(default_factory=dict)

    @staticmethod
    def of(plan: Plan, bound: TimeBound | None = None) -> Spent | None:
        """Give what decides for this plan, by `bound` where it has a budget; None where its launches are fixed."""
        if plan.spending is None:
            return None
        return Spent(plan.spending, {task.name: (task.benchmark, task.launch) for task in plan.tasks}, bound)

    def stopped(self, run: Run, benchmark: str, launches: int) -> bool:
        """Whether a benchmark ends after so many launches; each look and each stop is journaled once."""
        if launches < self.spending.looks[0]:
            return False
        key = (benchmark, launches)
        if key not in self._decided:
            self._decided[key] = self._decide(run, benchmark, launches)
        return self._decided[key]

    def _decide(self, run: Run, benchmark: str, launches: int) -> bool:
        entries = run.entries()
        for entry in entries:
            if entry["event"] == "look" and entry["benchmark"] == benchmark:
                if entry["stop"]:  # launches before it were decided on, and one that must be done again is
                    return launches >= int(entry["launches"])
                if entry["launches"] == launches:
                    return False
        decision = self._stopping(run, benchmark, launches, self._seconds(entries))
        if decision["stop"] or launches in self.spending.looks:
            run.journal({"event": "look", "benchmark": benchmark, "launches": launches, **decision})
        return bool(decision["stop"])

    def _stopping(
        self, run: Run, benchmark: str, launches: int, seconds: dict[tuple[str, int], float]
    ) -> dict[str, object]:
        from assay.analysis.stopping import Decision, FirstOf, HalfWidth, LaunchProgress, StoppingRule, TimeBudget
        from assay.report.derive.stopping_figures import watched

        first = sum(spent for (_, launch), spent in seconds.items() if launch < self.spending.looks[0])
        own = [spent for (name, _), spent in seconds.items() if name == benchmark]
        budget = 2 * first if self.spending.budget is None else self.spending.budget
        elapsed = sum(seconds.values())
        if self.bound is not None:  # of the whole command
            budget, elapsed = self.bound.seconds, self.bound.elapsed()
        rules: list[StoppingRule] = [TimeBudget(budget)]
        figures: list[list[float]] = []
        if launches in self.spending.looks:
            figures = watched(run, benchmark)
            if not figures:
                return Decision(True, "no valid figure to watch", self.spending.level).to_dict()
            rules.insert(0, HalfWidth(self.spending.within, self.spending.looks))
        following = sum(own) / len(own) if own else 0.0
        return FirstOf(tuple(rules)).decide(LaunchProgress(figures, launches, elapsed, following)).to_dict()

    def _seconds(self, entries: list[JournalEntry]) -> dict[tuple[str, int], float]:
        """Seconds that each benchmark's rounds of launches took."""
        found: dict[tuple[str, int], float] = {}
        for entry in entries:
            if entry["event"] == "ended" and entry["task"] in self.tasks:
                key = self.tasks[entry["task"]]
                found[key] = found.get(key, 0.0) + float(entry.get("seconds") or 0.0)
        return found
