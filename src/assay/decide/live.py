"""Two variants measured in turn until they are equal, differ, or the pairs that were fixed beforehand are used up.

Each variant is what `assay run` would do. A pair is one launch of each, in random order, so that what drifts slowly
moves both. Launch by launch a figure's values are the report's: the median of a launch. analysis/paired_decision.py has
the tests.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.analysis.paired_decision import PairedDecision, PairedPlan
from assay.document.params import Parameters
from assay.document.reported_figure import ReportedFigure
from assay.errors import MeasurementError
from assay.execute import session
from assay.report.derive.document import document
from assay.report.judge.comparison import Key, compared
from assay.report.judge.gate import headlines, means
from assay.report.judge.run_differences import matched
from assay.store import Run

if TYPE_CHECKING:
    from assay.execute.plan import Plan

MOST_MARKED = 0.1  # of a figure's blocks, with which medians of launches decide


@dataclass
class LiveSide:
    """A variant: its words, its run, all launches that it may make, and where; `environment`: what it is built with."""

    words: str
    run: Run
    plan: Plan
    where: session.Target
    environment: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def launch(self, pair: int, say: Callable[[str], None]) -> None:
        """Make the launches of a pair. MeasurementError where one fails: a pair without it is useless."""
        tasks = tuple(task for task in self.plan.tasks if task.launch == pair)
        with _set(self.environment):
            failures = session.do(self.run, replace(self.plan, tasks=tasks), self.where, say=say)
        if failures:
            raise MeasurementError(f"{self.words}: {failures[0].reason}")


@contextlib.contextmanager
def _set(environment: Mapping[str, str]) -> Iterator[None]:
    """Have this process's environment include these variables for a while."""
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@dataclass(frozen=True)
class LiveFigure:
    """What was decided of one figure in one case, after `decision.pairs` pairs.

    `statistic`: what of each launch was compared, its "median" or its "best reading"; `medians`: the ratio of the
    report's values, where both have one.
    """

    benchmark: str
    figure: str
    params: Parameters
    better: str
    decision: PairedDecision
    statistic: str = "median"
    medians: float | None = None


@dataclass(frozen=True)
class LiveResult:
    """Every judged figure, the pairs that were made, the seconds that they took, and why it ended."""

    figures: tuple[LiveFigure, ...]
    pairs: int
    seconds: float
    ended: str


def decide(
    sides: tuple[LiveSide, LiveSide],
    *,
    margin: float,
    most: int,
    seed: int,
    words: Sequence[str] | None,
    budget: float | None = None,
    say: Callable[[str], None] = lambda text: None,
    advance: Callable[[int], None] = lambda pair: None,
) -> LiveResult:
    """Measure pairs until each judged figure is decided, `most` pairs are made, or another would pass `budget` [s].

    `words`: the judged figures as `--figures` has them; None: the headlines of A (where it has none, every figure).
    MeasurementError where a launch fails, or where no judged figure has a value in both.
    """
    began = time.monotonic()
    dice = random.Random(seed)
    plan = PairedPlan(margin, most)
    found: tuple[LiveFigure, ...] = ()
    ended, pairs = f"all {most} pairs were made", 0
    for pair in range(most):
        order = list(sides)
        dice.shuffle(order)
        for side in order:
            side.launch(pair, say)
        pairs = pair + 1
        advance(pairs)
        elapsed = time.monotonic() - began
        spent = budget is not None and elapsed * (pairs + 1) / pairs > budget
        if pairs in plan.looks or spent:
            found = _look(sides, plan, words)
            if found and all(each.decision.decided for each in found):
                ended = "every figure is decided"
                break
        if spent:
            ended = f"another pair would pass the budget of {budget:g} s"
            break
    if not found:
        words_of = f"{sides[0].words} and {sides[1].words}"
        raise MeasurementError(f"{words_of} have no figure that both have a value of: other processes disturbed all")
    return LiveResult(found, pairs, time.monotonic() - began, ended)


def _look(sides: tuple[LiveSide, LiveSide], plan: PairedPlan, words: Sequence[str] | None) -> tuple[LiveFigure, ...]:
    """Judge each figure that both sides have launch values of by now.

    Where other processes disturbed a figure of one, the best readings of all launches of both decide.
    """
    a, b = matched([document(side.run, best_readings=True) for side in sides])
    first, second = _by_figure(compared(a)), _by_figure(compared(b))
    wanted = {key for key in first if words is None or any(means(word, key[:2]) for word in words)}
    if words is None:
        wanted = headlines(a) & wanted or wanted
    both = [(first[key], second[key]) for key in first if key in wanted and key in second]
    shared = [
        (one, two, statistic, values) for one, two in both for statistic, values in [_log_ratios(one, two)] if values
    ]
    if not both:
        raise MeasurementError(f"{sides[0].words} and {sides[1].words} have no figure in common to decide on")
    judged = replace(plan, figures=len(shared))
    return tuple(
        LiveFigure(one.benchmark, one.name, one.params, one.better, judged.look(values), statistic, _medians(one, two))
        for one, two, statistic, values in shared
    )


def _by_figure(figures: dict[Key, ReportedFigure]) -> dict[Key, ReportedFigure]:
    return {key: each for key, each in figures.items() if each.state != "invalid" and each.best_by_launch}


def _log_ratios(a: ReportedFigure, b: ReportedFigure) -> tuple[str, list[float]]:
    """What of each launch counts, and ln(B / A) of the launches that both have a positive value of.

    Interference lengthens times and hardly ever shortens them: of a figure that is disturbed, or of which more than a
    tenth of the blocks were, the best readings count, also those of launches of which every block was disturbed.
    """
    disturbed = any(of.state != "clean" or of.marked > MOST_MARKED * of.blocks for of in (a, b))
    first, second = ((of.best_by_launch or []) if disturbed else of.by_launch for of in (a, b))
    values = {int(launch): value for launch, value in second}
    return "best reading" if disturbed else "median", [
        math.log(values[int(launch)] / value)
        for launch, value in first
        if value > 0 and values.get(int(launch), 0.0) > 0
    ]


def _medians(a: ReportedFigure, b: ReportedFigure) -> float | None:
    return b.value / a.value if a.value and b.value and "bound" not in (a.state, b.state) else None
