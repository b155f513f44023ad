"""The share of a run's figures that show a difference in 20 pairs, from the A/A pairs of their launches."""

from __future__ import annotations

import numpy as np
import pytest
from bench.decisions import LEAST_LAUNCHES, aa_deviations, main

from command_line import assay

MEDIAN = {"statistic": "median", "state": "clean"}


def test_the_deviation_of_pairs_is_that_of_the_noise() -> None:
    """Of launches that spread log-normally by s, a pair's log ratio has the deviation s times the square root of 2."""
    values = np.exp(0.03 * np.random.default_rng(3).standard_normal(4000))
    figure = {
        "benchmark": "echo",
        "name": "rate",
        "params": {"bytes": 8},
        **MEDIAN,
        "by_launch": list(enumerate(values)),
    }
    found = aa_deviations([figure])
    assert found == {"echo.rate bytes=8": pytest.approx(0.03 * 2**0.5, rel=0.05)}


def test_too_few_launches_and_zeros_are_left_out() -> None:
    few = {
        "benchmark": "echo",
        "name": "rate",
        "params": {},
        **MEDIAN,
        "by_launch": [[at, 1.0] for at in range(LEAST_LAUNCHES - 1)],
    }
    zero = few | {"by_launch": [[at, 0.0] for at in range(LEAST_LAUNCHES)]}
    assert aa_deviations([few, zero]) == {}


@pytest.mark.usefixtures("own_folder")
def test_a_run_s_figures_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert assay("run", "sieve", "--launches", "10", "--out", "made").status == 0
    assert main(["--run", "made"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split(" |")[0] for row in rows if row.startswith("| sieve.")] == ["| sieve.time size=8190"]
    assert rows[-1].startswith("a difference of 5%") and rows[-1].endswith("of 1 figures")
