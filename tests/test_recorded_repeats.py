"""History of 40 real runs of one machine on which nothing changed: no more alarms than are stated.

tests/kept/run_repeats.json has the figures of each run in order, and the command that made them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.analysis.change_points import change_points, level_of

Floats = NDArray[np.float64]
REPEATS = json.loads((Path(__file__).parent / "kept" / "run_repeats.json").read_text())["figures"]
VALUES = np.array([figure["values"] for figure in REPEATS]).T  # of a run a row, of a figure a column
RUNS, FIGURES = VALUES.shape


def alarms(values: Floats, seed: int = 1) -> int:
    """Changes that a history of these runs (rows) shows, over all its figures (columns) together."""
    level = level_of(values.shape[1])
    return sum(len(change_points(series, level, seed)) for series in values.T)


def test_the_runs_are_real_ones() -> None:
    """40 of them, whose values differ."""
    assert RUNS == 40 and FIGURES > 30
    assert all(len(set(series)) > 20 for series in VALUES.T)


def test_they_raise_no_more_alarms_than_stated() -> None:
    """One per 200 runs over all figures together is 0.2 here; two or more have a probability of 2%."""
    assert alarms(VALUES) <= 1


def test_a_step_in_them_is_an_alarm() -> None:
    """40 runs are enough to find one: of every sixth figure the values double, or more, from the 21st run on."""
    for column in range(0, FIGURES, 6):
        spread = float(np.std(np.log(VALUES[:, column])))
        slowed = VALUES[:, [column]].copy()
        slowed[20:] *= np.exp(max(0.7, 6 * spread))
        (found,) = change_points(slowed[:, 0], level_of(FIGURES))
        assert abs(found.at - 20) <= 1, REPEATS[column]


@pytest.mark.nightly
def test_nor_do_histories_of_200_runs_that_are_drawn_from_them() -> None:
    """Block bootstrap of whole runs, so that figures of a run stay together: 10 histories, of 10 alarms 15 at most."""
    dice = np.random.default_rng(7)
    found = 0
    for history in range(10):
        starts = dice.integers(0, RUNS, size=40)
        places = (starts[:, None] + np.arange(5)).ravel() % RUNS
        found += alarms(VALUES[places][:, history % 3 :: 3], history)
    assert found <= 15
