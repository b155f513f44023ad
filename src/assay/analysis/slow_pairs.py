"""What is slow of all that was measured pair by pair: ranks, nodes, links, pairs, and one direction of each.

Every pass of a tournament gives one time for each direction of each pair. Within a pass, readings of one class (same
node, or ways over equally described links, and so many messages over the busiest of these) differ by chance only: each
is replaced by the normal score of its rank among them, so that no single outlier counts for more than being the
greatest.

A candidate (a link, a node, …) is the set of readings that cross or touch it. Its sum of scores, over the standard
deviation that a random set of the same readings would have (sampling without replacement, class by class), is ranked
among the candidates of its kind; the normal score of that rank is the replicate's vote. Votes add up: sum /
sqrt(replicates) is a standard normal where nothing is slow, whatever the noise is, as long as it is drawn anew for each
replicate. Replicates are launches where there are six or more, else passes (method.md, rule 1). A disturbance of one
replicate is one vote.

The false alarms allowed, 1%, are shared evenly by the kinds (a machine has a million pairs and a thousand links), and
within a kind limited by Holm. Of all candidates that pass, and whose readings are longer by the margin, the one
with the greatest mean of standardised sums is named: of nested sets (a link, the node behind it, the pairs that cross
it) it is the one that explains most of the excess. Its readings are set aside, and the rest is judged again: forward
selection, as the links of a way are too strongly correlated for a common regression. Where more pairs pass
than could be exceptions, none is named but their number is.

Intervals: the scatter of effects from replicate to replicate, pooled over the candidates of a kind (by the median
absolute deviation), at the level 1 - 0.05 R / m for R named of m candidates (Benjamini and Yekutieli 2005). That
something is slow can be sure where by how much is not: votes know nothing of distances.

Where the ways of messages are known, what is named is looked at again by the readings that shared no link with others:
a place where messages wait for others more than elsewhere, as in the middle of a mesh, is not slow itself. The false
alarms allowed are of what is slow by these readings too.

Sources: Conover 1999, Practical Nonparametric Statistics, section 5.10 (normal scores); Holm 1979.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from assay.analysis.result import AnalysisResult

FALSE_ALARMS = 0.01  # of runs in which nothing is slow, at most
MARGIN = 0.02  # of the time: less is no reason to replace a cable
MISSES = 0.05  # of the intervals stated, on average
LEAST_LAUNCHES = 6  # from which launches are the replicates
MOST_NAMED = 64  # more than that is no exception but a property of the machine
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class CandidateKind:
    """Candidates of one kind: `of` (slots, readings) names those that each reading belongs to, -1 for none.

    `single`: a candidate has one reading or two, so that many may be named at once without explaining one another.
    """

    name: str
    of: Integers
    single: bool = False

    @property
    def count(self) -> int:
        """How many candidates there are, those without readings included."""
        return int(self.of.max(initial=-1)) + 1


@dataclass(frozen=True)
class SlowPart(AnalysisResult):
    """One that is slow: its readings take `effect` longer (1: twice as long), with an interval; `p` before Holm.

    `shared`: only where they share links with others; False also where that is unknown. `alone`: of its readings
    those that shared no link; without any it is unknown whether it is slow itself.
    """

    kind: str
    number: int
    effect: float
    interval: tuple[float, float]
    p: float
    readings: int
    shared: bool
    alone: int = 0


@dataclass(frozen=True)
class Localised(AnalysisResult):
    """What is slow, the most telling first; `candidates` were judged on so many `replicates`.

    `too_many`: pairs or directions that pass (there are more), where more than MOST_NAMED could be named: none is.
    """

    parts: tuple[SlowPart, ...]
    candidates: int
    replicates: int
    by_launch: bool
    too_many: int = 0


@dataclass(frozen=True)
class _Scored:
    """One pass's readings that are not yet explained, against those of their class."""

    times: Floats  # log
    scores: Floats
    residuals: Floats  # from the class's median
    numbers: Integers  # the class, from 0
    squares: Floats  # by class, the mean square of its scores, had no two readings been equal


@dataclass(frozen=True)
class _Judged:
    """One round over one kind, by candidate; `strength`: the mean of the replicates' standardised sums."""

    kind: CandidateKind
    of: Integers  # of the readings that are left
    usable: NDArray[np.bool_]
    p: Floats
    strength: Floats

    def readings_of(self, number: int) -> list[int]:
        """The readings that are left of a candidate."""
        found: list[int] = np.flatnonzero((self.of == number).any(axis=0)).tolist()
        return found


@dataclass(frozen=True)
class _Effects:
    """How much longer the readings of each candidate of a kind take, by replicate (replicates, candidates), log."""

    judged: _Judged
    by_replicate: Floats

    def of(self, number: int) -> float:
        """The median of the replicates."""
        return float(np.median(self.by_replicate[:, number]))

    def half_width(self, level: float) -> float:
        """Of the interval of any candidate; endless with a single replicate."""
        replicates = len(self.by_replicate)
        if replicates < 2:
            return math.inf
        usable = self.by_replicate[:, self.judged.usable]
        scatter = 1.4826 * float(np.median(np.abs(usable - np.median(usable, axis=0))))
        return float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(math.pi / 2) * scatter / math.sqrt(replicates - 1)


