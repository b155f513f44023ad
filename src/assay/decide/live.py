"""Two variants measured in turn until they are equal, differ, or the pairs that were fixed beforehand are used up.

Each variant is what `assay run` would do. A pair is one launch of each, in random order, so that what drifts slowly
moves both. The first pairs are a pilot: they fix what is judged, and by which statistic of a launch (live_figures.py),
and are not judged themselves. analysis/paired_decision.py has the tests.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.analysis.launch_statistics import PILOT
from assay.analysis.paired_decision import PairedPlan
from assay.decide.live_figures import FixedFigure, LiveFigure, fix_figures, look
from assay.document.run_document import Document
from assay.errors import MeasurementError
from assay.execute import session
from assay.report.derive.document import document
from assay.report.judge.run_differences import matched
from assay.store import Run

if TYPE_CHECKING:
    from assay.execute.plan import Plan


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
class LiveResult:
    """Every judged figure, the pairs that were judged, the seconds that all took, and why it ended."""

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
    only_worse: bool = False,
    say: Callable[[str], None] = lambda text: None,
    advance: Callable[[int], None] = lambda pair: None,
) -> LiveResult:
    """Measure a pilot, then pairs until each judged figure is decided or `most` are made; all within `budget` [s].

    `words`: the judged figures as `--figures` has them; None: the headlines (where there are none, every figure).
    `only_worse`: a B that is better in what does not decide leaves equal figures equal.
    MeasurementError where a launch fails, or where no judged figure has a value in both.
    """
    began = time.monotonic()
    dice = random.Random(seed)
    plan = PairedPlan(margin, most)
    fixed: list[FixedFigure] = []
    found: tuple[LiveFigure, ...] = ()
    ended, pairs = f"all {most} pairs were made", 0
    for launch in range(PILOT + most):
        order = list(sides)
        dice.shuffle(order)
        for side in order:
            side.launch(launch, say)
        made = launch + 1
        pairs = max(0, made - PILOT)
        advance(made)
        elapsed = time.monotonic() - began
        spent = budget is not None and elapsed * (made + 1) / made > budget
        if made == PILOT or (spent and made < PILOT):
            fixed = fix_figures(*_documents(sides), words)
            if not fixed:
                raise MeasurementError(f"{sides[0].words} and {sides[1].words} have no figure in common to decide on")
        if pairs in plan.looks or spent:
            found = look(*_documents(sides), fixed, plan, pairs, only_worse=only_worse)
            if all(each.decided for each in found):
                ended = "every figure is decided"
                break
        if spent:
            ended = f"another pair would pass the budget of {budget:g} s"
            break
    if pairs and all(each.decision is None for each in found):
        words_of = f"{sides[0].words} and {sides[1].words}"
        raise MeasurementError(f"{words_of} have no figure that both have a value of: {found[0].reason}")
    return LiveResult(found, pairs, time.monotonic() - began, ended)


def _documents(sides: tuple[LiveSide, LiveSide]) -> tuple[Document, Document]:
    a, b = matched([document(side.run, all_readings=True) for side in sides])
    return a, b
