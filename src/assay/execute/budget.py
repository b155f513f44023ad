"""A budget bounds the time of a whole command: what of a plan fits into it, and what no longer does while it runs.

Cut are launches first, down to LEAST of each benchmark; then benchmarks: those of a first look are cut last,
one of each part in turn, each where it still fits. What is left out is journaled and named in every report.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.benchmark.record import PARTS, Benchmark
from assay.errors import AssayError, InputError
from assay.execute.plan import Plan, Task
from assay.since_start import command_began, ending_at

LEAST = 3  # launches of a benchmark, as `quick` makes them
BEFORE = 2.0  # s, of a command until its first launch, where everything is compiled
AFTER = 2.0  # s, after its last one: the tables and the report
EACH = 0.25  # s more for each benchmark of the report
SHORTEST = 1.0  # s, of a launch that is ended at the budget's end


@dataclass(frozen=True)
class Cut:
    """What a budget (s) leaves of a first look: `launches` of `planned`, without the benchmarks `left_out`.

    `needed`: seconds that all of it would take.
    """

    seconds: float
    needed: float
    planned: int
    launches: int
    left_out: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Give it as plain data, for run.json."""
        return {**vars(self), "left_out": list(self.left_out)}


def first_look(plan: Plan) -> int:
    """How many launches a plan makes of each benchmark in any case."""
    return plan.launches if plan.spending is None else plan.spending.looks[0]


def fitted(
    plan: Plan,
    records: Mapping[str, Benchmark],
    takes: Mapping[str, float],
    spent: float = BEFORE,
    slowed: float = 1.0,
) -> tuple[Plan, Cut]:
    """What of a plan fits into its budget, and what it cuts; `takes`: seconds of each task of the first look by name.

    `spent`: seconds of the budget that are over; `slowed` as of TimeBound. InputError with the least budget where no
    benchmark fits.
    """
    assert plan.budget is not None
    first = first_look(plan)
    tasks = [task for task in plan.tasks if task.launch < first]
    names = list(dict.fromkeys(task.benchmark for task in tasks))

    def seconds(of: Collection[str], rounds: int) -> float:
        launches = sum(takes[task.name] for task in tasks if task.launch < rounds and task.benchmark in of)
        return spent + slowed * (AFTER + EACH * len(of)) + launches

    needed, least = seconds(names, first), min(first, LEAST)
    kept: list[str] = []
    for name in by_priority([records[name] for name in names]):
        if seconds([*kept, name], least) <= plan.budget:
            kept.append(name)
    if not kept:
        cheapest = min(names, key=lambda name: seconds([name], least))
        counted = f"{least} launch{'es' * (least > 1)} of {cheapest}"
        raise InputError(
            "is too short for a single benchmark",
            key="--budget",
            value=f"{plan.budget:g}s",
            accepted=f"at least {math.ceil(seconds([cheapest], least))}s ({counted})",
        )
    rounds = next(count for count in range(first, 0, -1) if count == least or seconds(kept, count) <= plan.budget)
    cut = Cut(plan.budget, needed, first, rounds, tuple(name for name in names if name not in kept))
    if rounds == first and not cut.left_out:
        return plan, cut
    most = plan.launches if rounds == first else rounds
    spending = plan.spending
    if spending is not None and rounds < first:
        spending = replace(spending, looks=(rounds,))
    left = tuple(task for task in plan.tasks if task.launch < most and task.benchmark in kept)
    return replace(plan, launches=most, tasks=left, spending=spending), cut


def by_priority(records: Sequence[Benchmark]) -> list[str]:
    """Names by priority: first looks' before others, then of each part one in turn."""
    order: Counter[tuple[bool, str]] = Counter()
    ranked: list[tuple[bool, int, int, str]] = []
    for record in sorted(records, key=_place):
        later = not record.first_look
        ranked.append((later, order[later, record.part], PARTS.index(record.part), record.name))
        order[later, record.part] += 1
    return [name for *_, name in sorted(ranked)]


def _place(record: Benchmark) -> float:
    """The first place that a main figure of it has among those of its part."""
    orders = [each.order for each in record.headlines.values()]
    return min((float(each) for each in orders if each is not None), default=math.inf)


