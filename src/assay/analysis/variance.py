"""Where the spread comes from, launch, block or repetition, and where the next second is best spent (METHOD rule 3).

A reading is y = mean + launch + block in launch + repetition in block, the last three random. The classical estimate
equates the three sums of squares of unbalanced nested data with their expectations (Searle, Linear Models, 1971,
section 11.4); a variance that comes out negative is 0. The robust one peels the levels off by medians and median
absolute deviations: the spread inside blocks, the spread of block medians less what the repetitions explain, the
spread of launch medians less what the blocks explain.

The variance of a grand mean over L launches of B blocks of R repetitions is s_l/L + s_b/(L B) + s_r/(L B R). With the
cost of each level it has a least value at R = sqrt(s_r c_b / (s_b c_r)), B = sqrt(s_b c_l / (s_l c_b)) (Cochran,
Sampling Techniques, section 10.6).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analysis.result import Result

LEVELS = ("launch", "block", "repetition")
SMALL = 40  # values: up to here a group's own median would bias its spread
MEDIAN_PRICE = math.pi / 2  # the variance of a median of normal values over that of their mean


@dataclass(frozen=True)
class Components(Result):
    """Variances by level (unit squared), each level's share of their sum, and the counts they come from."""

    method: str
    launch: float
    block: float
    repetition: float
    launches: int
    blocks: int
    readings: int

    @property
    def share(self) -> dict[str, float]:
        """Each level's part of the whole, 1 together (all 0 where nothing varies)."""
        parts = {"launch": self.launch, "block": self.block, "repetition": self.repetition}
        whole = sum(parts.values())
        return {level: part / whole if whole > 0 else 0.0 for level, part in parts.items()}


@dataclass(frozen=True)
class Allocation(Result):
    """The cheapest design and the next step.

    Best `blocks` a launch and `repetitions` a block, and the `level` to spend on.
    """

    blocks: int
    repetitions: int
    level: str
    gain: dict[str, float]


def _nested(data: Sequence[Sequence[ArrayLike]]) -> list[list[NDArray[np.float64]]]:
    launches = [[np.asarray(block, float).ravel() for block in launch] for launch in data]
    if not launches or any(not launch or any(len(block) == 0 for block in launch) for launch in launches):
        raise ValueError("variance by level needs a reading in each block and a block in each launch")
    return launches


def classical(data: Sequence[Sequence[ArrayLike]]) -> Components:
    """Estimate the components of data[launch][block] (repetitions,), unbalanced, by analysis of variance.

    A level that was not repeated anywhere (one launch; one block in each) has no variance of its own: it is 0 and
    lies in the next.
    """
    launches = _nested(data)
    n = [np.array([len(block) for block in launch], float) for launch in launches]
    means = [np.array([block.mean() for block in launch]) for launch in launches]
    size = np.array([counts.sum() for counts in n])
    middle = np.array([float((c * m).sum() / c.sum()) for c, m in zip(n, means, strict=True)])
    total, a, b = float(size.sum()), len(launches), sum(len(launch) for launch in launches)
    grand = float((size * middle).sum() / total)
    inside = sum(float(((block - block.mean()) ** 2).sum()) for launch in launches for block in launch)
    blocks = sum(float((c * (m - mu) ** 2).sum()) for c, m, mu in zip(n, means, middle, strict=True))
    between = float((size * (middle - grand) ** 2).sum())
    k1, k3 = float((size**2).sum()), sum(float((c**2).sum()) for c in n)
    k12 = sum(float((c**2).sum() / c.sum()) for c in n)
    repetition = inside / (total - b) if total > b else 0.0
    block = max(0.0, (blocks - (b - a) * repetition) / (total - k12)) if b > a else 0.0
    launch = 0.0
    if a > 1:
        launch = max(0.0, (between - (k12 - k3 / total) * block - (a - 1) * repetition) / (total - k1 / total))
    return Components("analysis of variance", launch, block, repetition, a, b, int(total))


def robust(data: Sequence[Sequence[ArrayLike]]) -> Components:
    """Estimate the same components by medians: a few wild readings, blocks or launches do not move them."""
    launches = _nested(data)
    medians = [np.array([float(np.median(block)) for block in launch]) for launch in launches]
    repetition = _pooled([block for launch in launches for block in launch])
    by_repetition = [
        float(np.mean([repetition / len(block) * (MEDIAN_PRICE if len(block) > 2 else 1.0) for block in launch]))
        for launch in launches
    ]
    block = max(0.0, _pooled(medians) - float(np.mean(by_repetition)))
    middle = np.array([float(np.median(values)) for values in medians])
    by_block = [
        (block + noise) * (MEDIAN_PRICE if len(values) > 2 else 1.0) / len(values)
        for values, noise in zip(medians, by_repetition, strict=True)
    ]
    launch = max(0.0, _pooled([middle]) - float(np.mean(by_block)))
    readings = sum(len(values) for launch_blocks in launches for values in launch_blocks)
    return Components(
        "medians", launch, block, repetition, len(launches), sum(len(blocks) for blocks in launches), readings
    )