def localise(
    log_times: Floats,
    classes: Integers,
    launch_of: Sequence[int],
    kinds: Sequence[CandidateKind],
    false_alarms: float = FALSE_ALARMS,
    alone: NDArray[np.bool_] | None = None,
) -> Localised:
    """Name what is slow in log_times (passes, readings), each reading's class (passes, readings); launch of each pass.

    `alone` (passes, readings): which readings shared no link; None where unknown. Such readings are in no class
    with others. Raises ValueError where the shapes do not match.
    """
    if alone is not None and alone.shape != classes.shape:
        raise ValueError(f"alone {alone.shape}, classes {classes.shape}")
    if log_times.shape != classes.shape or len(launch_of) != len(log_times):
        raise ValueError(f"times {log_times.shape}, classes {classes.shape}, {len(launch_of)} passes")
    launches = np.asarray(launch_of)
    by_launch = len(np.unique(launches)) >= LEAST_LAUNCHES
    replicate_of = np.unique(launches, return_inverse=True)[1] if by_launch else np.arange(len(log_times))
    parts: list[SlowPart] = []
    open_ = np.ones(log_times.shape[1], bool)
    candidates = too_many = 0
    while len(parts) < MOST_NAMED:
        scored = [_scored(times, of) for times, of in zip(log_times[:, open_], classes[:, open_], strict=True)]
        judged = [_judge(kind, scored, replicate_of, open_) for kind in kinds]
        candidates = candidates or sum(int(each.usable.sum()) for each in judged)
        passing = _passing(judged, scored, replicate_of, false_alarms)
        named = _strongest(passing)
        if len(named) > MOST_NAMED:
            singles = Counter(effects.judged.kind.name for _, _, effects in passing if effects.judged.kind.single)
            too_many = max(singles.values())
        if not named or too_many:
            break
        for effects, number in named:
            level = 1 - MISSES * (len(parts) + 1) / candidates
            part = _part(effects, number, level, scored, replicate_of, None if alone is None else alone[:, open_])
            parts.append(part)
        for effects, number in named:
            open_ &= ~(effects.judged.kind.of == number).any(axis=0)
    return Localised(tuple(parts), candidates, int(replicate_of.max(initial=-1)) + 1, by_launch, too_many)


def _scored(times: Floats, belongs: Integers) -> _Scored:
    scores = np.zeros(len(times))
    numbers = np.unique(belongs, return_inverse=True)[1]
    squares = np.zeros(int(numbers.max(initial=-1)) + 1)
    for each in range(len(squares)):
        here = numbers == each
        whole = int(here.sum())
        if whole > 1:
            scores[here] = stats.norm.ppf((stats.rankdata(times[here]) - 0.5) / whole)
            scores[here] -= scores[here].mean()
            squares[each] = np.mean(stats.norm.ppf((np.arange(whole) + 0.5) / whole) ** 2)
    return _Scored(times, scores, residuals(times, belongs), numbers, squares)


def residuals(times: Floats, belongs: Integers) -> Floats:
    """How much longer each reading of a pass takes than the median of its class, where the times are logarithms."""
    found = np.zeros(len(times))
    for each in np.unique(belongs):
        here = belongs == each
        found[here] = times[here] - np.median(times[here])
    return found


def _judge(kind: CandidateKind, scored: Sequence[_Scored], replicate_of: Integers, open_: NDArray[np.bool_]) -> _Judged:
    of, size = kind.of[:, open_], kind.count
    members = _members(of, size)
    usable = (members > 0) & (2 * members >= _members(kind.of, size))
    replicates = int(replicate_of.max(initial=-1)) + 1
    total, spread = np.zeros((replicates, size)), np.zeros((replicates, size))
    for replicate, each in zip(replicate_of, scored, strict=True):
        total[replicate] += _summed(of, each.scores, size)
        spread[replicate] += _variance(of, each, size)
    usable &= (spread > 0).all(axis=0)
    if usable.sum() < 2:
        usable[:] = False
    strength = np.divide(total, np.sqrt(spread), out=np.zeros_like(total), where=spread > 0)
    p = np.ones(size)
    if usable.any():
        votes = stats.norm.ppf((stats.rankdata(strength[:, usable], axis=1) - 0.5) / usable.sum())
        p[usable] = stats.norm.sf(votes.sum(axis=0) / math.sqrt(replicates))
    return _Judged(kind, of, usable, p, strength.mean(axis=0))


def _members(of: Integers, size: int) -> Integers:
    return np.bincount(of[of >= 0], minlength=size)


def _summed(of: Integers, values: Floats, size: int) -> Floats:
    found = np.zeros(size)
    for slot in of:
        found += np.bincount(slot[slot >= 0], weights=values[slot >= 0], minlength=size)
    return found


