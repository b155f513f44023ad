"""What any schedule of jobs comes to, simulated or measured: makespan, waits, responses, utilisation, slowdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

THRESHOLD = 10.0  # seconds: what a shorter job's slowdown is bounded by (Feitelson et al. 1997, section 3.2)


@dataclass(frozen=True, kw_only=True)
class ThroughputFigure:
    """One number of a throughput run, in the form that every verb's figures have; SI units."""

    name: str
    value: float
    unit: str
    params: Mapping[str, str | int]
    statistic: str = "simulated"
    ci95: None = None
    range: None = None
    state: str = "clean"
    estimator: str = "simulated"
    disturbance: None = None


@dataclass(frozen=True, kw_only=True)
class RanJobs:
    """The jobs that ran, in columns: submission, wait, run and end (s), processors.

    `alone`: runs without other jobs, where jobs slow one another down.
    """

    submitted: NDArray[Any]
    waits: NDArray[Any]
    runs: NDArray[Any]
    ended: NDArray[Any]
    width: NDArray[Any]
    alone: NDArray[Any] | None = None

    @property
    def work(self) -> float:
        """Processor seconds."""
        return float(np.sum(self.runs * self.width))


@dataclass(frozen=True, kw_only=True)
class ScheduleMetrics:
    """Times in seconds. `least_makespan`: by work and by the last arrival; `efficiency`: it over the makespan."""

    makespan: float
    mean_wait: float
    median_wait: float
    longest_wait: float
    mean_response: float
    utilisation: float
    efficiency: float
    bounded_slowdown: float
    least_makespan: float

    def times(self) -> dict[str, float]:
        """The times by name."""
        return {name: getattr(self, name) for name in TIMES}

    def ratios(self) -> dict[str, float]:
        """The numbers without a unit by name."""
        return {name: getattr(self, name) for name in RATIOS}

    def figures(self, params: Mapping[str, str | int], statistic: str, estimator: str) -> list[ThroughputFigure]:
        """The same as figures."""
        units = [*((name, value, "s") for name, value in self.times().items())]
        units += [(name, value, "1") for name, value in self.ratios().items()]
        return [
            ThroughputFigure(name=name, value=value, unit=unit, params=params, statistic=statistic, estimator=estimator)
            for name, value, unit in units
        ]


TIMES = ("makespan", "mean_wait", "median_wait", "longest_wait", "mean_response")
RATIOS = ("utilisation", "efficiency", "bounded_slowdown")


def bounded_slowdown(waited: NDArray[Any], runs: NDArray[Any]) -> NDArray[np.float64]:
    """Waiting and running over running, of jobs no shorter than the threshold; at least 1."""
    slowdown: NDArray[np.float64] = np.maximum(1.0, (waited + runs) / np.maximum(runs, THRESHOLD))
    return slowdown


def metrics(
    jobs: RanJobs, processors: int, *, left: float | None = None, slowdown: NDArray[np.float64] | None = None
) -> ScheduleMetrics:
    """What jobs on so many processors come to; zeros without jobs.

    `left`: the processors that others left in the mean, where they took some. `slowdown`: bounded slowdowns, where
    these are not of the jobs' times as they are.
    """
    if slowdown is None:
        slowdown = bounded_slowdown(jobs.waits, jobs.runs)
    makespan = float(jobs.ended.max(initial=0))
    runs = jobs.runs if jobs.alone is None else jobs.alone
    there = float(processors) if left is None else left
    by_work = min(float(np.sum(runs * jobs.width)) / there, makespan) if there else makespan
    least = max(by_work, float(np.max(jobs.submitted + runs, initial=0)))  # the last end if no job ever waited
    some = len(jobs.runs) > 0
    return ScheduleMetrics(
        makespan=makespan,
        mean_wait=_mean(jobs.waits),
        median_wait=float(np.median(jobs.waits)) if some else 0.0,
        longest_wait=float(jobs.waits.max(initial=0)),
        mean_response=_mean(jobs.waits + jobs.runs),
        utilisation=jobs.work / (processors * makespan) if makespan else 0.0,
        efficiency=least / makespan if makespan else float(some),
        bounded_slowdown=_mean(slowdown),
        least_makespan=least,
    )


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else 0.0
