"""Times by length as lines with draws of their uncertainty: one line for each range of lengths (`length_ranges`).

Where lengths were measured over several hops, each range has a plane, and a hop's delay is common to all: ranges whose
messages cross the path three times (a request and its reply first) have three times of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.fitting import bounded_range
from assay.fitting.length_ranges import USUAL, LengthRange, ranges
from assay.fitting.measured_cells import MeasuredCells
from assay.fitting.resampled import DRAWS, lack_of_fit, resampled, sigma, unexplained
from assay.fitting.robust_planes import planes

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
GAMMA_TOLERANCE = 0.1  # how far a range's delay per hop may be from three times the least one
LOOSE = 0.4  # the same where it is surely more than the least one
FELT = 0.1  # of a range's time at its longest message, so that its time per byte is known
MOST = 6.0  # times its deviation, that a line's lack of fit is drawn
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


def without_hops(found: LengthLines, hops: float) -> LengthLines:
    """The lines of partners at so many hops, the hops' delay a part of the constant: where the topology is unknown."""
    lines = [
        replace(
            each, alpha=each.alpha + each.crossings * hops * found.per_hop,
            alphas=each.alphas + each.crossings * hops * found.per_hops, crossings=1,
        )
        for each in found.lines
    ]  # fmt: skip
    return LengthLines(tuple(lines), 0.0, np.zeros_like(found.per_hops), found.scatter)


def length_lines(cells: MeasuredCells, seed: int = 0) -> LengthLines | None:
    """Fit the cells; None where there are fewer than two lengths with values."""
    if len(np.unique(cells.length[~cells.bound])) < 2:
        return None
    found = ranges(cells, sigma(cells))
    spans = [(each.first, each.last) for each in found]
    inside = [(cells.length >= low) & (cells.length <= high) for low, high in spans]
    straight = [at for at, each in enumerate(found) if each.determined]
    if not straight:
        return None
    hopped = len(np.unique(cells.hops)) > 1
    columns = [np.ones(len(cells)), cells.length, *([cells.hops] if hopped else [])]
    design, expected = np.column_stack(columns), sigma(cells)
    values = np.vstack([cells.value, resampled(cells, seed)])
    hop, crossings = np.zeros(len(values)), dict.fromkeys(straight, 1)
    if hopped:
        slopes = {at: _fitted(design, values, expected, cells, inside[at])[:, 2] for at in straight
                  if len(np.unique(cells.hops[inside[at] & ~cells.bound])) > 1}  # fmt: skip
        hop, crossings = _per_hop(slopes, crossings)
    lines: dict[int, LengthLine] = {}
    fits: dict[int, Floats] = {}
    rests: dict[int, Floats] = {}
    left: dict[int, tuple[float, int]] = {}
    for at in straight:
        rests[at] = np.maximum(values - hop[:, None] * crossings[at] * cells.hops, 0.02 * values)
        fits[at] = _fitted(design[:, :2], rests[at], expected, cells, inside[at])
    fastest = _fastest(fits, spans)
    for at in straight:
        if at != fastest:
            least_times = np.maximum(fits[fastest][:, 1], 1e-15)
            fits[at] = _no_faster(
                least_times, rests[at][:, inside[at]], expected[inside[at]], cells.chosen(inside[at]), (seed, at)
            )
        alpha, beta = fits[at][0]
        part = cells.chosen(inside[at])
        left[at] = unexplained(part, alpha + beta * part.length + hop[0] * crossings[at] * part.hops)
    missed = lack_of_fit(left)
    for at in straight:
        (low, high), (alpha, beta) = spans[at], fits[at][0]
        deviation, free = missed[at]
        factor = np.exp(deviation * np.random.default_rng((seed, at, 1)).standard_t(free, DRAWS).clip(-MOST, MOST))
        draws = fits[at][1:] * factor[:, None]
        lines[at] = LengthLine(low, high, float(alpha), float(beta), draws[:, 0], draws[:, 1], crossings[at])
    least = min(each.beta for each in lines.values())
    scatter = max(deviation for deviation, _ in missed.values())
    for at in set(range(len(found))) - set(straight):
        lines[at] = _open(cells, found[at], lines.get(at + 1), least, seed + at)
    joined = [lines[at] for at in range(len(found))]
    return LengthLines(tuple(_with_limits(joined, found, scatter, seed)), float(hop[0]), hop[1:], scatter)


