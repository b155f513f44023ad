"""How well a description's numbers are known: [uncertainty] in SI units, draws from it, a description with a draw.

A draw is normal in each number, with the covariance's correlations. Its two halves have the widths of the interval's
two halves, so that an interval need not be symmetric; ends and covariance agree where it is. A draw is positive, and a
limit of lengths (`up_to`) stays within its interval.

Of a variant, and of keys that were set from outside, only numbers that are still the fitted ones have an uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.described.dotted_numbers import number_at, read_as
from assay.described.uncertainty_tables import split

if TYPE_CHECKING:
    from assay.described.machine_file import DescribedMachine

LEAST = 1e-3  # of an estimate: the least that a draw gives, since most keys must be positive


@dataclass(frozen=True)
class LaunchSpread:
    """`relative` standard deviation of one launch's median, of messages up to `up_to` B (None: all longer ones).

    `runs`: that between runs, beyond what their launches explain; 0 where it is not known. `freedom`: degrees of
    freedom of `relative`; None where it is exact.
    """

    benchmark: str
    figure: str
    up_to: float | None
    relative: float
    runs: float = 0.0
    freedom: float | None = None


@dataclass(frozen=True)
class Uncertainty:
    """`keys`: by entry the keys that share one number, whose estimate is `values` (SI of the unit that the file writes
    it in) with `intervals` of `level`; `covariance` of the relative errors (value / estimate - 1) by entry.
    """

    level: float
    used: str
    keys: tuple[tuple[str, ...], ...]
    values: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]
    covariance: tuple[tuple[float, ...], ...]
    launches: tuple[LaunchSpread, ...]
    not_determined: tuple[str, ...]

    def draws(self, count: int, seed: int) -> list[dict[str, float]]:
        """`count` draws of all numbers by dotted key (SI). The same seed gives the same draws."""
        import numpy as np
        from scipy.special import ndtri

        if not self.keys:
            return [{} for _ in range(count)]
        covariance = np.array(self.covariance, float)
        deviations = np.sqrt(np.clip(np.diag(covariance), 0.0, None))
        scale = np.where(deviations > 0, deviations, 1.0)
        variances, directions = np.linalg.eigh((covariance + covariance.T) / 2 / np.outer(scale, scale))
        unit = np.random.default_rng(seed).standard_normal((count, len(self.keys)))
        normal = unit * np.sqrt(np.clip(variances, 0.0, None)) @ directions.T
        end = float(ndtri(0.5 + self.level / 2))
        values, (low, high) = np.array(self.values), np.array(self.intervals).T
        drawn = values + normal / end * np.where(normal > 0, high - values, values - low)
        limits = np.array([keys[0].endswith("up_to") for keys in self.keys])
        drawn = np.where(limits, np.clip(drawn, low, high), np.maximum(drawn, LEAST * values))
        return [
            {key: float(value) for keys, value in zip(self.keys, row, strict=True) for key in keys} for row in drawn
        ]

    def spread(self, benchmark: str, figure: str, length: float | None = None) -> float | None:
        """Relative standard deviation of one launch's median of this figure at this length (B).

        Of a figure that has no entry, the median of those of its benchmark, else of all; None where there is none.
        """
        found = self._entry(benchmark, figure, length)
        return None if found is None else found.relative

    def spread_of_runs(self, benchmark: str, figure: str, length: float | None = None) -> float:
        """The same between runs, beyond what their launches explain; 0 where it is not known."""
        found = self._entry(benchmark, figure, length)
        return 0.0 if found is None else found.runs

    def freedom(self, benchmark: str, figure: str, length: float | None = None) -> float | None:
        """Degrees of freedom of the spread between launches; None where it is exact, or there is none."""
        found = self._entry(benchmark, figure, length)
        return None if found is None else found.freedom

    def _entry(self, benchmark: str, figure: str, length: float | None) -> LaunchSpread | None:
        own = [each for each in self.launches if (each.benchmark, each.figure) == (benchmark, figure)]
        for each in sorted(own, key=lambda of: float("inf") if of.up_to is None else of.up_to):
            if length is None or each.up_to is None or length <= each.up_to:
                return each
        near = own or [each for each in self.launches if each.benchmark == benchmark] or list(self.launches)
        ordered = sorted(near, key=lambda each: each.relative)
        return ordered[len(ordered) // 2] if ordered else None


def uncertainty(description: DescribedMachine) -> Uncertainty | None:
    """The description's [uncertainty], of the keys that it still has as they were fitted; None where it has none."""
    table = description.uncertainty
    if table is None:
        return None
    kept: dict[int, tuple[str, ...]] = {}
    for place, entry in enumerate(table.keys):
        if keys := tuple(key for each in split(entry) if (key := _as_fitted(description, each)) is not None):
            kept[place] = keys
    numbers = {place: number_at(description.own, keys[0]) for place, keys in kept.items()}
    return Uncertainty(
        level=table.level,
        used=table.used,
        keys=tuple(kept.values()),
        values=tuple(value for value, _ in numbers.values()),
        intervals=tuple(
            (read_as(table.low[place], written), read_as(table.high[place], written))
            for place, (_, written) in numbers.items()
        ),
        covariance=tuple(tuple(table.covariance[row][column] for column in kept) for row in kept),
        launches=tuple(
            LaunchSpread(e.benchmark, e.figure, e.up_to, e.relative, e.runs, e.freedom) for e in table.launches
        ),
        not_determined=tuple(table.not_determined),
    )


def drawn(description: DescribedMachine, draw: Mapping[str, float]) -> DescribedMachine:
    """The description with the values of a draw (SI) at its dotted keys; ticks and lengths in whole numbers."""
    return description.with_values(draw)


def _as_fitted(description: DescribedMachine, key: str) -> str | None:
    """A key of the file as the description has it; None where that has another number there, or none.

    The keys of a variant (`variant.read.storage.device.access`) are that variant's.
    """
    prefix = f"variant.{description.chosen}."
    if key.startswith("variant.") and not (description.chosen and key.startswith(prefix)):
        return None
    own = key.removeprefix(prefix)
    try:
        return own if number_at(description.own, own) == number_at(description.filed, key) else None
    except LookupError:
        return None
