"""What if: one workload on several machines and under several policies, every combination of the settings' values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from assay.document.json_form import WRITTEN_IF_SET
from assay.errors import InputError
from assay.number_words import number_of
from assay.throughput import faults, job_queues, lublin, machine_file, mix, placed, scaled, seeds, simulated
from assay.throughput.metrics import ThroughputFigure
from assay.throughput.results import WIDE, ThroughputResult, result
from assay.throughput.until import Condition, Until, swept_key, until
from assay.throughput.workload import Workload

POLICY = "policy"
MOST_RESTARTS = 200  # of a schedule that is simulated once more for each job, for fair start times


@dataclass(frozen=True, kw_only=True)
class WhatIfPoint:
    """One combination: its settings, and what the workload comes to under it."""

    setting: dict[str, str]
    result: ThroughputResult


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """All combinations; `figures`: those of every point, with its settings among the parameters.

    `over_seeds`: what several seeds come to, for each combination of the other settings. `until`: from where on a
    condition holds, where one was given.
    """

    figures: list[ThroughputFigure]
    points: list[WhatIfPoint]
    over_seeds: list[seeds.OverSeeds]
    until: Annotated[Until | None, WRITTEN_IF_SET] = field(default=None)


def axes(settings: Sequence[str], policy: str) -> dict[str, list[str]]:
    """The values of each key: of `KEY=V1,V2` several; the policy is a key as well. InputError for what is none."""
    found = {POLICY: [policy]}
    for words in settings:
        key, equals, values = words.partition("=")
        given = [value.strip() for value in values.split(",")]
        if not equals or not key.strip() or not all(given):
            accepted = "KEY=VALUE, such as machine.nodes=64, or several: machine.nodes=64,128 policy=easy,fcfs"
            raise InputError("is no setting", key="--set", value=words, accepted=accepted)
        found[key.strip()] = given
    for name in found[POLICY]:
        if name not in simulated.POLICIES:
            raise InputError("no such policy", key="--policy", value=name, accepted=", ".join(simulated.POLICIES))
    return found


def several(found: dict[str, list[str]]) -> bool:
    """Whether there is more than one combination."""
    return any(len(values) > 1 for values in found.values())


@dataclass(frozen=True)
class SweepChoice:
    """One combination, by whom its settings are of."""

    policy: str
    machine: list[str]
    workload: dict[str, str]


def chosen(setting: Mapping[str, str]) -> SweepChoice:
    """Separate the machine's settings from those of the workload and the policy."""
    drawn = {key: text for key, text in setting.items() if key.startswith((lublin.PREFIX, scaled.PREFIX))}
    others = [f"{key}={text}" for key, text in setting.items() if key != POLICY and key not in drawn]
    return SweepChoice(setting[POLICY], others, drawn)


@dataclass(frozen=True, kw_only=True)
class SimulatedPoint:
    """One combination's schedule, with all its settings and the name of its machine."""

    setting: dict[str, str]
    machine: str
    schedule: simulated.Scheduled


def points(
    read: Callable[[Mapping[str, str]], Workload],
    on: str,
    found: dict[str, list[str]],
    wanted: Condition | None = None,
    schedules: Callable[[SimulatedPoint], None] | None = None,
    advance: Callable[[int], None] = lambda done: None,
) -> WhatIf:
    """Simulate every combination; those on whose machine no job fits are refused by an InputError.

    `read` gives the workload by its own settings. `wanted`: from which value of a swept key on does it hold?
    `schedules` is called with each combination's schedule, in order, `advance` with how many are simulated.
    """
    varied = [key for key, values in found.items() if len(values) > 1]
    key = swept_key(found) if wanted is not None else ""
    known: dict[tuple[tuple[str, str], ...], ThroughputResult] = {}

    def simulate(setting: Mapping[str, str]) -> ThroughputResult:
        whole = tuple((name, setting[name]) for name in found)
        if whole not in known:
            one = chosen(setting)
            machine = machine_file.open_machine(on, one.machine)
            scheduled = schedule(read(one.workload), machine, one.policy)
            if schedules is not None and combining:
                schedules(SimulatedPoint(setting=dict(setting), machine=machine.name, schedule=scheduled))
            known[whole] = replace(result(replace(scheduled, again=None), machine.name, 0.0), jobs=None)
        return known[whole]

    made, combining = [], True
    for values in itertools.product(*found.values()):
        setting = dict(zip(found, values, strict=True))
        own = {name: setting[name] for name in varied}
        made.append(WhatIfPoint(setting=own, result=simulate(setting)))
        advance(len(made))
    figures = [
        replace(figure, params={**figure.params, **point.setting}) for point in made for figure in point.result.figures
    ]
    over = seeds.over_seeds([(point.setting, point.result) for point in made])
    combining = False  # what `until` simulates more lies between the combinations
    answers = until(wanted, key, found, simulate) if wanted is not None else None
    return WhatIf(figures=figures, points=made, over_seeds=over, until=answers)


def schedule(
    workload: Workload,
    machine: machine_file.JobMachine,
    policy: str,
    progress: Callable[[str], None] = lambda text: None,
) -> simulated.Scheduled:
    """Simulate one combination. InputError where no job fits the machine."""
    workload = mix.on_machine(workload, machine)
    if machine.estimates is not None:
        workload = faults.estimated(workload, machine.estimates)
    if machine.failures is not None and machine.failures.jobs:
        workload = faults.failing(workload, machine.failures)
    rules = machine.queue_rules
    taken = job_queues.admission(workload, rules, machine.processors)
    on_nodes, runs = placed.needed(workload, machine), mix.wanted(taken.admitted)

    def simulate(jobs: Workload) -> simulated.Scheduled:
        if runs:
            return mix.schedule_mix(jobs, machine, policy, progress)
        if on_nodes:
            return placed.schedule_placed(jobs, machine, policy)
        cost = machine.rules.seconds_of_a_decision
        return simulated.timed(jobs, machine.processors, policy, cost, rules, machine.shared)

    found = simulate(taken.admitted)
    found = replace(found, again=None if runs or found.restarts > MOST_RESTARTS else simulate)
    if not len(found.workload):
        raise _none_runs(machine, found.refused, taken)
    if not rules:
        return found
    return replace(found, rules=rules, turned_away=taken.refused, turned_why=taken.why)


def _none_runs(machine: machine_file.JobMachine, refused: Workload, taken: job_queues.Admission) -> InputError:
    """Of a workload that the whole machine refuses: each cause with the first job that it is of."""
    causes = [
        (refused, at, WIDE if each > machine.processors else "no place on its nodes")
        for at, each in enumerate(refused.processors.tolist())
    ]
    causes += [(taken.refused, at, why) for at, why in enumerate(taken.why)]
    first: dict[str, str] = {}
    for jobs, at, why in causes:
        first.setdefault(why, f"{jobs.name(at)} ({number_of(int(jobs.processors[at]), 'processor')}): {why}")
    seen = "; ".join(first.values())
    return InputError(
        "holds no job that can run on the machine", file=refused.source, value=seen,
        accepted=f"jobs of up to {number_of(machine.processors, 'processor')} that have a place there",
    )  # fmt: skip
