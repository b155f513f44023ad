"""How far each launch's level can have been moved: between what was seen and what it can have been undisturbed.

An event (another process's slice) only lengthens the readings it meets. If it can have met a share q of them, the
median of the rest lies at the quantile 1/2 - q or above it: of the touched ones nothing is known but that each was
shorter. Where more than half can have been met, or readings are longer than the events, the bound is what the accounts
allow: each reading longer by so much. What moves all readings equally (the clock's frequency) counts as it is.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.disturbance.block import Floats
from assay.analysis.disturbance.findings import Findings
from assay.analysis.median import median

PREEMPTED = 0.5  # involuntary switches a reading: above it the median reading itself was interrupted
SCHEDULER_SLICE = 3e-3  # s: the same of a reading longer than this under contention, where switches were not counted


@dataclass(frozen=True)
class LaunchLevel:
    """The level of one case in one launch on one host, in times (block.py): `whole` from all blocks.

    `low` to `high`: where it can lie undisturbed. `touched`: from the marked blocks, `kept`: from the unmarked ones,
    None where there are none. `kept_low`: where `kept` can lie; `squares`: squared distances of unmarked blocks from
    it, relative, summed. `best`: the least reading.
    """

    launch: int
    whole: float
    low: float
    high: float
    best: float
    touched: float | None
    kept: float | None
    kept_low: float
    squares: float
    blocks: int
    marked: int
    interrupted: int


def levels(findings: Findings, members: Sequence[int]) -> list[LaunchLevel]:
    """Give the level of each launch of the case whose blocks these are."""
    by_launch: dict[int, list[int]] = defaultdict(list)
    for i in members:
        by_launch[findings.blocks[i].launch].append(i)
    return [_level(findings, launch, of) for launch, of in sorted(by_launch.items())]


def _level(findings: Findings, launch: int, members: list[int]) -> LaunchLevel:
    times = {i: findings.blocks[i].times for i in members}
    everything = np.concatenate([times[i] for i in members])
    kept = [i for i in members if i not in findings.marked]
    values = [times[i] for i in kept]
    low, high = _reach(findings, members, everything)
    left = median(np.concatenate(values)) if kept else None
    touched = [times[i] for i in members if i in findings.marked]
    return LaunchLevel(
        launch=launch,
        whole=median(everything),
        low=low,
        high=high,
        best=float(everything.min()),
        touched=median(np.concatenate(touched)) if touched else None,
        kept=left,
        kept_low=_reach(findings, kept, np.concatenate(values))[0] if kept else 0.0,
        squares=sum((median(of) / left - 1) ** 2 for of in values) if left else 0.0,
        blocks=len(members),
        marked=len(members) - len(kept),
        interrupted=sum(i in findings.contended and _interrupted(findings, i) for i in members),
    )


def _reach(findings: Findings, members: Sequence[int], values: Floats) -> tuple[float, float]:
    """Where the median of these blocks' `values` can lie without what touched them."""
    which = list(members)
    middle = median(values)
    counts = np.array([len(findings.blocks[i].values) for i in which])
    kinds = [
        (float(np.average(of.share[which], weights=counts)), float(of.longer[which].max()))
        for of in findings.events.values()
    ]
    kinds = sorted((share, longer) for share, longer in kinds if longer > 0)
    lowest = 0.0
    for first in range(len(kinds) + 1):  # the rarest kinds by the readings that they spared, the others by their bound
        spared = 0.5 - sum(share for share, _ in kinds[:first])
        if spared <= 0:
            break
        least = float(np.quantile(values, spared)) if first else middle
        lowest = max(lowest, least / math.prod(1 + longer for _, longer in kinds[first:]))
    even_high, even_low = float(findings.even_high[which].max()), float(findings.even_low[which].min())
    return lowest / (1 + even_high), middle / (1 + even_low)


def _interrupted(findings: Findings, i: int) -> bool:
    """Whether the block's median reading was itself switched out."""
    block = findings.blocks[i]
    if block.accounting.get("involuntary") is not None:
        return block.counted("involuntary") > PREEMPTED * len(block.values)
    return median(block.values) * block.batch > SCHEDULER_SLICE
