"""A change midway: each case's readings are divided by that launch's mean of the case and laid out in time, so that a
change that starts midway shows over all cases together.
"""

import math
from collections import defaultdict

import numpy as np

from assay.analysis.disturbance.block import Floats, cases_of
from assay.analysis.disturbance.findings import Findings
from assay.analysis.median import median

EFFECT = 0.05  # relative: a smaller step is not named, since medians within 5% of the quiet ones are good enough
SIGNIFICANT = 0.01  # of a step in any launch, after counting every place where it could be; EFFECT must pass as well
SLACK = 2.0  # a step is named by its median over all cases; one of them may have moved by so much more
PIECES = 40  # a launch's blocks are cut into about so many together, so that a change inside a long block is seen


def midway(findings: Findings) -> None:
    """Find a step or a drift within a launch, over all its cases together.

    Levels relative to the launch's median of the case.
    """
    blocks = findings.blocks
    pieces: dict[int, Floats] = {}
    per_launch: dict[int, int] = defaultdict(int)
    for block in blocks:
        per_launch[block.launch] += 1
    for members in cases_of(blocks, by_launch=True, witnesses=True).values():
        # the mean of the blocks, since a median of half of them changed would fall to either side
        base = float(np.mean([median(blocks[i].times) for i in members]))
        for i in members:
            values = blocks[i].times
            wanted = math.ceil(PIECES / per_launch[blocks[i].launch])
            chunks = np.array_split(values, min(wanted, max(1, len(values) // 8)))
            pieces[i] = np.array([median(chunk) for chunk in chunks]) / base if base > 0 else np.ones(1)
    by_launch: dict[int, list[int]] = defaultdict(list)
    for i in pieces:
        by_launch[blocks[i].launch].append(i)
    for launch, members in sorted(by_launch.items()):
        members.sort(key=lambda i: (blocks[i].t0, blocks[i].block))
        series = np.concatenate([pieces[i] for i in members])
        owner = np.concatenate([np.full(len(pieces[i]), i) for i in members])
        step = find_step(series, SIGNIFICANT / len(by_launch))
        if step is None:
            continue
        at, effect = step
        high = owner[at:] if effect > 0 else owner[:at]
        text = (
            f"launch {launch}: readings {'rise' if effect > 0 else 'fall'} by {abs(effect):.0%} after "
            f"{at / len(series):.0%} of the launch and stay there"
        )
        touched = sorted(set(high.tolist()))
        findings.add("step", text, touched, amount=abs(effect))
        findings.evenly(touched, 0.0, SLACK * (max(1 + effect, 1 / (1 + effect)) - 1))


def find_step(series: Floats, significant: float = SIGNIFICANT) -> tuple[int, float] | None:
    """Find where a series (n,) of relative levels changes for good: the index and the relative change, or None.

    The split with the greatest rank sum (Pettitt 1979); it counts if its effect passes EFFECT and its probability, 2
    exp(-6 U^2 / (n^3 + n^2)) for the best of all splits, is below `significant`. U^2 is reduced by (1 - r) / (1 + r), r
    the correlation of neighbours, since correlated levels wander without a cause.
    """
    n = len(series)
    if n < 8:
        return None
    _, place, alike = np.unique(series, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(alike) - (alike - 1) / 2)[place]  # the mean rank of ties
    k = np.arange(1, n)
    u = 2 * np.cumsum(ranks)[:-1] - k * (n + 1)
    at = int(np.argmax(np.abs(u))) + 1
    if min(at, n - at) < 2:
        return None
    before, after = median(series[:at]), median(series[at:])
    if before <= 0:
        return None
    effect = after / before - 1
    r = _correlation(ranks, at)
    p = 2 * math.exp(-6 * float(u[at - 1]) ** 2 * (1 - r) / (1 + r) / (n**3 + n**2))
    return (at, effect) if abs(effect) > EFFECT and p < significant else None


def _correlation(ranks: Floats, at: int) -> float:
    """Correlation of neighbours that neither a step at `at` nor a drift pretends: the lesser of two estimates.

    One from the residuals around the two levels, which a step does not touch; one from first differences,
    1 + 2 corr(d, next d), which a drift does not.
    """

    def neighbours(series: Floats) -> float:
        power = float(series @ series)
        return float(series[:-1] @ series[1:]) / power if power > 0 else 0.0

    levels = np.concatenate([ranks[:at] - ranks[:at].mean(), ranks[at:] - ranks[at:].mean()])
    difference = np.diff(ranks)
    difference = difference - difference.mean()
    by_difference = 1 + 2 * neighbours(difference) if difference.any() else 0.0
    return min(max(min(neighbours(levels), by_difference), 0.0), 0.9)
