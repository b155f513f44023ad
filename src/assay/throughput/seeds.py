"""What comes of several seeds (of a drawn workload, of estimates, of failures): means with intervals, and differences.

Combinations that differ otherwise are compared with the first one seed by seed: what seeds have in common drops out of
the difference, whose interval is that of paired values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.throughput import lublin
from assay.throughput.results import ThroughputResult

SEEDS = (f"{lublin.PREFIX}seed", "estimates.seed", "failures.seed")
FIGURES = ("makespan", "mean_wait", "utilisation", "bounded_slowdown")
BOUNDS = {"bounded_slowdown": (1.0, math.inf), **dict.fromkeys(("utilisation", "efficiency", "fairness"), (0.0, 1.0))}
NOT_NEGATIVE = (0.0, math.inf)  # times
LEAST = 3  # seeds that an interval needs
Key = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class SeedMean:
    """A mean over seeds and its 95% interval by Student's distribution: the seeds' values are independent.

    The interval of a quantity that has a least or a greatest possible value (BOUNDS) ends there.
    """

    mean: float
    ci95: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class OverSeeds:
    """All seeds of one combination of the other settings. Times in seconds.

    `against_first`: each figure less that of the first combination, paired by seed; None of the first one itself, and
    where combinations do not have the same seeds.
    """

    setting: dict[str, str]
    seeds: int
    makespan: SeedMean
    mean_wait: SeedMean
    utilisation: SeedMean
    bounded_slowdown: SeedMean
    against_first: Mapping[str, SeedMean] | None = None


def over_seeds(points: Sequence[tuple[Mapping[str, str], ThroughputResult]]) -> list[OverSeeds]:
    """Group points that differ by the seed alone; nothing where there are fewer than three seeds."""
    groups: dict[Key, dict[Key, ThroughputResult]] = {}
    for setting, result in points:
        own = tuple((name, text) for name, text in setting.items() if name not in SEEDS)
        drawn = tuple((name, text) for name, text in setting.items() if name in SEEDS)
        groups.setdefault(own, {})[drawn] = result
    made: list[OverSeeds] = []
    first = next(iter(groups.values()), {})
    for own, results in groups.items():
        if len(results) < LEAST:
            continue
        paired = results is not first and results.keys() == first.keys()
        made.append(
            OverSeeds(
                setting=dict(own),
                seeds=len(results),
                against_first=_differences(results, first) if paired else None,
                **{
                    name: _mean([getattr(each, name) for each in results.values()], BOUNDS.get(name, NOT_NEGATIVE))
                    for name in FIGURES
                },
            )
        )
    return made


def _differences(results: Mapping[Key, ThroughputResult], first: Mapping[Key, ThroughputResult]) -> dict[str, SeedMean]:
    return {
        name: _mean([getattr(result, name) - getattr(first[seed], name) for seed, result in results.items()])
        for name in FIGURES
    }


def mean_of(values: Sequence[float], name: str) -> SeedMean | None:
    """The mean of a quantity's values of several seeds with its interval; None of fewer than three."""
    return _mean(values, BOUNDS.get(name, NOT_NEGATIVE)) if len(values) >= LEAST else None


def _mean(values: Sequence[float], bounds: tuple[float, float] = (-math.inf, math.inf)) -> SeedMean:
    from scipy.special import stdtrit

    mean = float(np.mean(values))
    half = float(stdtrit(len(values) - 1, 0.975)) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return SeedMean(mean=mean, ci95=(max(mean - half, bounds[0]), min(mean + half, bounds[1])))
