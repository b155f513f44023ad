"""A study made: plans for `sweep.sweep`, one a point or a bisection, so that any executor can share the work and an
interrupted study goes on.
"""

from __future__ import annotations

import functools
from concurrent.futures import Executor
from pathlib import Path
from typing import NotRequired, TypedDict, final

from assay.network import deadlocking, engine, prediction, saturation, simulation, sweep
from assay.network.description import NetworkDescription
from assay.network.engine import SimulationRun
from assay.network.filling import Filling
from assay.network.progress import Meter
from assay.network.study.file import Study
from assay.network.study.results import US, Bracket, Point, Results, rate_of
from assay.network.tasks import Steps, task
from assay.network.warming import warmup

QUICK_REPLICATIONS, QUICK_PRECISION = 3, 0.1


@final
class PointMade(TypedDict):
    """What is stored of a point: means by replication in us, backlogs after a quarter and at the end."""

    means: dict[str, list[float | None]]
    saturated: bool
    deadlocked: NotRequired[int]  # not stored by older versions
    backlog: list[float]
    messages: int
    cpu_seconds: float


@final
class Bisected(TypedDict):
    """What is stored of a bisection: an interval for each seed."""

    brackets: list[list[float]]
    deadlocked: NotRequired[int]
    messages: int
    cpu_seconds: float


def point_steps(description: NetworkDescription, replications: int, judge: int) -> Steps[PointMade]:
    """The replications of one point, and a run of `judge` cycles that shows by its backlog whether it is saturated."""
    before = yield from warmup(description, description.method.cycles or simulation.DEFAULT_CYCLES)
    cycles = description.method.cycles or simulation.DEFAULT_CYCLES
    runs = yield [task(description, stream, before.cycles, cycles) for stream in range(replications)]
    empty = _from_empty(description)
    filling = Filling(empty)
    saturated, made = yield from saturation.judge(empty, judge or _judged(runs), filling)
    every = [*runs, *(run for run, _ in made), *filling.runs]
    means = {
        name.removesuffix("_latency"): [
            simulation.finite(run.latencies[name].mean * description.cycle * US) for run in runs
        ]
        for name in runs[0].latencies
        if runs[0].latencies[name].counts.sum()
    }
    if shares := engine.hit_rates(runs):
        means["hit_rate"] = [*shares]
    return {
        "means": means,
        "saturated": saturated,
        "deadlocked": deadlocking.count(every),
        "backlog": [made[-1][1]["backlog_quarter"], made[-1][1]["backlog"]],
        "messages": sum(run.messages for run in every),
        "cpu_seconds": sum(run.cpu_seconds for run in every),
    }


def _judged(runs: list[SimulationRun]) -> int:
    """Four times what a replication simulates."""
    return 4 * max(run.simulated_cycles for run in runs)


def _from_empty(description: NetworkDescription) -> NetworkDescription:
    return description.but(method=description.method.model_copy(update={"warmup_messages": 0, "messages": 0}))


def bisect_steps(description: NetworkDescription, precision: float, seeds: int, cycles: int) -> Steps[Bisected]:
    """The saturation point as `assay simulate --saturation` finds it, once for each seed.

    `cycles`: of the first runs that decide a load.
    """
    found: list[saturation.Search] = []
    runs: list[SimulationRun] = []
    for seed in range(description.method.seed, description.method.seed + seeds):
        method = description.method.model_copy(update={"seed": seed, "precision": precision})
        one = yield from saturation.search(_from_empty(description.but(method=method)), cycles)
        found.append(one)
        runs += [*one.runs, *one.filling.runs]
    scale = 1e-3 / description.cycle if description.io is not None else 1.0
    ends = [[one.low, one.low if one.high is None else one.high] for one in found]
    return {
        "brackets": [[low * scale, high * scale] for low, high in ends],
        "deadlocked": deadlocking.count(runs),
        "cpu_seconds": sum(run.cpu_seconds for run in runs),
        "messages": sum(run.messages for run in runs),
    }


def make(
    study: Study,
    pool: Executor | None,
    out: Path | None = None,
    quick: bool = False,
    meter: Meter | None = None,
) -> Results:
    """Run everything that `out` does not hold yet."""
    described = list(study.points())
    bisected = list(study.saturations())
    plans: list[sweep.SweepPoint[PointMade | Bisected]] = []
    for setting, found in described:
        many = min(found.method.replications or 1, QUICK_REPLICATIONS if quick else 10**9)
        plan = functools.partial(point_steps, found, many, study.head.judge_cycles)
        plans.append(sweep.SweepPoint(setting, f"{found.key()}-point-{many}-{study.head.judge_cycles}", plan))
    wanted = study.saturation
    for setting, found in bisected:
        assert wanted is not None
        precision, seeds = (max(wanted.precision, QUICK_PRECISION), 1) if quick else (wanted.precision, wanted.seeds)
        bisect = functools.partial(bisect_steps, found, precision, seeds, wanted.cycles)
        plans.append(sweep.SweepPoint(setting, f"{found.key()}-bisected-{precision}-{seeds}-{wanted.cycles}", bisect))
    documents = sweep.sweep(plans, pool, out, meter)
    points, brackets = [], []
    for (setting, found), document in zip(described, documents, strict=False):
        assert "means" in document
        predicted = prediction.drawn(found) if study.head.analysis else {}
        points.append(
            Point(
                setting,
                rate_of(found),
                {name: [mean for mean in means if mean is not None] for name, means in document["means"].items()},
                document["saturated"],
                (document["backlog"][0], document["backlog"][1]),
                predicted,
                document.get("deadlocked", 0),
            )
        )
    for (setting, found), document in zip(bisected, documents[len(described) :], strict=True):
        assert "brackets" in document
        kept = [(low, high) for low, high in document["brackets"]]
        rate, busiest = _predicted(found) if study.head.analysis else (None, None)
        brackets.append(Bracket(setting, kept, rate, busiest, document.get("deadlocked", 0)))
    return Results(
        study,
        points,
        brackets,
        cpu_seconds=sum(document["cpu_seconds"] for document in documents),
        messages=sum(document["messages"] for document in documents),
    )


def _predicted(found: NetworkDescription) -> tuple[float, float]:
    """Saturation by the queues and the busiest channel's bound, in the unit of the brackets."""
    model = prediction.saturation(found, apart=True)
    scale = 1.0 if found.io is not None else found.traffic.load / prediction.unit_load(found) * found.cycle * 1e3
    return model["saturation"] * scale, model["busiest"] * scale
