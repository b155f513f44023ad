"""What would decide a requirement that is not shown: launches, with the time that they take, or quiet.

The number of launches is that of the requirement's own test (analysis/acceptance.py), with the distance from the limit
and the spread that were measured in the place of those that the contract expects: an estimate, no promise. Of several
nodes it is for the one that needs most.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence

from assay.analysis.acceptance import launches_needed, planning_spread
from assay.decide.contract import Contract, Requirement
from assay.decide.contract_verdict import NOT_SHOWN, launch_values, levels_of_test
from assay.decide.evidence import NodeEvidence
from assay.document.acceptance import Decides, RequirementVerdict
from assay.document.reported_figure import ReportedFigure
from assay.store import Run

LEAST_KNOWN = 3  # launches whose spread is taken
MOST = 1000  # launches; a machine that needs more is at its limit
QUIET = ("disturbed", "bound")  # states of figures that a quieter machine would have otherwise


def what_decides(
    contract: Contract,
    requirement: Requirement,
    found: Sequence[NodeEvidence],
    verdict: RequirementVerdict,
    run: Run | None,
) -> Decides | None:
    """Tell what would decide a requirement; None where it is decided, or nothing here would (it was not measured)."""
    if verdict.verdict != NOT_SHOWN:
        return None
    shown = {node.node: node.verdict for node in verdict.nodes}
    figures = [each.figure for each in found if shown[each.node] == NOT_SHOWN and each.figure is not None]
    quiet = any(figure.state in QUIET for figure in figures)
    clean = [figure for figure in figures if figure.state == "clean" and launch_values(figure)]
    distances = [distance_from(requirement, figure) for figure in clean]
    launches = _launches(contract, requirement, distances, len(found)) if distances else None
    if launches is None and not quiet:
        return None
    took = _seconds(run, requirement.record.name)
    return Decides(launches, None if launches is None or took is None else launches * took, quiet)


def distance_from(requirement: Requirement, figure: ReportedFigure) -> tuple[float, float]:
    """How far (relative) a figure's median is from its limit, and the spread of launches by which that is planned.

    Of a part of a machine, which may take so much longer, it is of the times.
    """
    base = 1.0 if requirement.parts else 0.0
    values = [max(base + value, sys.float_info.min) for value in launch_values(figure)]
    gap = abs(math.expm1(math.log(statistics.median(values) / (base + requirement.limit))))
    known = len(values) >= LEAST_KNOWN and gap > 0
    return gap, planning_spread(values, gap) if known else requirement.spread


def _launches(
    contract: Contract, requirement: Requirement, distances: Sequence[tuple[float, float]], nodes: int
) -> int | None:
    """The fewest launches with which each of these is decided, with the contract's risks; None beyond `MOST`."""
    buyer, vendor = levels_of_test(contract, requirement, nodes)
    gap, spread = min(distances, key=lambda each: each[0] / each[1] if each[1] > 0 else math.inf)
    try:
        return launches_needed(spread, gap, buyer, vendor, (contract.vendor, contract.buyer), MOST)
    except ValueError:
        return None


def _seconds(run: Run | None, benchmark: str) -> float | None:
    """How long a launch of this benchmark took in a run: the median; None where its journal does not state it."""
    if run is None:
        return None
    entries = run.entries()
    tasks = {
        entry["task"] for entry in entries if entry["event"] == "begun" and entry["about"].get("benchmark") == benchmark
    }
    took = [entry.get("seconds") for entry in entries if entry["event"] == "ended" and entry["task"] in tasks]
    known = [float(seconds) for seconds in took if seconds is not None]
    return statistics.median(known) if known else None
