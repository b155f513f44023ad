"""What `assay sensitivity` answers: how much each figure of a described machine depends on each number of it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.document.params import Params
from assay.document.reported_figure import ReportedFigure


@dataclass(frozen=True, kw_only=True)
class Elasticity:
    """What a key does to a figure: `elasticity` is d ln figure / d ln key; None where the key cannot change (`why`).

    `value` of the key in SI units, or a count (`unit` ""). `step`: by which share of itself it was changed. `down`,
    `up`: by the change to less and to more alone; `bent`: they differ by more than rounding, so that the figure has a
    corner or a step near the key's value. `inert`: no change of the key, up to a third, changes a figure of this
    benchmark. `unsure`: the share by which the key's interval in [uncertainty] moves the figure either way.
    """

    key: str
    value: float
    unit: str
    benchmark: str
    figure: str
    params: Params
    elasticity: float | None
    inert: bool
    down: float | None = None
    up: float | None = None
    step: float | None = None
    bent: bool = False
    unsure: float | None = None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Improvement:
    """What a tenth of a key gains: `change` is "less" or "more" of it, `gain` the share that the figure improves by."""

    key: str
    change: str
    benchmark: str
    figure: str
    params: Params
    gain: float


@dataclass(frozen=True, kw_only=True)
class ScaledTimes:
    """The sum of the elasticities of all times of the machine, less those of its rates: 1 of a figure that is a time,
    -1 of a rate, 0 of a ratio, as far as all its time is the description's.
    """

    benchmark: str
    figure: str
    params: Params
    sum: float


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """`assay sensitivity`. `figures`: as simulated with the description as it is. Of the main figures: `improve`, what
    gains most, and `measure`, which keys' intervals move them most (None without [uncertainty]).
    """

    machine: str
    figures: list[ReportedFigure]
    keys: list[Elasticity]
    times: list[ScaledTimes]
    improve: list[Improvement]
    measure: list[Elasticity] | None
