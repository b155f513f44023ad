"""Fitted numbers of a description with draws of their uncertainty, and the [uncertainty] table that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.document.fitted_run import FittedUncertainty
from assay.fitting.resampled import LEVEL
from assay.machine import units
from assay.toml.source import TomlTable

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

    def table(self) -> TomlTable:
        """An entry of `launches` of the description."""
        made: TomlTable = {"benchmark": self.benchmark, "figure": self.figure}
        if self.up_to is not None:
            made["up_to"] = f"{self.up_to:.0f} B"
        made["relative"] = float(f"{self.relative:.4g}")
        made["freedom"] = self.freedom
        if self.runs is not None:
            made["runs"] = float(f"{self.runs:.4g}")
        return made


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

    def listed(self, used: str) -> FittedUncertainty:
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

    def table(self, used: str) -> TomlTable:
        """[uncertainty] of the description."""
        intervals = [each.interval for each in self.numbers]
        ends = list(zip(self.numbers, intervals, strict=True))
        return {
            "level": LEVEL,
            "used": used,
            "keys": [", ".join(each.keys) for each in self.numbers],
            "low": [each.written(low) for each, (low, _) in ends],
            "high": [each.written(high) for each, (_, high) in ends],
            "covariance": [[float(f"{entry:.8g}") for entry in row] for row in covariance(self.numbers)],
            "not_determined": list(self.not_determined),
            "launches": [each.table() for each in self.launches],
        }


def covariance(numbers: Sequence[Estimate]) -> Floats:
    """Of the relative errors (draw / value - 1), a row for each number; numbers of other draws are independent."""
    if not numbers:
        return np.zeros((0, 0))
    relative = np.column_stack([each.draws / each.value - 1 for each in numbers])
    relative -= relative.mean(axis=0)
    return np.asarray(relative.T @ relative / max(1, len(relative) - 1))
