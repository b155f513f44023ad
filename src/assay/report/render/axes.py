"""Axes of the plots in people's units: where the ticks are and what stands at them, for either kind of axis.

Data stay in SI base units. A tick is written as a person would write the value ("200 ns", "4 KiB", "10 GB/s"), so
that an axis never reads "0.001" beside "100u". The page takes `ticks` of the kind that an axis is switched to; zoomed
in, the library chooses ticks by itself, with SI prefixes and the unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import compress

from assay.document.params import Plot
from assay.report.units import human

MOST_STEPS = 24  # of a linear axis that are tried until two are among values close to each other
MOST_TICKS = {"x": 6, "y": 8}  # what stands beside each other needs more room than what stands above


def finish(plot: Plot, x_unit: str | None = None, y_unit: str | None = None, most_x: int = MOST_TICKS["x"]) -> Plot:
    """Set the ticks of a plot's axes from its traces; an axis without a unit keeps what the library chooses.

    `most_x`: ticks for which the horizontal axis has room.
    """
    most = MOST_TICKS | {"x": most_x}
    ticks = {}
    for letter, unit in (("x", x_unit), ("y", y_unit)):
        axis = plot["layout"][f"{letter}axis"]
        values = list(_values(plot["data"], letter))
        if unit is None or not values:
            continue
        if axis.get("rangemode") == "tozero":
            values.append(0.0)  # the part below the least value has its ticks, too
        kinds = {
            kind: _written(found(values, unit, most[letter]), unit)
            for kind, found in (("log", log), ("linear", linear))
        }
        axis |= {"tickmode": "array", "exponentformat": "SI", "minexponent": 1}
        axis |= dict(zip(("tickvals", "ticktext"), kinds[axis["type"]], strict=True))
        axis["ticksuffix"] = {"%": "", "1": "", "": ""}.get(unit, unit)
        if unit == "%":
            axis["tickformat"] = ".3~%"
        ticks[letter] = kinds
    plot["ticks"] = ticks
    return plot


def _values(traces: Sequence[Plot], letter: str) -> Iterable[float]:
    """Values along an axis with their error bars, of the traces that are shown at first."""
    for trace in traces:
        if trace.get("visible") in (False, "legendonly"):
            continue
        bars = trace.get(f"error_{letter}") or {}
        known = [isinstance(value, int | float) for value in trace[letter]]
        found = [value for value in trace[letter] if isinstance(value, int | float)]
        yield from found
        for ends, sign in (("array", 1), ("arrayminus", -1)):
            reaching = zip(found, compress(bars.get(ends, ()), known), strict=False)
            yield from (value + sign * end for value, end in reaching if end is not None)


def log(values: Iterable[float], unit: str, most: int = 8) -> list[float]:
    """Ticks of a logarithmic axis: powers of two for bytes, else decades; 1, 2, 5 or nice steps where few.

    At least two of them are among the values, whatever these span; of equal values one is below them and one above.
    """
    known = [value for value in values if value > 0]
    if not known:
        return []
    low, high = min(known), max(known)
    base = 2.0 if unit == "B" else 10.0
    first, last = math.floor(math.log(low, base) + 1e-9), math.ceil(math.log(high, base) - 1e-9)
    if low == high:
        return [base ** (first - 1), base ** (last + 1)]
    step = max(1, -(-(last - first) // most))
    found = [base**power for power in range(first, last + 1, step)]
    inside = [tick for tick in found if low <= tick <= high]
    if len(inside) < 3 and base == 10.0:
        for digits in ((1, 2, 5), (1, 3), (1,)):
            finer = [digit * 10.0**power for power in range(first, last + 1) for digit in digits]
            near = [tick for tick in finer if low / 1.5 <= tick <= high * 1.5]
            if sum(low <= tick <= high for tick in near) <= most:
                found = near
                break
    for steps in range(most, MOST_STEPS):
        if sum(low <= tick <= high for tick in found) >= 2:
            break
        found = [tick for tick in linear([low, high], unit, steps) if low / 1.5 <= tick <= high * 1.5 and tick > 0]
    return found if len(found) > 1 else [tick for tick in linear([low, high], unit, most) if tick > 0]


def linear(values: Iterable[float], unit: str, most: int = 8) -> list[float]:
    """Ticks of a linear axis: about `most`, a nice step apart (1, 2, 5; powers of two for bytes)."""
    known = list(values)
    low, high = min(known), max(known)
    if 0 < low < 0.5 * high or low == high:
        low = min(low, 0.0)
    span = (high - low) or abs(high) or 1.0
    rough = span / (most - 2)
    if unit == "B":
        step = 2.0 ** math.ceil(math.log2(max(rough, 1.0)))
    else:
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * count for count in range(first, last + 1)]


def _written(ticks: Sequence[float], unit: str) -> tuple[list[float], list[str]]:
    """The ticks, and what stands at them: with as many digits as tell them apart."""
    for digits in range(4, 10):
        texts = ["0" if tick == 0 else human(tick, unit, digits) for tick in ticks]
        if len(set(texts)) == len(texts):
            break
    return list(ticks), texts
