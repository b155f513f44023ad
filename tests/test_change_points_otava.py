"""Change points compared with Apache Otava's (E-divisive), where it is installed: `pip install apache-otava --no-deps`.

It is no dependency: it pins an older numpy and needs clients of BigQuery, PostgreSQL and Slack.
"""

from __future__ import annotations

import numpy as np
import pytest

from assay.analysis.change_points import change_points, level_of

otava = pytest.importorskip("otava.analysis", reason="needs apache-otava (pip install --no-deps apache-otava)")
RUNS, NOISE, TRIALS, PLACES = 60, 0.02, 20, 1
Steps = tuple[tuple[int, float], ...]


@pytest.mark.parametrize(
    ("steps", "least"), [(((30, 0.1),), 0.8), (((20, 0.1), (40, -0.1)), 0.8), (((30, 0.05),), 0.8), ((), 0.8)]
)
def test_otava_finds_the_same_changes_at_the_same_runs(steps: Steps, least: float) -> None:
    """Number and places agree within a run; where they do not, Otava's level per candidate gives a further alarm."""
    dice = np.random.default_rng(3)
    agree = 0
    for _ in range(TRIALS):
        logs = NOISE * dice.normal(size=RUNS)
        for at, size in steps:
            logs[at:] += size
        ours = [each.at for each in change_points(np.exp(logs), level_of(20))]
        theirs = [each.index for each in otava.compute_change_points(logs, window_len=2 * RUNS, max_pvalue=0.001)[0]]
        same = len(ours) == len(theirs)
        agree += same and all(abs(one - two) <= PLACES for one, two in zip(ours, theirs, strict=True))
        assert same or len(theirs) > len(ours)
    assert agree >= least * TRIALS
