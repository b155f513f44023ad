"""Where a series of runs changed its level: at most one false alarm per 200 runs, over all judged figures together.

The rule is sequential, since every run is a further look. After each run, the values since the last change are tested
for one step. The level of each test is 1 / (200 F) of F judged figures, so that the expected number of false alarms is
at most one per 200 runs, whatever ties the figures and the looks to each other (a sum of expectations). A change is
final: it is not tested again, and the next test takes the values from it on.

The test works on logarithms. Its statistic is the greatest CUSUM over all splits with at least `LEAST` runs on either
side; its null distribution comes from random permutations, drawn until `ENOUGH` of them are as great (Besag and
Clifford), so that most looks cost a hundred. Of the values the two greatest count as the third, and so do the two
least: an outlier hides no step, and no level of `LEAST` runs is touched. Successive runs are similar: the
residuals' lag-1 correlation is estimated after the best split, from above, and removed (x[t] - r x[t-1]) before
anything is permuted; the rate holds for correlations up to 0.5 (docs/history.md has the simulations).

The place of a change is ruptures' optimal split under the absolute error, which an outlier does not move; it is looked
for once more with the values up to the next change.

Source: Pettitt 1979 and Zeileis and Hothorn 2013 (permutation tests of change points); Besag and Clifford 1991;
ruptures (Truong, Oudre, Vayatis 2020); Marriott and Pope 1954 (the bias).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
ALARMS_PER_RUN = 1 / 200  # false ones, over all figures
LEAST = 3  # runs on either side of a change
MOST = 200  # runs that one test takes, the newest
ENOUGH = 10  # permutations as great as the data, after which no more are drawn
DRAWS = 10  # times 1 / level: the most permutations
BATCH = 128
MOST_CORRELATION = 0.8
POWER = 0.8  # with which a step is found in `runs_needed` runs


@dataclass(frozen=True)
class ChangePoint(AnalysisResult):
    """A step at value number `at`, which is the first at the new level; `found`: that of the run that showed it."""

    at: int
    found: int
    p: float


def level_of(figures: int) -> float:
    """The level of one test of one of so many judged figures."""
    return ALARMS_PER_RUN / max(1, figures)


def change_points(values: ArrayLike, level: float, seed: int = 1) -> list[ChangePoint]:
    """Find the steps of a series of positive values, in the order of their runs, each test at `level`.

    ValueError where a value is not positive.
    """
    given = np.asarray(values, float)
    if not (np.isfinite(given) & (given > 0)).all():
        raise ValueError("a value is not positive")
    logs = np.log(given)
    dice = np.random.default_rng(seed)
    found: list[ChangePoint] = []
    start = 0
    for last in range(2 * LEAST, len(logs) + 1):
        since = logs[max(start, last - MOST) : last]
        if len(since) < 2 * LEAST or not separable(len(since), level):
            continue
        p = step_p(since, level, dice)
        if p <= level:
            start = last - len(since) + split(since)
            found.append(ChangePoint(start, last - 1, p))
    ends = [0, *(each.at for each in found), len(logs)]
    for number, each in enumerate(found):  # later values locate it better
        before, after = ends[number], ends[number + 2]
        ends[number + 1] = before + split(logs[before:after])
        found[number] = ChangePoint(ends[number + 1], each.found, each.p)
    return found


def segments(changes: list[ChangePoint], length: int) -> list[tuple[int, int]]:
    """First value, and the one after the last, of each stretch between changes."""
    return list(pairwise([0, *(each.at for each in changes), length]))


def split(logs: Floats) -> int:
    """Give the first value after the best single step."""
    import ruptures  # a second and a half that most histories need not spend

    search = ruptures.Dynp(model="l1", min_size=LEAST, jump=1).fit(logs.reshape(-1, 1))
    return int(search.predict(n_bkps=1)[0])


def step_p(logs: Floats, level: float, dice: np.random.Generator) -> float:
    """The probability of so great a step among values of one level (1)."""
    ordered = np.sort(logs)
    white = _white(np.clip(logs, ordered[LEAST - 1], ordered[-LEAST]))
    seen = float(_greatest(white[None, :])[0])
    if seen <= 1e-12 * (1 + float(np.abs(logs).max())):  # one value again and again
        return 1.0
    as_great = drawn = 0
    most = math.ceil(DRAWS / level)
    while drawn < most:
        batch = dice.permuted(np.broadcast_to(white, (BATCH, len(white))), axis=1)
        for great in _greatest(batch) >= seen * (1 - 1e-9):
            drawn += 1
            as_great += bool(great)
            if as_great == ENOUGH:
                return as_great / drawn
    return (as_great + 1) / (drawn + 1)


def _greatest(rows: Floats) -> Floats:
    """The greatest CUSUM of each row: the difference of both means in units of its error, but for the deviation."""
    length = rows.shape[1]
    before = np.arange(LEAST, length - LEAST + 1)
    sums = np.cumsum(rows - rows.mean(axis=1, keepdims=True), axis=1)[:, LEAST - 1 : length - LEAST]
    found: Floats = np.max(np.abs(sums) / np.sqrt(before * (length - before) / length), axis=1)
    return found


def _white(logs: Floats) -> Floats:
    """The values without their lag-1 correlation; the first one is lost where there is any."""
    correlation = correlation_of(logs)
    return logs if correlation == 0 else logs[1:] - correlation * logs[:-1]


def correlation_of(logs: Floats) -> float:
    """Lag-1 correlation (0 to `MOST_CORRELATION`) about the two levels of the best split: an upper estimate.

    Corrected for its bias, and one standard error above it: too little of it removed would be a false alarm.
    """
    length = len(logs)
    before = np.arange(LEAST, length - LEAST + 1)
    sums = np.cumsum(logs - logs.mean())[LEAST - 1 : length - LEAST]
    at = LEAST + int(np.argmax(np.abs(sums) / np.sqrt(before * (length - before))))
    rest = np.concatenate([logs[:at] - logs[:at].mean(), logs[at:] - logs[at:].mean()])
    total = float(rest @ rest)
    if total <= 0:
        return 0.0
    seen = float(rest[1:] @ rest[:-1]) / total
    least = seen + 2 * (1 + 4 * max(0.0, seen)) / length
    return min(MOST_CORRELATION, max(0.0, least + 1 / math.sqrt(length)))


def separable(runs: int, level: float) -> bool:
    """Whether so many runs can show any step at this level: two levels without noise have one order in so many."""
    return math.comb(runs, runs // 2) * level >= 2


def runs_needed(deviation: float, step: float, level: float, correlation: float = 0.0) -> int | None:
    """Predict in how many runs a step of this log size in their middle is found with the power `POWER`.

    `deviation`: of the log values about their level. None beyond 10,000.
    """
    from scipy import stats

    noise = deviation * math.sqrt((1 + correlation) / (1 - correlation))
    for runs in range(2 * LEAST, 10_001, 2):
        limit = stats.norm.isf(level / 2 / math.sqrt(runs))  # neighbouring splits are nearly the same test
        needed = limit * math.hypot(noise, step / 2) + stats.norm.isf(1 - POWER) * noise
        if separable(runs, level) and step * math.sqrt(runs) / 2 >= needed:
            return runs
    return None
