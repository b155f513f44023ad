"""Times by length as lines with draws of their uncertainty: one line for each range of lengths (`length_ranges`).

Where lengths were measured over several hops, each range has a plane, and a hop's delay is common to all: ranges whose
messages cross the path three times (a request and its reply first) have three times of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.fitting import bounded_range
from assay.fitting.length_ranges import LengthRange, ranges
from assay.fitting.measured_cells import MeasuredCells
from assay.fitting.resampled import DRAWS, resampled, sigma, unexplained
from assay.fitting.robust_planes import planes

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
GAMMA_TOLERANCE = 0.1  # how far a range's delay per hop may be from three times the least one
CLEAR = 3.0  # standard deviations of a jump that is none of noise


@dataclass(frozen=True)
class LengthLine:
    """T = alpha + beta N + crossings gamma h for `least` <= N <= `greatest` (B, as measured): s, s/B, s.

    `alphas`, `betas` (draws,): of their uncertainty. `up_to`: where the next range begins, and draws of it; None of the
    last. `bounds`: of a range that no line goes through, its bounds as (length, at most).
    """

    least: float
    greatest: float
    alpha: float
    beta: float
    alphas: Floats
    betas: Floats
    crossings: int = 1
    up_to: float | None = None
    limits: Floats | None = None
    bounds: tuple[tuple[float, float], ...] = ()

    @property
    def determined(self) -> bool:
        """Whether values, not bounds alone, were measured."""
        return not self.bounds


@dataclass(frozen=True)
class LengthLines:
    """All lines, a hop's delay (s, 0: unknown) with draws, and how much values scatter about them (relative)."""

    lines: tuple[LengthLine, ...]
    per_hop: float
    per_hops: Floats
    scatter: float


def length_lines(cells: MeasuredCells, seed: int = 0) -> LengthLines | None:
    """Fit the cells; None where there are fewer than two lengths with values."""
    near = cells.chosen(cells.hops == cells.hops.min()) if len(cells) else cells
    if len(np.unique(near.length[~near.bound])) < 2:
        return None
    found = ranges(near, sigma(near))
    spans = [(near.length[each.first], near.length[each.last]) for each in found]
    inside = [(cells.length >= low) & (cells.length <= high) for low, high in spans]
    straight = [at for at, each in enumerate(found) if each.determined]
    if not straight:
        return None
    hopped = len(np.unique(cells.hops)) > 1
    columns = [np.ones(len(cells)), cells.length, *([cells.hops] if hopped else [])]
    design, expected = np.column_stack(columns), sigma(cells)
    model, explained = cells.value.copy(), np.zeros(len(cells), bool)
    for at in straight:
        part = inside[at]
        model[part] = _fitted(design, cells.value[None, :], expected, cells, part)[0] @ design[part].T
        explained |= part & ~cells.bound
    scatter = unexplained(cells.chosen(explained), model[explained], expected[explained])
    values = np.vstack([cells.value, resampled(cells, np.full(len(cells), scatter), seed)])
    weights = np.sqrt(expected**2 + scatter**2)
    hop, crossings = np.zeros(len(values)), dict.fromkeys(straight, 1)
    if hopped:
        slopes = {at: _fitted(design, values, weights, cells, inside[at])[:, 2] for at in straight
                  if len(np.unique(cells.hops[inside[at] & ~cells.bound])) > 1}  # fmt: skip
        hop, crossings = _per_hop(slopes, crossings)
    lines: dict[int, LengthLine] = {}
    for at in straight:
        rest = np.maximum(values - hop[:, None] * crossings[at] * cells.hops, 0.02 * values)
        line = _fitted(design[:, :2], rest, weights, cells, inside[at])
        (low, high), (alpha, beta) = spans[at], line[0]
        lines[at] = LengthLine(
            float(low), float(high), float(alpha), float(beta), line[1:, 0], line[1:, 1], crossings[at]
        )
    least = min(each.beta for each in lines.values())
    for at in set(range(len(found))) - set(straight):
        lines[at] = _open(near, found[at], lines.get(at + 1), least, seed + at)
    joined = [lines[at] for at in range(len(found))]
    return LengthLines(tuple(_with_limits(joined, scatter, seed)), float(hop[0]), hop[1:], scatter)


