"""What may be claimed of each case, by which estimator, and how far it can have been moved (method.md, rule 14)."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.analysis.disturbance.levels import LaunchLevel
from assay.analysis.median import median
from assay.analysis.result import AnalysisResult

CLEAN = 0.02  # a figure that can have been moved by less is clean; so is one below half of its launches' range
FEWEST = 0.2  # of a case's blocks: when fewer are unmarked, the rest is too little to represent the run
MOST_MOVED = 1.5  # a value that can have been moved by more is no estimate
LIMIT = 1e3  # a displacement beyond it is not known, and JSON has no infinity


class State(enum.Enum):
    """What may be claimed of a number."""

    CLEAN = "clean"
    DISTURBED = "disturbed"
    BOUND = "bound"
    INVALID = "invalid"


class Estimator(enum.Enum):
    """What a number is computed from, as text next to it."""

    MEDIAN = "median"
    UNMARKED = "median of the unmarked blocks"
    BEST = "best reading, a bound"  # an interruption only lengthens a reading
    NONE = "none"


@dataclass(frozen=True)
class Displacement(AnalysisResult):
    """How far a disturbance can have moved a value: value / undisturbed - 1 lies from `low` to `high`."""

    low: float
    high: float

    @property
    def most(self) -> float:
        """The greater of both, as a size."""
        return max(abs(self.low), abs(self.high))


BETWEEN = (
    "between"  # reason: how far a value was moved is known by comparing launches alone, which differ unmarked, too
)
STILL = Displacement(0.0, 0.0)
QUIET = State.CLEAN, Estimator.MEDIAN


@dataclass(frozen=True)
class Verdict(AnalysisResult):
    """What may be claimed of one case of one metric.

    `disturbance` is that of the value by the `estimator`, None where it is not known; `reasons` are the rules that
    marked blocks of the case, of whose `blocks` so many are `marked`.
    """

    state: State
    estimator: Estimator
    disturbance: Displacement | None
    reasons: tuple[str, ...] = ()
    marked: int = 0
    blocks: int = 0


def settle(
    levels: Sequence[Sequence[LaunchLevel]],
    sense: int,
    reasons: Sequence[str],
    others: float = 0.0,
    natural: bool = False,
) -> Verdict:
    """Settle one case from its levels, of each host in turn: its estimator, and how far it can have been moved.

    Of several hosts a launch's level is their median, as it is in figures. `others`: how much blocks of all cases
    differ within a launch (`wander`), for a case that has too few unmarked blocks of its own. `natural` as in
    block.py.
    """
    every = [level for of in levels for level in of]
    marked, blocks = sum(level.marked for level in every), sum(level.blocks for level in every)

    def verdict(state: State, estimator: Estimator, moved: Displacement | None) -> Verdict:
        of = None if moved is None else _sensed(moved, sense)
        return Verdict(state, estimator, of, tuple(reasons), marked, blocks)

    whole = _middle(levels, lambda level: level.whole)
    if natural:
        some = marked and blocks - marked >= FEWEST * blocks
        state, estimator = (State.DISTURBED, Estimator.UNMARKED if some else Estimator.MEDIAN) if marked else QUIET
        return verdict(state, estimator, None if marked else STILL)
    if whole <= 0:  # a difference that is noise around nothing: a relative bound is impossible
        return verdict(State.DISTURBED if marked else State.CLEAN, Estimator.MEDIAN, None if marked else STILL)
    differ = wander(every, least=3) if marked else 0.0
    differ = others if differ is None else differ
    least = _Least(every, differ)
    if not least.within and any(least(level) < level.low / (1 + CLEAN) for level in every if level.kept is None):
        reasons = [*reasons, BETWEEN]
    by_all = _of_whole(levels, least, 0.0, whole)
    clean = by_all.most <= max(CLEAN, _spread(levels) / 2)
    if (
        by_all.most > CLEAN
        and blocks - marked >= FEWEST * blocks
        and (kept := _of_kept(levels, least, differ)) is not None
    ):
        return verdict(State.CLEAN if clean else State.DISTURBED, Estimator.UNMARKED, kept)
    stated = _of_whole(levels, least, differ, whole)
    if clean:
        return verdict(State.CLEAN, Estimator.MEDIAN, stated)
    seen = _seen(levels, whole) if sense and blocks - marked < FEWEST * blocks else 0.0
    if 2 * sum(level.interrupted for level in every) <= blocks and max(by_all.most, seen) <= MOST_MOVED:
        return verdict(State.DISTURBED, Estimator.MEDIAN, Displacement(stated.low, max(stated.high, seen)))
    if sense == 0:  # both sides of a ratio can be long: its least value bounds nothing
        return verdict(State.INVALID, Estimator.NONE, None)
    best = min(level.best for level in every)
    return verdict(State.BOUND, Estimator.BEST, Displacement(min(0.0, best / whole - 1), by_all.high))


class _Least:
    """A bound from launches with unmarked blocks: how low the level of one without can be undisturbed.

    Launches also differ without a disturbance: at the edge of a cache by which pages they were given. Of a launch
    that comes down to what an unmarked one reaches by what its accounts allow, these suffice. Of one above, marked
    and unmarked blocks of the same launches (`within`) show by how much blocks can be longer; where no launch has
    both, the lowest of the unmarked launches counts.
    """

    def __init__(self, every: Sequence[LaunchLevel], differ: float) -> None:
        kept = [(level.kept, level) for level in every if level.kept is not None]
        self._reached = max((value for value, _ in kept), default=0.0)
        self._lowest = min((level.kept_low for _, level in kept), default=math.inf)
        longer = [
            level.touched / value * (1 + 2 * differ * math.sqrt(1 / level.marked + 1 / (level.blocks - level.marked)))
            for value, level in kept
            if level.touched is not None and value > 0
        ]
        self._longer = max([1.0, *longer])
        self.within = bool(longer)

    def __call__(self, level: LaunchLevel) -> float:
        if level.low <= self._reached:
            return level.low
        return level.whole / self._longer if self.within else self._lowest


def _between(value: float, low: float, high: float) -> Displacement:
    """How far a value is moved whose undisturbed one lies from `low` to `high`."""
    return Displacement(min(0.0, value / high - 1), min(LIMIT, max(0.0, value / low - 1)) if low > 0 else LIMIT)


def _of_whole(levels: Sequence[Sequence[LaunchLevel]], least: _Least, differ: float, whole: float) -> Displacement:
    """How far the median of all blocks is moved; unmarked blocks speak for a launch as well as blocks `differ`."""
    low = _middle(levels, lambda level: min(_low(level, least, differ), level.whole))
    high = _middle(levels, lambda level: max(_high(level, differ), level.whole))
    return _between(whole, low, high)


def _seen(levels: Sequence[Sequence[LaunchLevel]], whole: float) -> float:
    """How far a value lies above the least reading of its case, of several hosts the median of each one's least.

    Where hardly a block is unmarked nothing else shows what the case takes undisturbed, and what was seen is possible
    whatever the accounts allow.
    """
    least = median([min(level.best for level in of) for of in levels])
    return max(0.0, whole / least - 1) if least > 0 else 0.0  # a clock that is too coarse shows no time at all


def _low(level: LaunchLevel, least: _Least, differ: float) -> float:
    """The lowest that a launch's level can be: of one with unmarked blocks theirs, else what the accounts allow.

    A disturbance can do more than the accounts allow: then the bound is at least the level of other launches.
    """
    return min(level.low, least(level)) if level.kept is None else level.kept_low / (1 + _unsure(level, differ))


def _high(level: LaunchLevel, differ: float) -> float:
    return level.high if level.kept is None else level.kept * (1 + _unsure(level, differ))


def _unsure(level: LaunchLevel, differ: float) -> float:
    """Two standard errors of a launch's level from some of its blocks, which `differ` by so much."""
    left = level.blocks - level.marked
    return 2 * differ * math.sqrt(level.marked / (level.blocks * left))