@contextlib.contextmanager
def bounded_start(budget: float | None) -> Iterator[None]:
    """End the questions to other programs (compilers, MPI, drivers, libraries) with the command's budget (s).

    InputError where no time is left then for the end of a command with a single benchmark; None: no budget. A start
    of BEFORE seconds is allowed in any case: what does not fit then is refused with the least budget.
    """
    if budget is None:
        yield
        return
    end = command_began() + max(budget - AFTER - EACH, BEFORE)
    over = _too_short(budget, "after the queries of compilers, MPI, drivers and libraries at the start")
    with ending_at(end):
        try:
            yield
        except AssayError:  # what a query that was ended here led to
            if time.monotonic() < end:
                raise
            raise over from None
    if time.monotonic() >= end:
        raise over


def _too_short(budget: float, when: str, more: str = "") -> InputError:
    problem = f"has no time for a launch left {when}{more}"
    return InputError(problem, key="--budget", value=f"{budget:g}s", accepted="more, or the same again")


@dataclass
class TimeBound:
    """The time that a command has left, while it runs; `takes` as of fitted(). `clock` counts seconds.

    `spent`: seconds before it was begun, of a run that is resumed. `slowed`: how many times as long as on a quiet host
    the end of the command is expected to take.
    """

    plan: Plan
    records: Mapping[str, Benchmark]
    takes: Mapping[str, float]
    spent: float = 0.0
    slowed: float = 1.0
    clock: Callable[[], float] = time.monotonic
    began: float | None = None
    _took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _dropped: frozenset[str] = frozenset()
    _ended: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.began is None:
            self.began = self.clock()

    @property
    def seconds(self) -> float:
        """The budget without what the report will take."""
        assert self.plan.budget is not None
        return self.plan.budget - self.slowed * self._after

    @property
    def _after(self) -> float:
        return AFTER + EACH * len({task.benchmark for task in self.plan.tasks if task.name not in self._dropped})

    @property
    def compiled_by(self) -> float:
        """The budget without what the report of a single benchmark will take."""
        assert self.plan.budget is not None
        return self.plan.budget - self.slowed * (AFTER + EACH)

    def elapsed(self) -> float:
        """Seconds that are over."""
        assert self.began is not None
        return self.spent + self.clock() - self.began

    def compiling(self) -> None:
        """InputError where the budget ends before everything is compiled."""
        if (error := self.over()) is not None:
            raise error

    def over(self) -> InputError | None:
        """The error where the budget has ended and not everything is compiled."""
        return self._too_short("before everything was compiled") if self.elapsed() >= self.compiled_by else None

    def begin(self, done: Collection[str]) -> None:
        """Cut what no longer fits now that everything is compiled; `done`: names of tasks of an earlier start.

        InputError where nothing fits and nothing was done before.
        """
        takes = {name: 0.0 if name in done else seconds for name, seconds in self.takes.items()}
        try:
            fitting, _ = fitted(self.plan, self.records, takes, self.elapsed(), self.slowed)
            kept = {task.name for task in fitting.tasks}
        except InputError:
            if not done:
                raise self._too_short(f"after {self.elapsed():.0f} s, with what had to be compiled") from None
            kept = set()
        self._dropped = frozenset(task.name for task in self.plan.tasks if task.name not in kept)

    def _too_short(self, when: str) -> InputError:
        assert self.plan.budget is not None
        return _too_short(self.plan.budget, when, "; binaries are cached: the same command reuses them")

    def cuts(self, task: Task) -> bool:
        """Whether a task of the first look no longer fits, or one beyond it is of a benchmark that was cut there."""
        if task.launch >= first_look(self.plan):
            return self.ended(task.benchmark)
        own = self._took.get(task.benchmark)
        expected = sum(own) / len(own) if own else self.takes.get(task.name, 0.0)
        if task.name in self._dropped or self.elapsed() + expected > self.seconds:
            self._ended.add(task.benchmark)
            return True
        return False

    def ended(self, benchmark: str) -> bool:
        """Whether it ended a benchmark's launches before the first look."""
        return benchmark in self._ended

    def left(self) -> float:
        """Seconds that a launch which is begun now may take, with what it waits for."""
        return max(SHORTEST, self.seconds - self.elapsed())

    def took(self, task: Task, seconds: float) -> None:
        """Note what a launch took: the next ones of its benchmark are expected to take as long."""
        self._took[task.benchmark].append(seconds)
