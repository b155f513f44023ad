"""What bounds leave open: start-ups and times per byte of a range of lengths of which only upper bounds were measured.

Every pair (alpha, beta) with alpha + beta N at most each bound, and at most what the next range begins with, is
possible, and none is likelier than another: the draws are uniform over this polygon. Their mean is the estimate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ROUNDS = 200


def draws(
    lengths: Floats, most: Floats, count: int, seed: int, least: float = 0.0, value: tuple[float, float] | None = None
) -> Floats:
    """`count` pairs (alpha in s, beta in s/B), (count, 2), with alpha + beta `lengths` at most `most` (s).

    `least`: beta is no less (s/B), unless a bound is. `value`: length and time of a cell that is no bound, which every
    pair then goes through.
    """
    random = np.random.default_rng(seed)
    if value is not None and (through := _through(lengths, most, least, *value)) is not None:
        beta = random.uniform(*through, count)
        return np.column_stack([np.maximum(value[1] - beta * value[0], 0.0), beta])
    height = float(np.min(most))
    with np.errstate(divide="ignore"):
        slope = float(np.min(np.where(lengths > 0, most / np.maximum(lengths, 1e-9), np.inf)))
    if not np.isfinite(slope):
        slope = 0.0
    kept: list[Floats] = []
    for _ in range(ROUNDS):
        tried = random.uniform([0.0, min(least, slope)], [height, slope], size=(4 * count, 2))
        below = ((tried[:, :1] + tried[:, 1:] * lengths) <= most).all(axis=1)
        kept.append(tried[below])
        if sum(map(len, kept)) >= count:
            break
    found = np.concatenate(kept)
    return np.asarray(found[np.arange(count) % len(found)]) if len(found) else np.tile([height / 2, 0.0], (count, 1))


def _through(lengths: Floats, most: Floats, least: float, length: float, time: float) -> tuple[float, float] | None:
    """The least and greatest beta of lines through one value that pass no bound; None where there is none."""
    longer, shorter = lengths > length, lengths < length
    steepest = np.min((most[longer] - time) / (lengths[longer] - length), initial=time / max(length, 1.0))
    flattest = np.max((time - most[shorter]) / (length - lengths[shorter]), initial=min(least, float(steepest)))
    return (float(flattest), float(steepest)) if 0 <= flattest <= steepest else None