def _pooled(groups: Sequence[NDArray[np.float64]]) -> float:
    """Robust variance inside groups: a weighted median of absolute differences.

    Small groups give all their pairs, |a - b| / sqrt(2), which needs no centre and so has no bias however few they
    are; large ones their deviations from the median. Each group weighs as many as its degrees of freedom.
    """
    parts, weights = [], []
    for values in groups:
        n = len(values)
        if n < 2:
            continue
        if n <= SMALL:
            first, second = np.triu_indices(n, 1)
            part = np.abs(values[first] - values[second]) / math.sqrt(2)
        else:
            part = np.abs(values - np.median(values))
        parts.append(part)
        weights.append(np.full(len(part), (n - 1) / len(part)))
    if not parts:
        return 0.0
    deviations, weight = np.concatenate(parts), np.concatenate(weights)
    order = np.argsort(deviations, kind="stable")
    share = np.cumsum(weight[order]) / weight.sum()
    middle = min(int(np.searchsorted(share, 0.5 - 1e-12)), len(order) - 1)
    return float((1.4826 * deviations[order][middle]) ** 2)


def allocate(
    components: Components,
    *,
    launch_cost: float,
    block_cost: float,
    repetition_cost: float,
    design: tuple[int, int, int] | None = None,
    most: int = 10_000,
) -> Allocation:
    """Find the best design for costs in seconds: starting a launch, starting a block, one reading of the clock.

    `design` is launches, blocks a launch and repetitions a block so far (default: those of the components' data);
    `gain` is the relative fall of the grand mean's variance for each second spent on one more launch, one more block
    in each, or one more repetition in each block; `level` the greatest of them. `most` bounds blocks and repetitions.
    """
    if min(launch_cost, block_cost, repetition_cost) <= 0:
        raise ValueError("costs are positive seconds")
    if design is None:
        n_launches = components.launches
        per_launch = max(1, round(components.blocks / n_launches))
        design = (n_launches, per_launch, max(1, round(components.readings / components.blocks)))
    n, b, r = design
    s_l, s_b, s_r = components.launch, components.block, components.repetition

    def variance(launches: int, blocks: int, repetitions: int) -> float:
        return s_l / launches + s_b / (launches * blocks) + s_r / (launches * blocks * repetitions)

    now = variance(n, b, r)
    steps = {
        "launch": (variance(n + 1, b, r), launch_cost + b * (block_cost + r * repetition_cost)),
        "block": (variance(n, b + 1, r), n * (block_cost + r * repetition_cost)),
        "repetition": (variance(n, b, r + 1), n * b * repetition_cost),
    }
    gain = {level: (now - then) / now / cost if now > 0 else 0.0 for level, (then, cost) in steps.items()}
    blocks, repetitions = _best_design((s_l, s_b, s_r), (launch_cost, block_cost, repetition_cost), most)
    return Allocation(blocks, repetitions, max(LEVELS, key=lambda level: gain[level]), gain)


def _best_design(
    variances: tuple[float, float, float], costs: tuple[float, float, float], most: int
) -> tuple[int, int]:
    """Blocks and repetitions with the least product of variance and cost: whole numbers beside the closed forms."""
    (s_l, s_b, s_r), (c_l, c_b, c_r) = variances, costs
    designs = set()
    for repetitions in {1, *_whole(s_r * c_b, s_b * c_r, most)}:
        inside, price = s_b + s_r / repetitions, c_b + repetitions * c_r
        designs |= {(blocks, repetitions) for blocks in _whole(inside * c_l, s_l * price, most)}
    # with one block a launch, the repetitions carry the whole launch's cost
    designs |= {(1, repetitions) for repetitions in _whole(s_r * (c_l + c_b), (s_l + s_b) * c_r, most)}

    def product(design: tuple[int, int]) -> tuple[float, int, int]:
        blocks, repetitions = design
        variance = s_l + s_b / blocks + s_r / (blocks * repetitions)
        return variance * (c_l + blocks * (c_b + repetitions * c_r)), blocks, repetitions

    return min(designs, key=product)


def _whole(above: float, below: float, most: int) -> tuple[int, int]:
    """Give the whole numbers around sqrt(above / below), within 1 and `most`."""
    if above <= 0:
        return 1, 1
    root = most if below <= 0 else math.sqrt(above / below)
    return max(1, min(most, math.floor(root))), max(1, min(most, math.ceil(root)))