def wander(levels: Sequence[LaunchLevel], least: int) -> float | None:
    """How much unmarked blocks differ within a launch, relative (a standard deviation); None with less than `least`."""
    degrees = sum(level.blocks - level.marked - 1 for level in levels if level.kept is not None)
    return math.sqrt(sum(level.squares for level in levels) / degrees) if degrees >= least else None


def _of_kept(levels: Sequence[Sequence[LaunchLevel]], least: _Least, differ: float) -> Displacement | None:
    """How far the median of the unmarked blocks can be from the whole, undisturbed one: None where there is none."""
    left = _left(levels)
    middle = _middle(left, lambda level: level.kept or 0.0) if left else 0.0
    if middle <= 0:
        return None
    low = _middle(levels, lambda level: _low(level, least, differ))
    high = _middle(levels, lambda level: _high(level, differ))
    return _between(middle, low, high)


def _left(levels: Sequence[Sequence[LaunchLevel]]) -> list[list[LaunchLevel]]:
    left = [[level for level in of if level.kept is not None] for of in levels]
    return [of for of in left if of]


def _middle(levels: Sequence[Sequence[LaunchLevel]], value: Callable[[LaunchLevel], float]) -> float:
    """Median over launches of the median over hosts."""
    by_launch: dict[int, list[float]] = {}
    for of in levels:
        for level in of:
            by_launch.setdefault(level.launch, []).append(value(level))
    return median([median(of) for of in by_launch.values()])


def _spread(levels: Sequence[Sequence[LaunchLevel]]) -> float:
    """Range of the launches' unmarked levels over their middle; 0 where fewer than two are left."""
    by_launch: dict[int, list[float]] = {}
    for of in levels:
        for level in of:
            if level.kept is not None:
                by_launch.setdefault(level.launch, []).append(level.kept)
    middles = [median(of) for of in by_launch.values()]
    return (max(middles) - min(middles)) / median(middles) if len(middles) > 1 and min(middles) > 0 else 0.0


def _sensed(moved: Displacement, sense: int) -> Displacement:
    """Turn a displacement of times into one of the values: of rates the other way, of ratios either way."""
    if sense > 0:
        return moved
    if sense < 0:
        return Displacement(1 / (1 + moved.high) - 1, 1 / (1 + max(moved.low, -0.999)) - 1)
    return Displacement(1 / (1 + moved.most) - 1, moved.most)


def invalid(blocks: int = 0, reasons: Sequence[str] = ()) -> Verdict:
    """Give the verdict of a case that has no value."""
    return Verdict(State.INVALID, Estimator.NONE, None, tuple(reasons), 0, blocks)
