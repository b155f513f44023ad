"""A cell's value without a simulator: what a person would take from the fitted cells with a ruler.

`nearest length`: where fitted cells differ from the cell in nothing but the length, the value of the one whose length
is nearest by its logarithm; of two equally near ones the mean. Cells that are bounds are no values.
`echo's line`: of any other message benchmark alpha + beta n, fitted to echo's used one-way times (relative residuals,
damped), with n the length of the cell, 0 where it has none: that is a time, and its inverse (messages) or n over it
(bytes) a rate. Ranks, algorithms and patterns change nothing.

A benchmark of another part has no baseline where no length is near.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.analysis.alpha_beta import relative_line
from assay.prediction.subjects import Subject

ECHO, ONE_WAY = "echo", "half_round_trip"
LEAST_LENGTHS = 3  # that a line is fitted to
NEAREST, LINE = "nearest length", "echo's line"


@dataclass(frozen=True)
class EchoLine:
    """A message of n bytes takes alpha + beta n seconds."""

    alpha: float
    beta: float


def echo_line(used: Sequence[Subject]) -> EchoLine | None:
    """The line of the used echo cells, of the nearest partner; None with fewer than three lengths."""
    times: dict[float, float] = {}
    for each in sorted(used, key=lambda of: -int(of.figure.params.get("hops") or 0)):
        if (each.figure.benchmark, each.figure.name) == (ECHO, ONE_WAY) and not each.is_bound:
            times[each.length or 0.0] = each.value
    if len(times) < LEAST_LENGTHS:
        return None
    alpha, beta = relative_line(list(times), list(times.values()))
    return EchoLine(float(alpha), float(beta))


def plain_value(of: Subject, part: str, siblings: Sequence[Subject], line: EchoLine | None) -> tuple[float, str] | None:
    """A cell's baseline (SI unit of its figure) and how it was had; None where the rules give none."""
    near = [each for each in siblings if not each.is_bound and each.length is not None]
    if near and of.length is not None:
        far = [abs(math.log1p(each.length or 0.0) - math.log1p(of.length)) for each in near]
        least = [each.value for each, at in zip(near, far, strict=True) if at <= min(far) + 1e-9]
        return sum(least) / len(least), NEAREST
    if line is None or part != "messages":
        return None
    length = of.length or 0.0
    time = line.alpha + line.beta * length
    unit = of.figure.unit
    if time <= 0 or unit not in ("s", "1/s", "B/s") or (unit == "B/s" and not length):
        return None
    return {"s": time, "1/s": 1 / time, "B/s": length / time}[unit], LINE
