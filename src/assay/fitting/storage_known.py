"""How well the numbers of [storage] are known: draws from the intervals of a law's start-up and time per byte.

An interval by launches of level 95% is 1.96 standard deviations to each side; a range of a few launches is taken as
1.645. What is not drawn is named: where the common limit of many operations lies has no interval.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from assay.analysis.storage_law import StorageLaw
from assay.described.dotted_numbers import number_at
from assay.fitting.estimates import Estimates
from assay.fitting.resampled import DRAWS

Floats = NDArray[np.float64]
OF_INTERVAL, OF_RANGE = 1.96, 1.645


def enter(tables: Mapping[str, object], prefix: str, law: StorageLaw, made: Estimates, seed: int) -> None:
    """Enter the numbers of the storage at `prefix` of `tables` that have an interval."""
    if not law.spread:
        made.not_determined.append(f"spread between launches of files, {prefix}: there was one launch")
        return
    ends = OF_INTERVAL if law.interval else OF_RANGE
    random = np.random.default_rng((len(tables), seed))
    startups = _drawn(law.startup, law.startup_between, ends, random)
    per_bytes = _drawn(law.per_byte, law.per_byte_between, ends, random)
    keys = [("device.access", startups, law.startup)]
    keys += [(key, per_bytes, law.per_byte) for key in ("client_per_byte", "device.own_per_byte")]
    if not law.limited:
        keys += [(key, per_bytes, law.per_byte) for key in ("per_byte", "device.per_byte")]
    for key, relative, of in keys:
        try:
            value, unit = number_at(tables, f"{prefix}.{key}")
        except LookupError:
            continue
        if value > 0 and of > 0:
            draws = np.maximum(value + (relative - 1) * of, 0.02 * value)
            made.add([f"{prefix}.{key}"], value, unit, draws)
    if law.limited:
        made.not_determined.append(
            f"how well the common limit of many operations is known, {prefix}: it has no interval"
        )


def _drawn(value: float, between: tuple[float, float], ends: float, random: np.random.Generator) -> Floats:
    """Draws relative to the estimate, of two half normal distributions with the widths of the interval's halves."""
    if value <= 0:
        return np.ones(DRAWS)
    normal = random.standard_normal(DRAWS)
    widths = np.where(normal > 0, max(between[1] - value, 0.0), max(value - between[0], 0.0))
    return np.asarray(1 + normal / ends * widths / value)
