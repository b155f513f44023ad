"""How fast the processors themselves were in each launch: the loop that every program times before and after its work.

The loop is the same in all programs of a build, so that its median on a host over the whole run says what is usual
there. What it cannot see: caches and memory that other guests use, and a processor that is slow all the while.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median

from assay.samples import Launch

Launched = tuple[str, int, int]  # host, launch, attempt


def reference_of(launch: Launch) -> float | None:
    """The faster one of a launch's two passes (s); None where it timed none.

    Right after its own work a program finds the clock lower than it was (wide vectors, many loads): that is no
    disturbance, so that both passes must be slow.
    """
    return min((each for each in (launch.reference_before, launch.reference_after) if each), default=None)


def usual_references(launches: Iterable[Launch]) -> dict[str, float]:
    """Each host's median time (s) of one pass."""
    timed: dict[str, list[float]] = {}
    for launch in launches:
        for each in (launch.reference_before, launch.reference_after):
            if each:
                timed.setdefault(launch.host, []).append(each)
    return {host: median(values) for host, values in timed.items()}


def slower_by(launches: Iterable[Launch], usual: Mapping[str, float]) -> dict[Launched, float]:
    """By how much (relative) a launch's reference was above the usual; launches that timed none are missing."""
    return {
        (launch.host, launch.launch, launch.attempt): max(timed / usual[launch.host] - 1, 0.0)
        for launch in launches
        if (timed := reference_of(launch)) is not None and launch.host in usual
    }
