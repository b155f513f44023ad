"""What if: one workload on several machines and under several policies, every combination of the settings' values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.errors import InputError
from assay.throughput import faults, job_queues, lublin, machine_file, placed, seeds, simulated
from assay.throughput.results import ThroughputFigure, ThroughputResult, result
from assay.throughput.workload import Workload

POLICY = "policy"


@dataclass(frozen=True, kw_only=True)
class WhatIfPoint:
    """One combination: its settings, and what the workload comes to under it."""

    setting: dict[str, str]
    result: ThroughputResult


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """All combinations; `figures`: those of every point, with its settings among the parameters.

    `over_seeds`: what several seeds of a drawn workload come to, for each combination of the other settings.
    """

    figures: list[ThroughputFigure]
    points: list[WhatIfPoint]
    over_seeds: list[seeds.OverSeeds]


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
    """Tell the machine's settings from those of the workload and the policy."""
    drawn = {key: text for key, text in setting.items() if key.startswith(lublin.PREFIX)}
    others = [f"{key}={text}" for key, text in setting.items() if key != POLICY and key not in drawn]
    return SweepChoice(setting[POLICY], others, drawn)


def points(read: Callable[[Mapping[str, str]], Workload], on: str, found: dict[str, list[str]]) -> WhatIf:
    """Simulate every combination; those on whose machine no job fits are refused by an InputError.

    `read` gives the workload by its own settings.
    """
    varied = [key for key, values in found.items() if len(values) > 1]
    made = []
    for values in itertools.product(*found.values()):
        setting = dict(zip(found, values, strict=True))
        one = chosen(setting)
        machine = machine_file.open_machine(on, one.machine)
        scheduled = schedule(read(one.workload), machine, one.policy)
        own = {key: setting[key] for key in varied}
        made.append(WhatIfPoint(setting=own, result=replace(result(scheduled, machine.name, 0.0), jobs=None)))
    figures = [
        replace(figure, params={**figure.params, **point.setting}) for point in made for figure in point.result.figures
    ]
    over = seeds.over_seeds([(point.setting, point.result) for point in made])
    return WhatIf(figures=figures, points=made, over_seeds=over)


def schedule(workload: Workload, machine: machine_file.JobMachine, policy: str) -> simulated.Scheduled:
    """Simulate one combination. InputError where no job fits the machine."""
    if machine.estimates is not None:
        workload = faults.estimated(workload, machine.estimates)
    if machine.failures is not None and machine.failures.jobs:
        workload = faults.failing(workload, machine.failures)
    rules = machine.queue_rules
    taken = job_queues.admission(workload, rules, machine.processors)
    if placed.needed(workload, machine):
        found = placed.schedule_placed(taken.admitted, machine, policy)
    else:
        cost = machine.rules.seconds_of_a_decision
        found = simulated.timed(taken.admitted, machine.processors, policy, cost, rules)
    if not len(found.workload):
        problem = f"every job is wider than the machine's {machine.processors:,} processors, or has no place on it"
        raise InputError(f"{problem}, or is refused by its queue" if rules else problem, file=workload.source)
    if not rules:
        return found
    return replace(found, rules=rules, turned_away=taken.refused, turned_why=taken.why)
