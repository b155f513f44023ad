"""How fast the processors themselves were in each launch: the loop that every program times before and after its work.

The loop is the same in all programs of a build, so that a host's best time over the whole run is its measure. What it
cannot see: caches and memory that other guests use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.samples import Launch

Launched = tuple[str, int, int]  # host, launch, attempt


def reference_of(launch: Launch) -> float | None:
    """The slower one of a launch's two passes (s); None where it timed none."""
    return max((each for each in (launch.reference_before, launch.reference_after) if each), default=None)


def best_references(launches: Iterable[Launch]) -> dict[str, float]:
    """Each host's least time (s) of one pass."""
    best: dict[str, float] = {}
    for launch in launches:
        for each in (launch.reference_before, launch.reference_after):
            if each:
                best[launch.host] = min(each, best.get(launch.host, each))
    return best


def slower_by(launches: Iterable[Launch], best: Mapping[str, float]) -> dict[Launched, float]:
    """By how much (relative) a launch's reference was above its host's best; launches that timed none are missing."""
    return {
        (launch.host, launch.launch, launch.attempt): max(timed / best[launch.host] - 1, 0.0)
        for launch in launches
        if (timed := reference_of(launch)) is not None and launch.host in best
    }
