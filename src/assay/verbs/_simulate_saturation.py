"""What `assay simulate --saturation` prints: the load that saturates, that the network deadlocks, rows of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.network.deadlocking import NO_LOAD

if TYPE_CHECKING:
    from assay.network.documents import LoadWithDeadlock, SaturationFound, SaturationSearch


def percent(share: float) -> str:
    """A confidence with all its digits: 99.9% is not 100%."""
    return f"{share * 100:g}%"


def per_millisecond(unit: str) -> str:
    """The unit of a rate per cycle, in words, per ms."""
    return f"{unit.removesuffix('cycle')}ms"


def row(found: SaturationSearch) -> list[str]:
    """Of a search's document the cells `from`, `to`, the middle per ms and the state."""
    result = found["saturation"]
    interval = result["interval"]
    if interval is None:  # it deadlocked
        return ["–", "–", "–", "deadlock"]
    low, high = interval
    if not result["found"]:
        return [f"{low:.4g}", "–" if high is None else f"{high:.4g}", "–", "none found" if low else "below the least"]
    return [f"{low:.4g}", f"{high:.4g}", _rate(result["per_millisecond"] or 0.0), "found"]


def below(results: Sequence[SaturationFound]) -> list[str]:
    """Of a table of searches: the confidence of its intervals, and why points that deadlocked have none."""
    confidences = sorted({level for one in results if (level := one["confidence"]) is not None})
    lines = [f"from, to: at {' or '.join(map(percent, confidences))} confidence"] if confidences else []
    return [*lines, *([f"deadlock: {NO_LOAD}"] if any(one["deadlocks"] for one in results) else [])]


def lines(result: SaturationFound) -> list[str]:
    """The answer of a search's `saturation`, a single line, and the rest."""
    interval, level = result["interval"], result["confidence"]
    if interval is None or level is None:  # it deadlocked
        heading = f"runs that deadlocked, at loads in {result['unit']}:"
        return [_deadlock(result), heading, *map(_deadlocked, result["deadlocks"])]
    low, high = interval
    if not result["found"]:
        if not low:
            unknown = "no load could be decided"
            return [unknown if high is None else f"already saturated at a load of {high:g} {result['unit']}"]
        return [f"no saturation up to a load of {low:g} {result['unit']}"]
    ends = " to ".join(map(_rate, result["interval_per_millisecond"] or ()))
    rate = f"{ends} {per_millisecond(result['unit'])}"
    report = [f"saturates between {low:.4g} and {high:.4g} {result['unit']} ({rate}), at {percent(level)} confidence"]
    offered, accepted = result["unit"], result["accepted_unit"]
    units = f"in {offered}" if offered == accepted else f"offered in {offered}, accepted in {accepted}"
    report.append(f"higher loads, {units}:")
    for beyond in result["accepted_beyond"]:
        worst = "" if beyond["worst_node"] is None else f", worst node {beyond['worst_node']:.4g}"
        report.append(f"  offered {beyond['load']:.4g}: accepts {beyond['throughput']:.4g}{worst}")
    return report


def _deadlock(result: SaturationFound) -> str:
    """At which loads, within how many cycles; and the highest load below them at which none was seen."""
    loads = sorted({one["load"] for one in result["deadlocks"]})
    within = max(one["cycles"] for one in result["deadlocks"])
    at = f"{loads[0]:.4g}" if len(loads) == 1 else f"{len(loads)} loads from {loads[0]:.4g} to {loads[-1]:.4g}"
    spared = result["no_deadlock_at"]
    none = "" if spared is None else f", none at {spared['load']:.4g} within {spared['cycles']:,}"
    return f"deadlock at {at} {result['unit']} within {within:,} cycles{none}: {NO_LOAD}"


def _deadlocked(one: LoadWithDeadlock) -> str:
    runs = f"{one['deadlocked']} of {one['replications']} runs" if one["replications"] > 1 else "the run"
    return f"  offered {one['load']:.4g}: {runs} of {one['cycles']:,} cycles ended in a deadlock"


def _rate(rate: float) -> str:
    """Four digits, without a power of ten where these are not enough."""
    return f"{rate:.4g}" if rate < 10_000 else f"{rate:,.0f}"
