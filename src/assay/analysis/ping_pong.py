"""The two numbers that EuroBen's mod1j makes of a ping-pong: its greatest rate and its latency.

Source: van der Steen 2000, section 6.2.2.2. It prints a latency with an error, so that it was fitted, but not over
which lengths: here over those up to SHORT, which go in one piece.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from assay.analysis.alpha_beta import ordinary_line

SHORT = 1000  # B
STEPS = (  # B, of the ping-pong that a published cell is compared with: few, as many machines are simulated
    *(4, 8, 16, 32, 64, 128, 256, 512, 1000, 2000, 4000, 8000, 16000, 32000, 80000, 160000, 400000, 1000000, 4000000),
)


def latency(times: Mapping[int, float]) -> float:
    """Where a least-squares line through one-way times (s) by length (B), up to SHORT, meets no length; nan if none."""
    short = sorted(size for size in times if size <= SHORT)
    if len(short) < 2:
        return math.nan
    return float(ordinary_line(np.array(short, float), np.array([times[size] for size in short]))[0])


def greatest_rate(times: Mapping[int, float]) -> tuple[float, int]:
    """The greatest rate (B/s) and its length (B), of one-way times (s) by length."""
    size = max((size for size in times if times[size] > 0), key=lambda each: each / times[each])
    return size / times[size], size
