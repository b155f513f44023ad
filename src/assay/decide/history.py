"""The history of a machine: where its judged figures changed their level, what else changed there, and a threshold.

The rule of alarms is `analysis/change_points.py`'s: of all judged figures together at most one false alarm per 200 runs
is expected. Every figure with a series is one of the family, whether a change of it can be shown yet or not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.analysis.change_points import (
    ALARMS_PER_RUN,
    ChangePoint,
    change_points,
    correlation_of,
    level_of,
    runs_needed,
    segments,
)
from assay.analysis.comparison import compare
from assay.decide.change_causes import find_changes
from assay.document.history import (
    Confirmation,
    FigureHistory,
    HistoryChange,
    HistoryRun,
    MachineHistory,
    RegressionVerdict,
)
from assay.document.params import Parameters

FEW = 6  # runs, below which no deviation is estimated
MISSED, NOT_SHOWN = 3, 4  # exit statuses


def history(
    machine: str,
    runs: Sequence[HistoryRun],
    series: Sequence[FigureHistory],
    limit: float | None = None,
    entered: Sequence[str] = (),
) -> MachineHistory:
    """Look for changes in every series, ordered by their run; with `limit` (1) judge whether a figure became worse."""
    level = level_of(len(series))
    by_id = {run.id: run for run in runs}
    place = {run.id: number for number, run in enumerate(runs)}
    found: list[HistoryChange] = []
    verdicts: list[RegressionVerdict] = []
    for of in series:
        points = change_points([each.value for each in of.values], level)
        found += [_change(of, points, number, by_id) for number in range(len(points))]
        if limit is not None:
            verdicts.append(_regression(of, points, level, limit))
    judged, passed = _summed(verdicts) if limit is not None else (None, None)
    return MachineHistory(
        machine=machine,
        alarms_per_run=ALARMS_PER_RUN,
        level=level,
        runs=[*runs],
        series=[*series],
        changes=sorted(found, key=lambda each: (place[each.at_run], each.figure)),
        regressions=verdicts,
        judged=judged,
        passed=passed,
        entered=[*entered],
    )


def after_confirmation(found: MachineHistory, limit: float | None) -> MachineHistory:
    """The history with what its confirmation refuted: a change that is equal, measured again, is no regression.

    The figure then meets the limit if the interval of both variants in turn excludes it, and is not shown elsewhere. It
    still misses it where the newer variant is worse now than the level before, so that something else changed for good,
    or where an earlier level was better by more.
    """
    of = found.confirmation
    if limit is None or of is None or of.verdict != "equal" or of.interval is None or of.newer is None:
        return found
    verdicts = list(found.regressions)
    for number, each in enumerate(verdicts):
        if _named(each) != _named(of) or each.state != "missed":
            continue
        series = next(one for one in found.series if _named(one) == _named(of))
        change = next(one for one in found.changes if (*_named(one), one.at_run) == (*_named(of), of.at_run))
        at = [value.run for value in series.values].index(of.at_run)
        before = replace(series, values=series.values[:at])
        points = change_points([value.value for value in before.values], found.level)
        lower = series.better == "lower"
        now, most = (_loss(ratio, lower) for ratio in (of.newer / change.before, of.interval[lower]))
        step = _step(limit, lower)
        if _regression(before, points, found.level, limit).state != "missed" and now <= step:
            verdicts[number] = replace(each, state="met" if most <= step else "not shown")
    judged, passed = _summed(verdicts)
    return replace(found, regressions=verdicts, judged=judged, passed=passed)


def _named(of: Confirmation | FigureHistory | HistoryChange | RegressionVerdict) -> tuple[str, Parameters]:
    return of.figure, of.params


def _summed(verdicts: Sequence[RegressionVerdict]) -> tuple[bool, bool]:
    """Whether all figures were judged, and all met the limit; of no figure neither."""
    states = {each.state for each in verdicts}
    return bool(states) and "not shown" not in states, states == {"met"}


def _loss(ratio: float, lower: bool) -> float:
    """By how much a figure became worse, as a logarithm."""
    return math.log(ratio) if lower else -math.log(ratio)


def _step(limit: float, lower: bool) -> float:
    """A limit as a logarithm of what is worse."""
    return math.log1p(limit) if lower else -math.log1p(-limit)


def status(found: MachineHistory) -> int:
    """The exit status: 3 where any regression is found, else 4 where for any figure none is excluded, else 0."""
    if found.passed is not False:
        return 0
    return MISSED if any(each.state == "missed" for each in found.regressions) else NOT_SHOWN


def _change(
    of: FigureHistory, points: list[ChangePoint], number: int, by_id: Mapping[str, HistoryRun]
) -> HistoryChange:
    values = [each.value for each in of.values]
    ids = [each.run for each in of.values]
    parts = segments(points, len(values))
    (start, at), (_, end) = parts[number], parts[number + 1]
    ratio = compare(values[start:at], values[at:end], paired=False)
    made_with = {run: by_id[run].made_with for run in ids}
    others = {run: by_id[run].others for run in ids}
    return HistoryChange(
        figure=of.figure,
        params=of.params,
        unit=of.unit,
        at_run=ids[at],
        found_by=ids[points[number].found],
        before=float(np.median(values[start:at])),
        after=float(np.median(values[at:end])),
        ratio=ratio.ratio,
        interval=ratio.ci95,
        worse=(ratio.ratio > 1) == (of.better == "lower"),
        p=points[number].p,
        runs_before=at - start,
        runs_after=end - at,
        changed=find_changes(ids, made_with, at, start, end, of.figure.partition(".")[0], others),
    )


def _regression(of: FigureHistory, points: list[ChangePoint], level: float, limit: float) -> RegressionVerdict:
    """Judge whether the present level is worse than the best earlier one by more than `limit`.

    Without a change it is met only where there are so many runs that a step of this size in their middle would have
    been found (`runs_needed`); after a change also where the interval of the levels' ratio excludes it, or
    the present level is the best.
    """
    lower = of.better == "lower"
    step = _step(limit, lower)
    logs = np.log([each.value for each in of.values]) * (1 if lower else -1)  # more is worse
    *earlier, (start, end) = segments(points, len(logs))
    now = logs[start:end]
    loss = max([0.0, *(float(np.median(now) - np.median(logs[first:last])) for first, last in earlier)])
    most = [compare(np.exp(logs[first:last]), np.exp(now), paired=False).ci95 for first, last in earlier]
    excluded = bool(most) and all(each is not None and math.log(each[1]) <= step for each in most)
    excluded |= bool(earlier) and loss == 0  # the last change was for the better, beyond every earlier level
    estimated = (float(np.std(now, ddof=1)), correlation_of(now)) if len(now) >= FEW else (0.0, 0.0)  # at least
    needed = runs_needed(estimated[0], step, level, estimated[1])
    if loss > step:
        state = "missed"
    else:
        state = "met" if excluded or (needed is not None and len(now) >= max(FEW, needed)) else "not shown"
    by = math.expm1(loss) if lower else -math.expm1(-loss)
    return RegressionVerdict(figure=of.figure, params=of.params, state=state, worse_by=by, runs=len(now), needed=needed)
