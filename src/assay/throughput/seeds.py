"""What a drawn workload comes to over several seeds: means with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.throughput import lublin
from assay.throughput.results import ThroughputResult

SEED = f"{lublin.PREFIX}seed"
LEAST = 3  # seeds that an interval needs


@dataclass(frozen=True, kw_only=True)
class SeedMean:
    """A mean over seeds and its 95% interval by Student's distribution: the seeds' values are independent."""

    mean: float
    ci95: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class OverSeeds:
    """All seeds of one combination of the other settings. Times in seconds."""

    setting: dict[str, str]
    seeds: int
    makespan: SeedMean
    mean_wait: SeedMean
    utilisation: SeedMean
    bounded_slowdown: SeedMean


def over_seeds(points: Sequence[tuple[Mapping[str, str], ThroughputResult]]) -> list[OverSeeds]:
    """Group points that differ by the seed alone; nothing where there are fewer than three seeds."""
    groups: dict[tuple[tuple[str, str], ...], list[ThroughputResult]] = {}
    for setting, result in points:
        key = tuple((name, text) for name, text in setting.items() if name != SEED)
        groups.setdefault(key, []).append(result)
    return [
        OverSeeds(
            setting=dict(key),
            seeds=len(results),
            makespan=_mean([each.makespan for each in results]),
            mean_wait=_mean([each.mean_wait for each in results]),
            utilisation=_mean([each.utilisation for each in results]),
            bounded_slowdown=_mean([each.bounded_slowdown for each in results]),
        )
        for key, results in groups.items()
        if len(results) >= LEAST
    ]


def _mean(values: Sequence[float]) -> SeedMean:
    from scipy.special import stdtrit

    mean = float(np.mean(values))
    half = float(stdtrit(len(values) - 1, 0.975)) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return SeedMean(mean=mean, ci95=(mean - half, mean + half))
