"""What a study of a described machine answers: figures of its programs by point, with intervals and assumptions."""

from __future__ import annotations

from dataclasses import dataclass

from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class ScaledFigure:
    """One figure at one point, SI units. `low`, `high`: the interval of `level` for one launch there; None where the
    machine has no [uncertainty], or nothing is drawn. `params`: the program's case.
    """

    benchmark: str
    name: str
    params: Params
    value: float
    unit: str
    low: float | None
    high: float | None
    better: str


@dataclass(frozen=True, kw_only=True)
class ScalingPoint:
    """One point of a study: what was set, on how many ranks of which machine, and what its programs gave."""

    setting: Params
    ranks: int | None
    figures: list[ScaledFigure]


@dataclass(frozen=True, kw_only=True)
class NoiseAdded:
    """What the description's noise adds to a figure: `share` is with over without, less one; its interval is of the
    draws of both.
    """

    setting: Params
    benchmark: str
    name: str
    params: Params
    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class ScalingAnswers:
    """`assay study` of a described machine. `draws` of its [uncertainty] were played; `level` is that of the intervals.

    `assumptions`: what is taken beyond what was measured. `forced`: why the answers would be refused without --force.
    """

    study: str
    title: str
    source: str
    machine: str
    draws: int
    level: float | None
    points: list[ScalingPoint]
    noise: list[NoiseAdded]
    assumptions: list[str]
    forced: str | None