def _fitted(design: Floats, values: Floats, weights: Floats, cells: MeasuredCells, part: Flags) -> Floats:
    """Coefficients (draws, columns) of the cells of one range."""
    return planes(design[part], values[:, part], weights[part], cells.bound[part])


def _fastest(fits: Mapping[int, Floats], spans: Sequence[tuple[float, float]]) -> int:
    """The range whose time per byte is surely the least: the network's. Of those of whose time bytes are a part."""
    felt = [at for at, each in fits.items() if each[0, 1] * spans[at][1] > FELT * (each[0] @ (1.0, spans[at][1]))]
    return min(felt or [max(fits)], key=lambda at: float(fits[at][0, 1] + np.std(fits[at][1:, 1])))


def _no_faster(slopes: Floats, values: Floats, sigma: Floats, part: MeasuredCells, seed: tuple[int, int]) -> Floats:
    """Coefficients (draws, 2) of a range whose bytes take no less than the network's `slopes` (draws,).

    Nor do they take many times as long, by the prior of `length_ranges`: it is one more value, which is drawn as well.
    """
    usual = USUAL * np.random.default_rng((*seed, 2)).standard_normal(len(slopes))
    usual[0] = 0.0
    more = np.column_stack([values - slopes[:, None] * part.length, slopes * (np.exp(usual) - 1)])
    design = np.array([*([1.0, length] for length in part.length), [0.0, 1.0]])
    found = planes(
        design, more, np.append(sigma, USUAL), np.append(part.bound, False), of=np.column_stack([values, slopes])
    )
    return np.asarray(found + np.column_stack([np.zeros_like(slopes), slopes]))


def _per_hop(slopes: Mapping[int, Floats], crossings: dict[int, int]) -> tuple[Floats, dict[int, int]]:
    """A hop's delay (s; the first entry is the estimate, the others draws) and how often each range crosses it."""
    if not slopes:
        return np.zeros(DRAWS + 1), crossings
    least = min((float(each[0]) for each in slopes.values() if each[0] > 0), default=0.0)
    times = dict(crossings)
    if least > 0:
        for at, each in slopes.items():
            ratio, sure = float(each[0]) / least, float(each[0]) - least > 2 * float(np.std(each[1:]))
            times[at] = 3 if abs(ratio / 3 - 1) <= (LOOSE if sure else GAMMA_TOLERANCE) else 1
    precision = np.array([1 / (np.var(each[1:] / times[at]) + 1e-30) for at, each in slopes.items()])
    shares = np.array([each / times[at] for at, each in slopes.items()])
    return np.asarray(precision @ shares / precision.sum()), times


def _open(whole: MeasuredCells, part: LengthRange, after: LengthLine | None, least: float, seed: int) -> LengthLine:
    """A range of bounds and of at most one value: every line that they allow, up to what the next range begins with.

    `least`: no byte takes less (s/B), which is the network's.
    """
    cells = whole.chosen((whole.length >= part.first) & (whole.length <= part.last))
    lengths, most = cells.length[cells.bound], cells.value[cells.bound]
    value = None if cells.bound.all() else (float(cells.length[~cells.bound][0]), float(cells.value[~cells.bound][0]))
    if after is not None:
        lengths, most = np.append(lengths, after.least), np.append(most, after.alpha + after.beta * after.least)
    pairs = bounded_range.draws(lengths, most, DRAWS, seed, least, value)
    middle = pairs.mean(axis=0)
    bounds = tuple(zip(cells.length[cells.bound].tolist(), cells.value[cells.bound].tolist(), strict=True))
    return LengthLine(
        part.first, part.last, float(middle[0]), float(middle[1]), pairs[:, 0], pairs[:, 1], bounds=bounds
    )


def _with_limits(lines: list[LengthLine], found: Sequence[LengthRange], scatter: float, seed: int) -> list[LengthLine]:
    """Each line with where the next one begins: where both meet, if they do between the lengths that were measured.

    Else it is anywhere between these, and at the greatest power of two, where most protocols change, with a probability
    of a half. Where other places are as likely it may be there as well.
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
        others = [end for end in found[place].ends if end != line.greatest]
        if others:  # each as likely as the best one
            picked = random.integers(len(others) + 1, size=DRAWS)
            limits = np.where(picked == len(others), limits, np.array([*others, 0.0])[picked])
        made.append(replace(line, up_to=float(round(min(max(middle, low), high))), limits=limits))
    return made
