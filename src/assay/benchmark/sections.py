"""The sections of a record: what a key is called, its type and its default.

Most are named tuples, which are made ten times faster than dataclasses when a command starts; what decoding.key() says
of a dataclass's field, Annotated says of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple, Never

from assay.benchmark.decoding import Profile, Scalar, given, key

BASE_UNITS = "s, B, B/s, s/B, 1/s, flop/s or 1: samples and figures are kept in SI base units"
Formula = str | int | float
NONE: Mapping[str, Never] = MappingProxyType({})


@dataclass(frozen=True)
class Metric:
    """What a program samples, in an SI base unit; a `difference` of two readings may come out below zero.

    `error_of`: the metric whose readings may be off by this one's.
    """

    name: str = given()
    unit: str = key(accepted=BASE_UNITS)
    help: str = ""
    difference: bool = False
    error_of: str | None = None


@dataclass(frozen=True)
class Figure:
    """What is derived from a metric: `formula` over `value` (the metric's statistic) and the case's parameters.

    One that is `positive` by nature is not given where a difference of readings puts it at nothing or below, for the
    reason that `positive` names.
    """

    name: str = given()
    metric: str = key(accepted="the name of a [metric.NAME]")
    unit: str = key(accepted=BASE_UNITS)
    help: str = ""
    formula: str = key(default="value", problem="is no formula", accepted="a formula in quotes")
    better: Literal["lower", "higher"] = "lower"
    headline: bool = False
    positive: str = ""


class HeadlineRecord(NamedTuple):
    """`[headline.NAME]`: a figure that stands on the first screen, and the cases that it is chosen from.

    Of the cases that fit `where`, those with the most of the parameter `most`, or with `across_nodes` those between
    nodes. `bound` is a key of report/judge/bounds.py, `order` its place among those of its part.
    """

    figure: str
    title: str | None = None
    says: str | None = None
    where: Annotated[str, {"accepted": "a text, KEY=VALUE KEY=VALUE"}] = ""
    bound: str | None = None
    most: str | None = None
    statistic: str = "median"
    order: int | None = None
    advice: str | None = None
    described_advice: str | None = None
    across_nodes: bool = False


class SharesRecord(NamedTuple):
    """`[shares]`: figures of `parts`, one for `each` thread, shown as bars `over` a parameter, and their sum."""

    parts: tuple[str, ...]
    over: str
    each: str | None = None
    sum: str | None = None


class RoofRecord(NamedTuple):
    """`[roof]`: a level of memory, the arithmetic peak, or a kernel with its flops and bytes under the roof."""

    bandwidth: str | None = None
    by: str | None = None
    level: str | None = None
    ceiling: str | None = None
    flops: Formula | None = None
    bytes: Formula | None = None
    figure: str | None = None
    clock: str | None = None
    width: str | None = None
    where: str | None = None


class AccuracyRecord(NamedTuple):
    """`[accuracy]`: the `time` of variants `across` a parameter and their greatest `error`, by ranges.

    `over`: the parameter that is the range.
    """

    time: str
    error: str
    across: str
    over: str
    wrong: str | None = None


class ChoiceRecord(NamedTuple):
    """`[choice]`: the `own` value of the parameter `across`, compared with the best one by a `figure` of time."""

    figure: str
    across: str
    own: str


class ConvergenceRecord(NamedTuple):
    """`[convergence]`: the order of a method, and the solution that its errors are errors of."""

    order: int | float
    solution: str


class PeakShareRecord(NamedTuple):
    """`[peak_share]`: the figure in flop/s whose share of the arithmetic peak is shown case by case."""

    figure: str


class FirstLaunch(NamedTuple):
    """`[first_launch]`: what a program does once, in a run's first launch (execute/first_launch.py)."""

    profile: Profile
    where: str
    seconds: Annotated[float, {"above": 0}]
    does: str
    but: str = ""


class Described(NamedTuple):
    """`[described]`: a node program's metrics by a described machine's rates (execute/node_simulated.py)."""

    metric: Mapping[str, str] = NONE
    kernel: str | None = None
    length: str | None = None
    memory: str | None = None
    named: Mapping[str, str] = NONE
    only: Mapping[str, tuple[Scalar, ...]] = NONE
    cached: Mapping[str, Scalar] | None = None


class UnitSource(NamedTuple):
    """`[unit.NAME]`: a further source of the program, which is compiled by itself with flags of its own."""

    source: Annotated[str, {"accepted": "a C++ file below programs/, or beside this"}]
    flags: tuple[str, ...] = ()
