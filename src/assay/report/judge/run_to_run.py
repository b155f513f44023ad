"""Main figures that differ more from run to run than from launch to launch: an interval of one run misleads there.

The deviation between runs is that of successive runs of this machine with the same software (analysis/run_spread.py),
that between launches of this run's own launch values; both of logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from assay.analysis.run_spread import LEAST_RUNS, successive_deviation
from assay.document.run_document import Document
from assay.document.run_verdict import ReachedLine

LEAST = 0.01  # of the value: smaller deviations between runs are not worth a line
LEAST_LAUNCHES = 3
ADVICE = "intervals of one run do not hold for the next: `assay compare` uses this spread, `compare --live` avoids it"


def wider_between_runs(document: Document, lines: Sequence[ReachedLine]) -> Iterator[tuple[float, str]]:
    """Each such main figure among those shown: by how many times the deviation is greater, and the words for it."""
    launches = {
        (section.benchmark, main.title): [value for _, value in main.figure.by_launch if value > 0]
        for section in document.benchmarks
        for main in section.headlines
    }
    for line in lines:
        before = [each.value for each in reversed(line.earlier) if not each.made_with and each.value > 0]
        own = launches.get((line.benchmark, line.title), [])
        if line.state not in ("clean", "disturbed") or not line.value or line.value < 0:
            continue
        if len(before) < LEAST_RUNS or len(own) < LEAST_LAUNCHES:
            continue
        between, within = successive_deviation([*before, line.value]), float(np.std(np.log(own), ddof=1))
        if between > max(within, LEAST):
            text = f"{line.title} {between:.1%} between {len(before) + 1} runs, {within:.1%} between launches"
            yield (between / within if within > 0 else math.inf), text
