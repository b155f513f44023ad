"""`model = "rates_by_level"`: r_max, n_half and start-up of a loop by vector length, for every level of memory.

The record has a metric `time` (s) and a metric `cycles`, both of an element, `cache` (B) by `level` and, where the
program takes a curve of its own, `chase` (s) by `size`; the parameter `length`, and of each case the constants `flops`,
`paper`, `bytes`, `arrays`, `stride` and `index`. Rates come from `time`, start-up and cycles from `cycles`, so that
r_max times cycles over the clock gives the flop count: where the record has a metric `clock` (s) that is checked, and
two lines that contradict each other are rejected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from assay.analysis import cache_levels
from assay.analysis.figures import CaseSamples, Family
from assay.analysis.level_rates import (
    AGREE,
    BEST,
    BEST_RATE,
    LINE,
    LevelRates,
    best_alone,
    drop_start_up,
    exceeds_measured,
    fit_levels,
)
from assay.benchmark.record import Benchmark, Scalar
from assay.case import ParameterValue

Cells = Mapping[float, CaseSamples]
Families = Callable[[Sequence[CaseSamples], str, str], Mapping[Family, Cells]]


def fit_families(record: Benchmark, found: Sequence[CaseSamples], families: Families) -> list[dict[str, object]]:
    """Fit every family of cells that differ in length only; one entry a family and level."""
    caches, seen = _caches(found, families)
    cycles = families(found, "cycles", "length")
    cycle = _cycle(found)
    made: list[dict[str, object]] = []
    for rest, cells in families(found, "time", "length").items():
        constants = record.constants(dict(rest))
        of = {level.level: level for level in _fitted(cycles.get(rest, {}), constants, caches)}
        for level in _fitted(cells, constants, caches):
            rates, in_cycles = _agreeing(level, of.get(level.level), cycle)
            if seen is not None and level.size is not None and int(level.level[1:]) not in seen:
                rates = _with_reason(rates, NOT_SEEN)
            made.append(_entry(record, dict(rest), constants, rates, in_cycles))
    return made


NOT_SEEN = "its size as stated: the curve of dependent loads shows no edge there"
LEAST_SIZES = 3  # of a curve


def _caches(found: Sequence[CaseSamples], families: Families) -> tuple[dict[int, float], frozenset[int] | None]:
    """Bytes of the caches by number, and those that were found; None where no curve was measured.

    The system states sizes (`cache`); the curve of dependent loads that the program takes in its own memory (`chase` by
    `size`) decides where it has an edge. Each size counts with its least reading.
    """
    stated = {
        int(cell.case["level"]): float(np.median(np.concatenate(list(cell.launches.values()))))
        for cell in found
        if cell.metric == "cache"
    }
    curves = families(found, "chase", "size")
    curve = next((cells for cells in curves.values() if len(cells) >= LEAST_SIZES), None)
    if curve is None:
        return stated, None
    least = [min(float(values.min()) for values in cell.launches.values()) for cell in curve.values()]
    return cache_levels.decide(cache_levels.find_levels(list(curve), least), stated)


def _cycle(found: Sequence[CaseSamples]) -> float | None:
    """Length of a cycle (s), the median of the launches'; None where none was measured."""
    launches = [
        float(np.median(values)) for cell in found if cell.metric == "clock" for values in cell.launches.values()
    ]
    return float(np.median(launches)) if launches else None


def _agreeing(
    rates: LevelRates, cycles: LevelRates | None, cycle: float | None
) -> tuple[LevelRates, LevelRates | None]:
    """Rates with cycles that rest on the same and give the same time of an element; else without a line, or cycles.

    Time over cycles is the length of a cycle, which was measured as well; they agree within what medians do (AGREE).
    """
    if cycles is not None:
        rates, cycles = _with_one_start_up(rates, cycles)
    if exceeds_measured(rates):
        rates = best_alone(rates, f"no line: {rates.reason}")
    if cycles is None:
        return rates, None
    if rates.basis == LINE and cycles.basis == BEST:
        return _without_cycles(rates, f"of cycles {(cycles.reason or '').removesuffix(BEST_RATE)}")
    if rates.basis == BEST and cycles.basis == LINE:
        cycles = best_alone(cycles, "")
    if cycle is None:
        return rates, cycles
    share = rates.r_max / cycles.r_max * cycle  # of the flop count that both give together
    if abs(share - 1) <= AGREE:
        return rates, cycles
    if rates.basis == LINE:
        why = f"no line: r_max times cycles over the clock would be {share:.2g} of the flop count"
        return _agreeing(best_alone(rates, why), cycles, cycle)
    return _without_cycles(rates, f"with this rate and the clock they would give {share:.2g} of the flop count")


