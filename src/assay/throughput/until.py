"""From which value of a swept key on a condition holds: `--until 'mean_wait < 1h' --set machine.nodes=64,128,256`.

The condition is judged at every swept value, in ascending order, by the mean over seeds where seeds are swept as well.
Between the two neighbours where only one meets it, whole numbers are halved until they are adjacent. Bisection
assumes that there is one change; where the sweep shows more, the answer notes it and is that of the first. A value at
which jobs are refused that another swept value takes does not meet the condition: it is of a smaller workload.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.errors import InputError
from assay.machine.units import quantity
from assay.throughput.results import ThroughputResult
from assay.throughput.seeds import SEEDS, SeedMean, mean_of

TIMES = ("makespan", "mean_wait", "median_wait", "longest_wait", "mean_response", "least_makespan")
RATIOS = ("utilisation", "efficiency", "bounded_slowdown", "fairness")
CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*(\S.*?)\s*")
ACCEPTED = "METRIC < VALUE (or <=, >, >=), such as 'mean_wait < 1h' or 'utilisation > 80%'"


@dataclass(frozen=True)
class Condition:
    """`metric` of a result compared with `value`, in SI units."""

    metric: str
    sign: str
    value: float
    text: str

    def holds(self, value: float) -> bool:
        """Whether a value meets it."""
        strictly = value < self.value if "<" in self.sign else value > self.value
        return strictly or ("=" in self.sign and value == self.value)

    def of(self, result: ThroughputResult) -> float:
        """The metric of a result. InputError where it has none."""
        if self.metric != "fairness":
            return float(getattr(result, self.metric))
        if result.fairness is None or not result.fairness.groups:
            raise InputError("needs jobs of two users or programs", key="--until", value=self.text)
        return result.fairness.index


@dataclass(frozen=True, kw_only=True)
class UntilPoint:
    """A value of the swept key: the metric there, over seeds its mean with a 95% interval (three or more).

    `refused`: jobs that do not fit there, over all seeds.
    """

    value: str
    metric: float
    ci95: tuple[float, float] | None
    holds: bool
    refused: int = 0


@dataclass(frozen=True, kw_only=True)
class UntilAnswer:
    """For one combination of the other settings: the neighbours between which the condition changes.

    `outcome`: "bracketed", or "always" or "never" where the sweep does not bracket it. `first`: the value next to the
    change that meets it, `last` the one that does not. `certain`: of the values that were looked at on the side of
    `first` the nearest whose whole interval meets it. `changes`: how often the verdict changes over the swept values.
    """

    setting: dict[str, str]
    outcome: str
    first: UntilPoint | None
    last: UntilPoint | None
    certain: UntilPoint | None
    changes: int
    points: list[UntilPoint]


@dataclass(frozen=True, kw_only=True)
class Until:
    """`condition` as it was given, the `key` that was swept for it, an answer for each combination of the others."""

    condition: str
    key: str
    answers: list[UntilAnswer]


def condition(text: str) -> Condition:
    """Read `--until`; InputError for what is no condition."""
    match = CONDITION.fullmatch(text)
    if match is None:
        raise InputError("is no condition", key="--until", value=text, accepted=ACCEPTED)
    metric, sign, value = match.groups()
    if metric not in (*TIMES, *RATIOS):
        accepted = ", ".join((*TIMES, *RATIOS))
        raise InputError("there is no such metric", key="--until", value=metric, accepted=accepted)
    number = _value(value, metric in TIMES)
    if number is None or not math.isfinite(number):
        accepted = 'a time such as "1h", "30 min", "2.3 days"' if metric in TIMES else 'a number such as "0.8", "80%"'
        raise InputError(f"is no value of {metric}", key="--until", value=value, accepted=accepted)
    return Condition(metric, sign, number, text.strip())


def _value(text: str, is_time: bool) -> float | None:
    match = re.fullmatch(r"([-+.\deE]*\d\.?)\s*([a-zA-Zµμ%]*)", text)
    if match is None:
        return None
    number, unit = match.groups()
    try:
        return float(quantity(f"{number} {unit}", "s" if is_time else "1")) if unit else float(number)
    except ValueError:
        return None


def swept_key(axes: Mapping[str, Sequence[str]]) -> str:
    """The first key with several values that are all numbers and no seeds; InputError where there is none."""
    for key, values in axes.items():
        if len(values) > 1 and key not in SEEDS and all(_number(value) is not None for value in values):
            return key
    accepted = "--set KEY=V1,V2,… with numbers, such as machine.nodes=64,128,256"
    raise InputError("needs a key that is swept", key="--until", accepted=accepted)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def until(
    wanted: Condition, key: str, axes: Mapping[str, Sequence[str]],
    simulate: Callable[[Mapping[str, str]], ThroughputResult],
) -> Until:  # fmt: skip
    """Answer for every combination of the settings other than `key` and the seeds. `simulate`: by a whole setting."""
    import itertools

    others = [name for name in axes if name != key and name not in SEEDS]
    seeds = [name for name in axes if name in SEEDS]
    several = [name for name in others if len(axes[name]) > 1]
    answers = []
    for values in itertools.product(*(axes[name] for name in others)):
        own = dict(zip(others, values, strict=True))

        def look(value: str, own: dict[str, str] = own) -> UntilPoint:
            results = [
                simulate({**own, key: value, **dict(zip(seeds, drawn, strict=True))})
                for drawn in itertools.product(*(axes[name] for name in seeds))
            ]
            found = [wanted.of(each) for each in results]
            refused = sum(each.refused_jobs for each in results)
            over: SeedMean | None = mean_of(found, wanted.metric)
            metric = over.mean if over is not None else sum(found) / len(found)
            ci95 = over.ci95 if over is not None else None
            return UntilPoint(value=value, metric=metric, ci95=ci95, holds=wanted.holds(metric), refused=refused)

        setting = {name: own[name] for name in several}
        answers.append(_answer(wanted, setting, sorted(set(axes[key]), key=float), look))
    return Until(condition=wanted.text, key=key, answers=answers)


def _answer(
    wanted: Condition, setting: dict[str, str], values: Sequence[str], look: Callable[[str], UntilPoint]
) -> UntilAnswer:
    points = [look(value) for value in values]
    taken = min(point.refused for point in points)  # all jobs, or all that any of the values takes

    def judged(point: UntilPoint) -> UntilPoint:
        return replace(point, holds=point.holds and point.refused <= taken)

    points = [judged(point) for point in points]
    changes = [at for at in range(1, len(points)) if points[at].holds != points[at - 1].holds]
    if not changes:
        outcome = "always" if points[0].holds else "never"
        return UntilAnswer(
            setting=setting, outcome=outcome, first=None, last=None, certain=None, changes=0, points=points
        )
    low, high = points[changes[0] - 1], points[changes[0]]
    while (middle := _between(low.value, high.value)) is not None:
        point = judged(look(middle))
        points.append(point)
        low, high = (point, high) if point.holds == low.holds else (low, point)
    first, last = (low, high) if low.holds else (high, low)
    points.sort(key=lambda point: float(point.value))
    above = first is high
    side = [point for point in points if (float(point.value) >= float(first.value)) == above or point is first]
    sure = [point for point in side if point.ci95 is not None and all(wanted.holds(end) for end in point.ci95)]
    return UntilAnswer(
        setting=setting,
        outcome="bracketed",
        first=first,
        last=last,
        certain=min(sure, key=lambda point: abs(float(point.value) - float(first.value)), default=None),
        changes=len(changes),
        points=points,
    )


def _between(low: str, high: str) -> str | None:
    """The whole number half way between two; None where there is none, or they are no whole numbers."""
    try:
        ends = int(low), int(high)
    except ValueError:
        return None
    return str(sum(ends) // 2) if ends[1] - ends[0] > 1 else None
