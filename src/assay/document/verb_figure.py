"""A figure as every verb's `figures` lists it, the same keys in all of them: plain data in SI units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from assay.case import Parameters


class VerbFigure(TypedDict):
    """One figure; a verb adds what it knows of it: how good it is, what it is of, what it was compared with.

    `ci95`, `range`, `interval`: lower and upper end. `pairs_needed`: how many would decide a comparison. `sides`: of
    two variants in turn, median and tail of A and B (`a`, `b` in `unit`) and the ratio B / A by pairs (`ratio`).
    """

    name: str
    value: float | None
    unit: str
    statistic: str
    params: Parameters
    ci95: NotRequired[Sequence[float | None] | None]
    range: NotRequired[Sequence[float | None] | None]
    state: NotRequired[str]
    estimator: NotRequired[str]
    disturbance: NotRequired[Mapping[str, float | None] | None]
    kind: NotRequired[str]
    run: NotRequired[str]
    benchmark: NotRequired[str]
    machine: NotRequired[str]
    published: NotRequired[float]
    source: NotRequired[str]
    error: NotRequired[float | None]
    verdict: NotRequired[str | None]
    measured: NotRequired[float | None]
    better: NotRequired[str]
    interval: NotRequired[Sequence[float | None] | None]
    pairs: NotRequired[int]
    deviation: NotRequired[float | None]
    pairs_needed: NotRequired[int | None]
    reason: NotRequired[str | None]
    sides: NotRequired[Mapping[str, Mapping[str, object]]]
    launches: NotRequired[int]