def _with_one_start_up(rates: LevelRates, cycles: LevelRates) -> tuple[LevelRates, LevelRates]:
    """Start-up and n_half, the start-up in elements, where both lines have them and their ranges meet; else neither."""
    if rates.basis != LINE or cycles.basis != LINE:
        return rates, cycles
    own, other = rates.n_half_range, cycles.n_half_range
    if own is not None and other is not None:
        if max(own[0], other[0]) * (1 - AGREE) <= min(own[1], other[1]):
            return rates, cycles
        why = f"n_half would be {_between(own)} by times, {_between(other)} by cycles"
    elif own is None and other is None:
        return rates, cycles
    else:
        lacking, kind = (rates, "times") if own is None else (cycles, "cycles")
        why = f"by the line of {kind} {lacking.reason}"
    reason = f"no start-up: {why}"
    return drop_start_up(rates, reason), drop_start_up(cycles, cycles.reason)


def _without_cycles(rates: LevelRates, why: str) -> tuple[LevelRates, None]:
    return _with_reason(rates, f"no cycles: {why}"), None


def _with_reason(rates: LevelRates, why: str) -> LevelRates:
    return replace(rates, reason="; ".join(filter(None, (rates.reason, why))))


def _fitted(cells: Cells, constants: Mapping[str, Scalar], caches: Mapping[int, float]) -> list[LevelRates]:
    """Lines over the passes' times: s, or cycles where the cells hold those."""
    passes = {
        length: {key: length * float(np.median(values)) for key, values in cell.launches.items()}
        for length, cell in cells.items()
    }
    return fit_levels(passes, footprints(list(passes), constants), caches)


def footprints(lengths: npt.ArrayLike, constants: Mapping[str, Scalar]) -> npt.NDArray[np.float64]:
    """Bytes that vectors of `lengths` (n,) take up, with what lies between strided elements and with their indices."""
    each = 8 * float(constants["arrays"]) * float(constants["stride"]) + float(constants["index"])
    return np.asarray(np.asarray(lengths, float) * each)


def _entry(
    record: Benchmark,
    rest: dict[str, ParameterValue],
    constants: Mapping[str, Scalar],
    rates: LevelRates,
    cycles: LevelRates | None,
) -> dict[str, object]:
    flops = float(constants["flops"])
    paper = round(float(constants["paper"]))  # one of a copy, whose 0.76 is a misprint of its cycles
    moved = float(constants["bytes"]) + float(constants["index"])
    start = None if cycles is None or cycles.start_up is None else cycles.start_up
    each = None if cycles is None else 1 / cycles.r_max
    return {
        "benchmark": record.name,
        "figure": "rate",
        "params": rest,
        "law": "rates_by_level",
        "level": rates.level,
        "size": rates.size,
        "lengths": list(rates.lengths),
        "basis": rates.basis,
        "r_max": flops * rates.r_max,
        "r_max_ci95": None if rates.r_max_ci95 is None else [flops * end for end in rates.r_max_ci95],
        "r_max_paper": paper * rates.r_max,
        "bandwidth": moved * rates.r_max,
        "intensity": flops / moved,
        "n_half": rates.n_half,
        "n_half_ci95": None if rates.n_half_ci95 is None else list(rates.n_half_ci95),
        "n_half_range": None if rates.n_half_range is None else list(rates.n_half_range),
        "start_up_cycles": start,
        "start_up_cycles_range": None if cycles is None or cycles.start_up_range is None else [*cycles.start_up_range],
        "best_measured": flops * rates.best,
        "cycles_per_element": each,
        "reason": rates.reason,
        "text": _text(rates, cycles, flops),
    }


def _text(rates: LevelRates, cycles: LevelRates | None, flops: float) -> str:
    rate, best = flops * rates.r_max, flops * rates.best
    power = min(max(int(math.log10(rate) // 3), 2), 4)  # Mflop/s to Tflop/s
    what = "r_max" if rates.basis == LINE else "at least"
    seen = f" by its line ({best / 1000**power:.4g} measured)" if rates.basis == LINE else ""
    parts = [f"{rates.level}: {what} {rate / 1000**power:.4g} {' kMGT'[power]}flop/s{seen}"]
    if rates.n_half is not None and rates.n_half_range is not None:
        parts.append(f"n_half {rates.n_half:.3g} ({_between(rates.n_half_range)})")
    if cycles is not None:
        most = "" if rates.basis == LINE else "at most "
        parts.append(f"{most}{1 / cycles.r_max:.3g} cycles per element")
        if cycles.start_up is not None and cycles.start_up_range is not None:
            parts.append(f"start-up {cycles.start_up:.3g} cycles ({_between(cycles.start_up_range)})")
    return ", ".join(parts) + (f" ({rates.reason})" if rates.reason else "")


def _between(ends: Sequence[float]) -> str:
    return f"{ends[0]:.3g} to {ends[1]:.3g}"
