"""What may be claimed of each case, by which estimator, and how far it can have been moved (METHOD, rule 14)."""

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.disturbance.levels import Level
from assay.analysis.result import Result

CLEAN = 0.02  # a figure that can have been moved by less is clean; so is one below half of its launches' range
FEWEST = 0.2  # of a case's blocks: when fewer are unmarked, the rest is too little to stand for the run
STANDS = 1.5  # a value that can have been moved by more is no estimate
LIMIT = 1e3  # a displacement beyond it is not known, and JSON has no infinity


class State(enum.Enum):
    """What may be claimed of a number."""

    CLEAN = "clean"
    DISTURBED = "disturbed"
    BOUND = "bound"
    INVALID = "invalid"


class Estimator(enum.Enum):
    """What a number is computed from, in the words that stand beside it."""

    MEDIAN = "median"
    UNMARKED = "median of the unmarked blocks"
    BEST = "best reading, a bound"  # an interruption only lengthens a reading
    NONE = "none"


@dataclass(frozen=True)
class Displacement(Result):
    """How far a disturbance can have moved a value: value / undisturbed - 1 lies from `low` to `high`."""

    low: float
    high: float

    @property
    def most(self) -> float:
        """The greater of both, as a size."""
        return max(abs(self.low), abs(self.high))


STILL = Displacement(0.0, 0.0)


@dataclass(frozen=True)
class Verdict(Result):
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


def settle(levels: Sequence[Sequence[Level]], sense: int, reasons: Sequence[str]) -> Verdict:
    """Settle one case from its levels, of each host in turn: what stands, and how far it can have been moved.

    Of several hosts a launch's level is their median, as it is in figures.
    """
    every = [level for of in levels for level in of]
    marked, blocks = sum(level.marked for level in every), sum(level.blocks for level in every)

    def verdict(state: State, estimator: Estimator, moved: Displacement | None) -> Verdict:
        of = None if moved is None else _sensed(moved, sense)
        return Verdict(state, estimator, of, tuple(reasons), marked, blocks)

    whole = _middle(levels, lambda level: level.whole)
    if whole <= 0:  # a difference that is noise around nothing: relative to it nothing can be said
        return verdict(State.DISTURBED if marked else State.CLEAN, Estimator.MEDIAN, None if marked else STILL)
    least = min((level.kept_low for level in every if level.kept is not None), default=float("inf"))
    low = _middle(levels, lambda level: min(_low(level, least), level.whole))
    high = _middle(levels, lambda level: level.high if level.kept is None else max(level.kept, level.whole))
    low, high = min(low, whole), max(high, whole)
    by_all = Displacement(whole / high - 1, whole / low - 1 if low > 0 else LIMIT)
    if by_all.most <= max(CLEAN, _spread(levels) / 2):
        return verdict(State.CLEAN, Estimator.MEDIAN, by_all)
    if marked and blocks - marked >= FEWEST * blocks and (kept := _of_kept(levels, least)) is not None:
        return verdict(State.DISTURBED, Estimator.UNMARKED, kept)
    if 2 * sum(level.interrupted for level in every) <= blocks and by_all.most <= STANDS:
        return verdict(State.DISTURBED, Estimator.MEDIAN, by_all)
    best = min(level.best for level in every)
    most = Displacement(min(0.0, best / whole - 1), min(by_all.high, LIMIT))
    return verdict(State.BOUND, Estimator.BEST, most)


def _low(level: Level, least: float) -> float:
    """The lowest that a launch's level can be: of one with unmarked blocks theirs, else what the accounts allow.

    Where other launches have unmarked blocks, that is at least down to the `least` of these.
    """
    return min(level.low, least) if level.kept is None else level.kept_low


def _of_kept(levels: Sequence[Sequence[Level]], least: float) -> Displacement | None:
    """How far the median of the unmarked blocks can be from the whole, undisturbed one: None where there is none.

    Beside the launches of which nothing is left, it moves by what one block more or less does.
    """
    left = [[level for level in of if level.kept is not None] for of in levels]
    left = [of for of in left if of]
    if not left:
        return None
    middle = _middle(left, lambda level: level.kept or 0.0)
    if middle <= 0:
        return None
    wobble = 0.0
    for of in left:
        for level in of:
            for value in level.without.tolist():
                moved = _middle(left, lambda each: value if each is level else each.kept or 0.0)  # noqa: B023
                wobble = max(wobble, abs(moved / middle - 1))
    truly_low = _middle(levels, lambda each: _low(each, least))
    truly_high = _middle(levels, lambda each: each.high if each.kept is None else each.kept)
    truly_low, truly_high = min(truly_low, middle), max(truly_high, middle)
    return Displacement(middle / truly_high - 1 - wobble, (middle / truly_low - 1 if truly_low > 0 else LIMIT) + wobble)


def _middle(levels: Sequence[Sequence[Level]], value: Callable[[Level], float]) -> float:
    """Median over launches of the median over hosts."""
    by_launch: dict[int, list[float]] = {}
    for of in levels:
        for level in of:
            by_launch.setdefault(level.launch, []).append(value(level))
    return float(np.median([np.median(of) for of in by_launch.values()]))


def _spread(levels: Sequence[Sequence[Level]]) -> float:
    """Range of the launches' unmarked levels over their middle; 0 where fewer than two are left."""
    by_launch: dict[int, list[float]] = {}
    for of in levels:
        for level in of:
            if level.kept is not None:
                by_launch.setdefault(level.launch, []).append(level.kept)
    middles = [float(np.median(of)) for of in by_launch.values()]
    return (max(middles) - min(middles)) / float(np.median(middles)) if len(middles) > 1 and min(middles) > 0 else 0.0


def _sensed(moved: Displacement, sense: int) -> Displacement:
    """Turn a displacement of times into one of the values: of rates the other way, of ratios either way."""
    if sense > 0:
        return moved
    if sense < 0:
        return Displacement(1 / (1 + moved.high) - 1, 1 / (1 + max(moved.low, -0.999)) - 1)
    return Displacement(-moved.most, moved.most)


def invalid(blocks: int = 0, reasons: Sequence[str] = ()) -> Verdict:
    """Give the verdict of a case that has no value."""
    return Verdict(State.INVALID, Estimator.NONE, None, tuple(reasons), 0, blocks)
