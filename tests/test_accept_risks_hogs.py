"""The risks of acceptance next to other processes: 2,000 simulated acceptances a cell, none accepted in doubt.

Noise as in tests/test_accept_risks.py. A hog makes the launches of the last third, or each launch with a chance, up to
twice as long; the disturbance that the figure states has its greatest effect as bound. Not stated (the figure seems
clean), it can only make a machine seem worse.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.analysis.acceptance import AcceptancePlan
from assay.analysis.spending import looks_of
from assay.decide.contract_verdict import judged_in_doubt
from assay.document.reported_figure import Moved
from test_accept_risks import MOST, NOISE, RISK, TRIALS, figure, machine

LAUNCHES = 20
NAME = next(iter(NOISE))
MOST_LONGER = 1.0  # what the hog adds to a launch's time at most, relative


def hogged(times: np.ndarray, kind: str, dice: np.random.Generator) -> np.ndarray:
    """Each launch as long as a hog makes it."""
    longer = 1 + MOST_LONGER * dice.random(times.shape)
    at = (
        np.arange(times.shape[1]) >= times.shape[1] * 2 // 3 if kind == "last third" else dice.random(times.shape) < 0.5
    )
    return np.where(at, times * longer, times)


@pytest.mark.parametrize("kind", ["last third", "half of all"])
@pytest.mark.parametrize("fault", [0.0, 0.02, 0.05, 0.1, 0.25])
def test_a_stated_hog_is_never_passed_and_rejects_no_healthy_machine(kind: str, fault: float) -> None:
    dice = np.random.default_rng([21, int(100 * fault)])
    times = hogged(dice.choice(machine(NAME, 1 / (1 - fault)), (TRIALS, LAUNCHES)), kind, dice)
    plan = AcceptancePlan(looks_of(LAUNCHES), RISK, RISK)
    found = []
    for row in times.tolist():
        seen = replace(figure(row), state="disturbed", disturbance=Moved(0.0, MOST_LONGER))
        found.append(judged_in_doubt(seen, 1.0, higher=False, plan=plan).value)
    assert "accepted" not in found
    if fault == 0.0:
        assert found.count("rejected") <= MOST


@pytest.mark.parametrize("kind", ["last third", "half of all"])
@pytest.mark.parametrize("fault", [0.02, 0.05, 0.1, 0.25])
def test_a_hog_that_was_not_seen_makes_no_faulty_machine_pass(kind: str, fault: float) -> None:
    dice = np.random.default_rng([22, int(100 * fault)])
    times = hogged(dice.choice(machine(NAME, 1 / (1 - fault)), (TRIALS, LAUNCHES)), kind, dice)
    plan = AcceptancePlan(looks_of(LAUNCHES), RISK, RISK)
    accepted = sum(plan.decide(row).value == "accepted" for row in (times <= 1.0).tolist())
    assert accepted <= MOST