def _fitted(design: Floats, values: Floats, weights: Floats, cells: MeasuredCells, part: Flags) -> Floats:
    """Coefficients (draws, columns) of the cells of one range."""
    return planes(design[part], values[:, part], weights[part], cells.bound[part])


def _per_hop(slopes: Mapping[int, Floats], crossings: dict[int, int]) -> tuple[Floats, dict[int, int]]:
    """A hop's delay (s; the first entry is the estimate, the others draws) and how often each range crosses it."""
    if not slopes:
        return np.zeros(DRAWS + 1), crossings
    least = min((float(each[0]) for each in slopes.values() if each[0] > 0), default=0.0)
    times = dict(crossings)
    if least > 0:
        for at, each in slopes.items():
            times[at] = 3 if abs(each[0] / least / 3 - 1) <= GAMMA_TOLERANCE else 1
    precision = np.array([1 / (np.var(each[1:] / times[at]) + 1e-30) for at, each in slopes.items()])
    shares = np.array([each / times[at] for at, each in slopes.items()])
    return np.asarray(precision @ shares / precision.sum()), times


def _open(near: MeasuredCells, part: LengthRange, after: LengthLine | None, least: float, seed: int) -> LengthLine:
    """A range of bounds and of at most one value: every line that they allow, up to what the next range begins with.

    `least`: no byte takes less (s/B), which is the network's.
    """
    cells = near.chosen((np.arange(len(near)) >= part.first) & (np.arange(len(near)) <= part.last))
    lengths, most = cells.length[cells.bound], cells.value[cells.bound]
    value = None if cells.bound.all() else (float(cells.length[~cells.bound][0]), float(cells.value[~cells.bound][0]))
    if after is not None:
        lengths, most = np.append(lengths, after.least), np.append(most, after.alpha + after.beta * after.least)
    pairs = bounded_range.draws(lengths, most, DRAWS, seed, least, value)
    middle = pairs.mean(axis=0)
    bounds = tuple(zip(cells.length[cells.bound].tolist(), cells.value[cells.bound].tolist(), strict=True))
    low, high = float(cells.length[0]), float(cells.length[-1])
    return LengthLine(low, high, float(middle[0]), float(middle[1]), pairs[:, 0], pairs[:, 1], bounds=bounds)


def _with_limits(lines: list[LengthLine], scatter: float, seed: int) -> list[LengthLine]:
    """Each line with where the next one begins: where both meet, if they do between the lengths that were measured.

    Else it is anywhere between these, and at the greatest power of two, where most protocols change, with a probability
    of a half.
    """
    made = []
    for place, (line, after) in enumerate(itertools.zip_longest(lines, lines[1:])):
        if after is None:
            made.append(line)
            continue
        low, high = line.greatest, max(after.least - 1, line.greatest)
        power = 2.0 ** math.floor(math.log2(max(high, 1.0)))
        middle = power if low <= power <= high else float(np.sqrt(max(low, 1.0) * max(high, 1.0)))
        random = np.random.default_rng((seed, place))
        limits = np.exp(random.uniform(np.log(max(low, 0.5)), np.log(max(high, 0.5)), DRAWS))
        limits = np.where(random.uniform(size=DRAWS) < 0.5, middle, limits)
        flatter = line.beta - after.beta
        meets = (after.alpha - line.alpha) / flatter if flatter else math.inf
        jump = abs((after.alpha + after.beta * middle) / max(line.alpha + line.beta * middle, 1e-30) - 1)
        if line.determined and after.determined and low < meets < high and jump < CLEAR * max(scatter, 0.01):
            with np.errstate(divide="ignore", invalid="ignore"):
                crossing = (after.alphas - line.alphas) / (line.betas - after.betas)
            middle, limits = meets, np.clip(np.where(np.isfinite(crossing), crossing, middle), low, high)
        made.append(replace(line, up_to=float(round(min(max(middle, low), high))), limits=limits))
    return made
