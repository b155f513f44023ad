"""A line of the first screen where a figure differs more from run to run than from launch to launch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.case import Case
from assay.report.judge.history import EarlierLine, EarlierRun
from assay.report.judge.verdict import verdict
from judged_documents import part
from made_documents import document, headline

LAUNCHES = [[at, 1e-6 * (1 + 0.002 * (at % 3))] for at in range(10)]


def lines(values: list[float], own: float = 1.002e-6, mpi: list[str] | None = None) -> list[str]:
    """The lines of a run after earlier ones with these values, the oldest first."""
    made = headline("8 bytes", own, "s", better="lower") | {"by_launch": LAUNCHES}
    stated = {"programs": {"echo": {"compiler": "g++ 12.2.0", "flags": "-O3"}}}
    run = document(part("echo", "messages", made), provenance={"p": stated})
    earlier = [
        EarlierRun(
            f"r{number}",
            [EarlierLine(benchmark="echo", title="8 bytes", unit="s", params=Case(), value=value, made_with=mpi)],
        )
        for number, value in reversed(list(enumerate(values)))
    ]
    return [each.text for each in verdict(run, None, earlier).findings if "runs differ more" in each.text]


def test_a_spread_between_runs_above_that_between_launches_is_said_with_both() -> None:
    values = [1.0e-6, 1.06e-6, 1.0e-6, 1.06e-6, 1.0e-6]
    steps = np.diff(np.log([*values, 1.002e-6]))
    between = math.sqrt(float(np.mean(steps**2)) / 2)
    within = float(np.std(np.log([value for _, value in LAUNCHES]), ddof=1))
    (text,) = lines(values)
    assert text == (
        f"runs differ more than launches: 8 bytes {between:.1%} between 6 runs, {within:.1%} between launches"
    )


@pytest.mark.parametrize(
    ("values", "mpi"),
    [
        ([1.0e-6, 1.06e-6, 1.0e-6, 1.06e-6], None),  # four earlier runs
        ([1.0e-6, 1.001e-6] * 4, None),  # as near as launches
        ([1.0e-6] * 4 + [1.06e-6, 1.0e-6], ["g++ 12.2.0 -O2"]),  # with other software
    ],
)
def test_few_runs_near_runs_and_runs_with_other_software_have_no_line(
    values: list[float], mpi: list[str] | None
) -> None:
    assert lines(values, mpi=mpi) == []
