"""Distributions of readings: two modes, long readings, launches that differ. None of these marks a block."""

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from assay.analysis.disturbance.block import REFERENCE, AccountedBlock, Floats, cases_of, describe_span
from assay.analysis.disturbance.findings import Findings
from assay.analysis.median import median

MODE_SHARE = 0.15  # of the readings that the lesser mode must hold
MODE_GAP = 0.10  # relative distance of two modes: the alignment of buffers alone, varied on purpose, makes smaller ones
MODE_DISTANCE = 5.5  # Ashman's D: a normal sample cut in two has 2.7, a uniform one 3.5, an exponential one under 4
LONG_READINGS = 0.25  # of the time spent above the median: mean over median, less 1
FAR_LAUNCHES = (
    0.25  # greatest over least launch median, less 1: twice what idle machines show (docs/method.md: 10 to 17%)
)


def shapes(findings: Findings) -> None:
    """Two modes or long readings within launches, and launches that differ, case by case; none marks a block.

    Launches are compared for results alone: the spread of a helper series is irrelevant.
    """
    blocks = findings.blocks
    two: list[int] = []
    long: list[int] = []
    gap = excess = 0.0
    for members in cases_of(blocks, by_launch=True, witnesses=True).values():
        values = np.concatenate([blocks[i].times for i in members])
        modes = find_modes(values)
        if modes is not None:
            two += members
            gap = max(gap, modes[1] / modes[0] - 1)
        middle = median(values)
        if len(values) >= 20 and middle > 0 and float(np.mean(values)) / middle - 1 > LONG_READINGS:
            long += members
            excess = max(excess, float(np.mean(values)) / middle - 1)
    if two:
        findings.add(
            "modes",
            f"readings fall into two groups that differ by up to {_longer(gap)}" + describe_span(blocks, two),
            two,
            mark=False,
        )
    if long:
        text = f"a few long readings make the mean up to {_longer(excess)} longer than the median"
        findings.add("tail", text + describe_span(blocks, long), long, mark=False)
    apart: dict[Hashable, float] = {}
    cases = {
        case: members
        for case, members in cases_of(blocks, witnesses=True).items()
        if not any(blocks[i].helper for i in members)
    }
    for case, members in cases.items():
        launches: dict[int, list[Floats]] = defaultdict(list)
        for i in members:
            launches[blocks[i].launch].append(blocks[i].times)
        medians = np.array([median(np.concatenate(values)) for values in launches.values()])
        if len(medians) > 1 and medians.min() > 0 and medians.max() / medians.min() - 1 > FAR_LAUNCHES:
            apart[case] = float(medians.max() / medians.min() - 1)
    if apart:
        worst = max(apart, key=lambda case: apart[case])
        text = f"launches differ by up to {_longer(apart[worst])} in {len(apart)} of {len(cases)} cases"
        text += f", most in {_named(blocks[cases[worst][0]])}"
        text += _unexplained([blocks[i] for case in apart for i in cases[case]])
        findings.add("launches", text, [i for case in apart for i in cases[case]], mark=False)


def _named(block: AccountedBlock) -> str:
    """A case by its metric and its parameters."""
    case = block.case if isinstance(block.case, Mapping) else {"case": block.case}
    return ", ".join([block.metric, *(f"{key} {value}" for key, value in case.items() if value is not None)])


def _longer(excess: float) -> str:
    """Write by how much something is longer, from ten times on not as a percentage."""
    return f"{excess:.0%}" if excess < 10 else f"{excess:,.0f} times"


def _unexplained(blocks: Sequence[AccountedBlock]) -> str:
    """A note where the reference loop was timed and does not show why launches differ."""
    timed = [block.reference for block in blocks if block.reference is not None]
    if not timed or max(timed) > REFERENCE:
        return ""
    return f"; the processor's own speed, by the reference loop of each launch, was the same within {REFERENCE:.0%}"


def find_modes(values: Floats) -> tuple[float, float] | None:
    """Find two modes in `values` (n,): their centres, or None.

    The cut of the sorted logarithms with the least spread inside both parts; it counts if Ashman's D passes
    MODE_DISTANCE, the centres differ by MODE_GAP and each part has MODE_SHARE of the readings.
    """
    n = len(values)
    if n < 20 or np.min(values) <= 0:
        return None
    logs = np.sort(np.log(np.asarray(values, float)))
    logs = logs - logs.mean()
    k = np.arange(1, n)
    first, square = np.cumsum(logs), np.cumsum(logs**2)
    left = square[:-1] - first[:-1] ** 2 / k
    right = (square[-1] - square[:-1]) - (first[-1] - first[:-1]) ** 2 / (n - k)
    inside = left + right
    least = max(2, math.ceil(MODE_SHARE * n))
    inside[: least - 1] = np.inf
    inside[n - least :] = np.inf
    at = int(np.argmin(inside)) + 1
    low, high = logs[:at], logs[at:]
    distance = median(high) - median(low)
    spread = math.sqrt((float(np.var(low)) + float(np.var(high))) / 2)
    if distance < math.log1p(MODE_GAP) or distance < MODE_DISTANCE * spread:
        return None
    ordered = np.sort(np.asarray(values, float))
    return median(ordered[:at]), median(ordered[at:])
