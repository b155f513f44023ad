"""The history of a machine: where its judged figures changed their level, what else changed there, and a threshold.

The rule of alarms is `analysis/change_points.py`'s: of all judged figures together at most one false alarm per 200 runs
is expected. Every figure with a series is one of the family, whether a change of it can be shown yet or not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

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
from assay.document.history import FigureHistory, HistoryChange, HistoryRun, MachineHistory, RegressionVerdict

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
    made_with = {run.id: run.made_with for run in runs}
    place = {run.id: number for number, run in enumerate(runs)}
    found: list[HistoryChange] = []
    verdicts: list[RegressionVerdict] = []
    for of in series:
        points = change_points([each.value for each in of.values], level)
        found += [_change(of, points, number, made_with) for number in range(len(points))]
        if limit is not None:
            verdicts.append(_regression(of, points, level, limit))
    states = {each.state for each in verdicts}
    return MachineHistory(
        machine=machine,
        alarms_per_run=ALARMS_PER_RUN,
        level=level,
        runs=[*runs],
        series=[*series],
        changes=sorted(found, key=lambda each: (place[each.at_run], each.figure)),
        regressions=verdicts,
        judged=None if limit is None else bool(states) and "not shown" not in states,
        passed=None if limit is None else states == {"met"},
        entered=[*entered],
    )


def status(found: MachineHistory) -> int:
    """The exit status: 3 where any regression is found, else 4 where for any figure none is excluded, else 0."""
    if found.passed is not False:
        return 0
    return MISSED if any(each.state == "missed" for each in found.regressions) else NOT_SHOWN


def _change(
    of: FigureHistory, points: list[ChangePoint], number: int, made_with: Mapping[str, Mapping[str, str]]
) -> HistoryChange:
    values = [each.value for each in of.values]
    ids = [each.run for each in of.values]
    parts = segments(points, len(values))
    (start, at), (_, end) = parts[number], parts[number + 1]
    ratio = compare(values[start:at], values[at:end], paired=False)
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
        changed=find_changes(ids, made_with, at, start, end, of.figure.partition(".")[0]),
    )


def _regression(of: FigureHistory, points: list[ChangePoint], level: float, limit: float) -> RegressionVerdict:
    """Judge whether the present level is worse than the best earlier one by more than `limit`.

    Without a change it is met only where there are so many runs that a step of this size in their middle would have
    been found (`runs_needed`); after a change also where the interval of the levels' ratio excludes it, or
    the present level is the best.
    """
    lower = of.better == "lower"
    step = math.log1p(limit) if lower else -math.log1p(-limit)
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