def _variance(of: Integers, scored: _Scored, size: int) -> Floats:
    """Of the sum of a random set with as many readings of each class: n (N - n) / (N - 1) times the mean square.

    Equal readings, as on a described machine, are ties, which is evidence against what they belong to: they count as if
    they had been distinguished.
    """
    found = np.zeros(size)
    for each, square in enumerate(scored.squares):
        here = scored.numbers == each
        whole = int(here.sum())
        if whole > 1:
            inside = _members(of[:, here], size)
            found += inside * (whole - inside) / (whole - 1) * square
    return found


def _effects(judged: _Judged, scored: Sequence[_Scored], replicate_of: Integers) -> _Effects:
    passes = np.stack([_middle(judged.of, each.residuals, judged.kind.count) for each in scored])
    replicates = range(int(replicate_of.max()) + 1)
    return _Effects(judged, np.stack([np.median(passes[replicate_of == each], axis=0) for each in replicates]))


def _middle(of: Integers, residuals: Floats, size: int) -> Floats:
    """The median residual of each candidate's readings; 0 without any."""
    slots, readings = np.nonzero(of >= 0)
    numbers, values = of[slots, readings], residuals[readings]
    order = np.lexsort((values, numbers))
    numbers, values = numbers[order], values[order]
    members = np.bincount(numbers, minlength=size)
    first = np.concatenate(([0], np.cumsum(members)[:-1]))
    found = np.zeros(size)
    known = members > 0
    low, high = first + (members - 1) // 2, first + members // 2
    found[known] = (values[low[known]] + values[high[known]]) / 2
    return found


def _passing(
    judged: Sequence[_Judged], scored: Sequence[_Scored], replicate_of: Integers, false_alarms: float
) -> list[tuple[float, int, _Effects]]:
    """All candidates that are slower by more than the margin, the strongest first: strength, number, effects."""
    found: list[tuple[float, int, _Effects]] = []
    for each in judged:
        below = _holm(each, false_alarms / len(judged))
        if not below:
            continue
        effects = _effects(each, scored, replicate_of)
        found += [(float(each.strength[at]), at, effects) for at in below if effects.of(at) > math.log1p(MARGIN)]
    return sorted(found, key=lambda one: (-one[0], one[1]))


def _strongest(passing: Sequence[tuple[float, int, _Effects]]) -> list[tuple[_Effects, int]]:
    """Those to be named now: the strongest, or all single ones, at most one too many, where it is one of them."""
    named: list[tuple[_Effects, int]] = []
    taken: set[int] = set()
    for _, number, effects in passing:
        single = effects.judged.kind.single
        if not single and not named:
            return [(effects, number)]
        readings = set(effects.judged.readings_of(number)) if single else taken
        if single and not taken & readings:
            named.append((effects, number))
            taken |= readings
        if len(named) > MOST_NAMED:
            break
    return named


def _holm(each: _Judged, level: float) -> list[int]:
    """The candidates of a kind whose p-values are small enough together."""
    numbers = np.flatnonzero(each.usable)
    numbers = numbers[np.argsort(each.p[numbers], kind="stable")]
    enough = each.p[numbers] <= level / np.arange(len(numbers), 0, -1)
    passed = len(numbers) if enough.all() else int(np.argmin(enough))
    return [int(number) for number in numbers[:passed]]


def _part(
    effects: _Effects,
    number: int,
    level: float,
    scored: Sequence[_Scored],
    replicate_of: Integers,
    alone: NDArray[np.bool_] | None,
) -> SlowPart:
    judged = effects.judged
    own = (judged.of == number).any(axis=0)
    passes = np.array([_beside_others(each, own) for each in scored])
    effect = float(np.median([np.median(passes[replicate_of == each]) for each in range(int(replicate_of.max()) + 1)]))
    wide = effects.half_width(level)
    return SlowPart(
        kind=judged.kind.name,
        number=number,
        effect=math.expm1(effect),
        interval=(math.expm1(effect - wide), math.exp(min(effect + wide, 700.0)) - 1),
        p=float(judged.p[number]),
        readings=int(own.sum()),
        shared=alone is not None and _unshared(scored, own & alone) <= math.log1p(MARGIN),
        alone=0 if alone is None else int((own & alone).sum()),
    )


def _unshared(scored: Sequence[_Scored], own: NDArray[np.bool_]) -> float:
    """How much longer a candidate's readings that shared no link take (passes, readings), of all passes, log."""
    found = np.concatenate([each.residuals[here] for each, here in zip(scored, own, strict=True)])
    return float(np.median(found)) if len(found) else 0.0


def _beside_others(each: _Scored, own: NDArray[np.bool_]) -> float:
    """The median of a candidate's readings from the median of the others of their classes, which it is no part of."""
    found = []
    for number in np.unique(each.numbers[own]):
        here = each.numbers == number
        if (here & ~own).any():
            found.append(each.times[here & own] - np.median(each.times[here & ~own]))
    return float(np.median(np.concatenate(found))) if found else 0.0
