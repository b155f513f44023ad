"""How long a plan will take: by what its launches took before on this machine, else by its programs' time slices.

A program measures each case in `blocks` blocks of `slice` seconds; its cases are the product of its parameters' values
(benchmark/resolved.py). A record whose cases need another time has `takes`: a formula over `ranks` and its
parameters, in seconds per case and block. The rest of a launch is assumed to take half a second. First launches
are separate: some programs do once what does not change from launch to launch (the intrinsic functions judge accuracy).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from statistics import median

from assay.benchmark import resolved
from assay.benchmark.formula import evaluate
from assay.benchmark.record import Benchmark
from assay.execute import first_launch
from assay.execute.budget import first_look
from assay.execute.plan import Plan, varied_name
from assay.store import Run
from assay.stored.run_record import PlannedTask

STARTING = 0.5  # s, a launch without its blocks
# A message-passing program measures for so many times its slices at most, or so many seconds where that is more,
# however slow others' work makes it (programs/ranks/launch_time.hpp).
MOST_SLICES = 12
LEAST_MOST = 10.0
RECENT = 20  # runs of a benchmark that are looked at: the newest on that machine, in that profile


@dataclass(frozen=True)
class Duration:
    """Seconds of the launches up to the first look, and at most: where intervals stay wide, or on a busy machine.

    `known` of `launches` are as measured before.
    """

    seconds: float
    most: float
    launches: int
    known: int

    def to_dict(self) -> dict[str, object]:
        """Give it as plain data."""
        return dict(self.__dict__)


def duration(plan: Plan, records: Mapping[str, Benchmark], machine: str, runs: Iterable[Run]) -> Duration:
    """Expect how long the launches of `plan` take; compiling comes on top, once."""
    found = expect_durations(plan, records, machine, runs)
    seconds, slower = 0.0, 0.0
    for task in plan.tasks:
        if task.name in found:
            seconds += found[task.name].seconds
            slower += max(0.0, _at_most(records[task.benchmark], plan.profile) - found[task.name].seconds)
    most = seconds + slower
    if plan.spending is not None:
        most = 2 * seconds
    if plan.budget is not None:
        most = plan.budget if plan.spending is not None else min(most, plan.budget)
    return Duration(seconds, max(seconds, most), len(found), sum(each.known for each in found.values()))


@dataclass(frozen=True)
class Expected:
    """Seconds that a task is expected to take; whether that is as measured before."""

    seconds: float
    known: bool


def expect_durations(
    plan: Plan, records: Mapping[str, Benchmark], machine: str, runs: Iterable[Run]
) -> dict[str, Expected]:
    """Expect how long each launch of the first look will take, by the task's name."""
    taken = _taken(_alike(runs, machine, plan), {task.benchmark for task in plan.tasks})
    found: dict[str, Expected] = {}
    for task in plan.tasks:
        if task.launch < first_look(plan):
            key = (task.benchmark, task.ranks)
            before = taken.get((*key, task.launch == 0), taken.get((*key, task.launch != 0)))
            record = records[task.benchmark]
            once = first_launch.processor_seconds(record, plan.profile) / first_launch.usable() * (task.launch == 0)
            usual = before if before is not None else _by_record(record, plan.profile, task.ranks) + once
            found[task.name] = Expected(usual, before is not None)
    return found


def _alike(runs: Iterable[Run], machine: str, plan: Plan) -> list[Run]:
    """The runs on that machine in the profile of `plan`, the newest first; none of their journals is opened."""
    found = []
    for run in runs:
        about = run.about
        host = None if about.get("described") else (about.get("host") or {}).get("host")
        begun_on = host or about.get("machine")  # a run may be named after a node that measured for this host
        if begun_on == machine and about.get("profile") == plan.profile and isinstance(about.get("plan"), dict):
            found.append(run)
    return found[::-1]


def _taken(runs: Iterable[Run], wanted: Set[str]) -> dict[tuple[str, int | None, bool], float]:
    """Median seconds of the launches that ended well, by benchmark, ranks, and whether it was a run's first.

    Of each wanted benchmark the first RECENT of `runs` count: the others' journals are not opened.
    """
    found: dict[tuple[str, int | None, bool], list[float]] = defaultdict(list)
    looked_at: Counter[str] = Counter()
    for run in runs:
        planned = run.about["plan"].get("tasks", ())
        tasks = {
            _name(task): (task["benchmark"], task.get("ranks"), task["launch"] == 0)
            for task in planned
            if task["benchmark"] in wanted and looked_at[task["benchmark"]] < RECENT
        }
        if not tasks:
            continue
        looked_at.update({name for name, _, _ in tasks.values()})
        for entry in run.entries():
            if entry["event"] == "ended" and entry["status"] == 0 and entry["task"] in tasks:
                found[tasks[entry["task"]]].append(float(entry.get("seconds") or 0.0))
    return {key: median(values) for key, values in found.items()}


def _name(task: PlannedTask) -> str:
    return f"{task['launch']:03d}-{varied_name(task['benchmark'], task.get('factors') or {})}"


def _at_most(record: Benchmark, profile: str) -> float:
    """Return the maximum seconds of a launch on a busy machine; 0 where that is not bounded."""
    if record.kind != "ranks" or record.takes is not None:
        return 0.0
    slice_, blocks = resolved.sampling(record, profile)
    cases = math.prod(len(each) for each in resolved.values(record, {}, profile).values())
    return STARTING + max(LEAST_MOST, MOST_SLICES * slice_ * blocks * cases)


def _by_record(record: Benchmark, profile: str, ranks: int | None) -> float:
    slice_, blocks = resolved.sampling(record, profile)
    values = resolved.values(record, {}, profile)
    cases = [dict(zip(values, case, strict=True)) for case in itertools.product(*values.values())]
    formula = record.takes
    each = [slice_ if formula is None else evaluate(formula, {**case, "ranks": ranks or 2}) or 0.0 for case in cases]
    return STARTING + blocks * sum(each)
