"""Fitted numbers of a description with draws of their uncertainty, and the [uncertainty] table that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.fitting.resampled import LEVEL
from assay.machine import units

Floats = NDArray[np.float64]
DIGITS = 6
LEAST_PART = 1e-9  # of the estimate: a number that is 0 has no relative error


@dataclass(frozen=True)
class Estimate:
    """A number at `keys`, which share it: its value (SI) in the unit in which it is written, and draws, (draws,)."""

    keys: tuple[str, ...]
    value: float
    unit: str
    draws: Floats

    @property
    def interval(self) -> tuple[float, float]:
        """From and to (SI) at LEVEL; the value lies between."""
        low, high = np.quantile(self.draws, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
        return max(min(float(low), self.value), 0.0), max(float(high), self.value)

    def written(self, value: float) -> str | float:
        """A value (SI) as a description has it."""
        if self.unit == "B":
            return f"{value:.0f} B"
        if not self.unit:
            return float(f"{value:.{DIGITS}g}")
        return f"{value / float(units.unit(self.unit)[1]):.{DIGITS}g} {self.unit}"


@dataclass(frozen=True)
class LaunchSpreadFound:
    """Spread between launches of a figure's median, of lengths up to `up_to` B (None: all longer ones).

    `freedom`: degrees of freedom of `relative`. `runs`: the spread between runs, beyond what their launches explain;
    None where there was one run.
    """

    benchmark: str
    figure: str
    up_to: float | None
    relative: float
    freedom: int
    runs: float | None = None


@dataclass
class Estimates:
    """All numbers of one description, and what the run does not determine, in words."""

    numbers: list[Estimate] = field(default_factory=list)
    launches: list[LaunchSpreadFound] = field(default_factory=list)
    not_determined: list[str] = field(default_factory=list)

    def add(self, keys: Sequence[str], value: float, unit: str, draws: Floats) -> str | float:
        """Enter a number; return it as the description has it. One that is 0 is written, and not entered."""
        made = Estimate(tuple(keys), value, unit, np.asarray(draws, float))
        if value > 0:
            self.numbers.append(made)
        return made.written(value)

    def listed(self, used: str) -> dict[str, Any]:
        """The same for a document: each number in SI units, with its interval and its text."""
        return {
            "level": LEVEL,
            "used": used,
            "keys": [
                {"keys": list(each.keys), "value": each.value, "low": each.interval[0], "high": each.interval[1],
                 "unit": str(units.unit(each.unit)[0]) if each.unit else "1", "text": str(each.written(each.value))}
                for each in self.numbers
            ],
            "not_determined": list(self.not_determined),
        }  # fmt: skip

    def table(self, used: str) -> dict[str, Any]:
        """[uncertainty] of the description."""
        made: dict[str, Any] = {"level": LEVEL, "used": used}
        intervals = [each.interval for each in self.numbers]
        made["keys"] = [", ".join(each.keys) for each in self.numbers]
        ends = zip(self.numbers, intervals, strict=True)
        made |= {"low": [], "high": []}
        for each, (low, high) in ends:
            made["low"].append(each.written(low))
            made["high"].append(each.written(high))
        made["covariance"] = [[float(f"{entry:.8g}") for entry in row] for row in covariance(self.numbers)]
        made["not_determined"] = list(self.not_determined)
        made["launches"] = [
            {"benchmark": each.benchmark, "figure": each.figure}
            | ({} if each.up_to is None else {"up_to": f"{each.up_to:.0f} B"})
            | {"relative": float(f"{each.relative:.4g}"), "freedom": each.freedom}
            | ({} if each.runs is None else {"runs": float(f"{each.runs:.4g}")})
            for each in self.launches
        ]
        return made


def covariance(numbers: Sequence[Estimate]) -> Floats:
    """Of the relative errors (draw / value - 1), a row for each number; numbers of other draws are independent."""
    if not numbers:
        return np.zeros((0, 0))
    relative = np.column_stack([each.draws / each.value - 1 for each in numbers])
    relative -= relative.mean(axis=0)
    return np.asarray(relative.T @ relative / max(1, len(relative) - 1))
