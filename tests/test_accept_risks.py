"""The risks of acceptance are what they say: 2,000 simulated acceptances a cell, on the noise of real launches.

The noise is of launches recorded on a virtual machine that others used at the same time (kept/launch_noise.json), drawn
with replacement; `quantised`: as a clock would give it that counts in steps of 2% of the value.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from bench.acceptance import MODES, node_verdict
from scipy import stats

from assay.analysis.acceptance import AcceptancePlan, AcceptanceVerdict, launches_needed, planning_spread
from assay.analysis.spending import looks_of
from assay.analysis.tolerance import tolerance_limit
from assay.case import Case
from assay.decide.contract_from_runs import smallest_fault
from assay.document.reported_figure import ReportedFigure

KEPT = json.loads((Path(__file__).parent / "kept" / "launch_noise.json").read_text())
NOISE = {name: np.array(values) / KEPT["per"] for name, values in KEPT["figures"].items()}  # ln(value / median)
TRIALS, RISK, INDIFFERENCE = 2000, 0.05, 0.05
STEP = 0.02
MOST = int(stats.binom.ppf(1 - 1e-5, TRIALS, RISK))  # of so many cells none passes it by chance
FAULTS = (0.02, 0.05, 0.1, 0.25)


def verdicts(name: str, population: np.ndarray, limit: float, seed: int) -> dict[str, int]:
    """How often each verdict is reached, of a time whose launches are drawn from a population."""
    spread = planning_spread(np.exp(NOISE[name]).tolist(), INDIFFERENCE)
    launches = launches_needed(spread, INDIFFERENCE, RISK, RISK, (RISK, RISK))
    plan = AcceptancePlan(looks_of(launches), RISK, RISK)
    values = np.random.default_rng(seed).choice(population, (TRIALS, launches))
    found = [plan.decide(row) for row in (values <= limit).tolist()]
    return {verdict.value: found.count(verdict) for verdict in AcceptanceVerdict}


def machine(name: str, centre: float) -> np.ndarray:
    """Launches of a machine whose median time is this."""
    return centre * np.exp(NOISE[name] - np.median(NOISE[name]))


@pytest.mark.parametrize("name", NOISE)
def test_a_machine_at_the_limit_is_rarely_rejected(name: str) -> None:
    """The vendor's risk, with all looks together."""
    assert verdicts(name, machine(name, 1.0), 1.0, seed=1)["rejected"] <= MOST


@pytest.mark.parametrize("name", NOISE)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_machine_that_misses_the_limit_is_rarely_accepted(name: str, fault: float) -> None:
    """The buyer's risk, however small the fault; from the smallest that must be found on it is rejected."""
    found = verdicts(name, machine(name, 1 / (1 - fault)), 1.0, seed=2)
    assert found["accepted"] <= MOST
    if fault >= INDIFFERENCE:
        assert TRIALS - found["rejected"] <= MOST


@pytest.mark.parametrize("name", NOISE)
def test_a_machine_that_is_better_by_the_indifference_is_accepted(name: str) -> None:
    assert TRIALS - verdicts(name, machine(name, 1 / (1 + INDIFFERENCE)), 1.0, seed=3)["accepted"] <= MOST


@pytest.mark.parametrize("name", NOISE)
def test_of_a_coarse_clock_both_risks_hold(name: str) -> None:
    """The strictest limit that half of the launches meet, and the laxest that no more than half of them do."""
    population = np.round(machine(name, 1.0) / STEP)
    steps = np.arange(population.min() - 1, population.max() + 1)
    met = np.array([np.mean(population <= step) for step in steps])
    healthy, missed = steps[met >= 0.5][0], steps[met <= 0.5][-1]
    assert verdicts(name, population, float(healthy), seed=4)["rejected"] <= MOST
    assert verdicts(name, population, float(missed), seed=5)["accepted"] <= MOST


@pytest.mark.parametrize("fault", [0.0, *FAULTS])
@pytest.mark.parametrize("mode", MODES)
def test_one_node_of_64_is_found_and_64_healthy_ones_are_not_rejected(mode: str, fault: float) -> None:
    """Through the verdict of the whole requirement; all but the one are better than the limit by the indifference.

    The trials of `./x bench acceptance`, which makes 2,000 of each. A hog is on a node that has no fault.
    """
    trials, verdict, dice = 100, node_verdict(), np.random.default_rng(5)
    found, others = zip(*(verdict(dice, fault, mode) for _ in range(trials)), strict=True)
    most = stats.binom.ppf(1 - 1e-5, trials, RISK)
    if fault or mode != "hog, not seen":  # the healthy node at the limit is slower while it has one
        assert found.count("accepted" if fault else "rejected") <= most and sum(others) <= most
    if mode == "hog, stated":
        assert "accepted" not in found
    if fault >= INDIFFERENCE:
        assert found.count("rejected") >= stats.binom.ppf(1e-5, trials, 1 - RISK)


def test_learnt_limits_have_the_false_alarm_rate_and_the_smallest_fault_that_they_state() -> None:
    """Fleets of 64 nodes whose rates differ by 2%: one more like node, and a usual one with the smallest fault."""
    name, trials = "clock frequency", 1000
    dice = np.random.default_rng(6)
    noise = NOISE[name] - np.median(NOISE[name])
    launches = launches_needed(
        planning_spread(np.exp(noise).tolist(), INDIFFERENCE), INDIFFERENCE, RISK, RISK, (RISK,) * 2
    )
    plan = AcceptancePlan(looks_of(launches), RISK, RISK)
    alarms = found = 0
    for _ in range(trials):
        fleet = np.exp(0.02 * dice.standard_normal(64))
        limit = tolerance_limit(fleet.tolist(), 0.95, 0.95, higher=True)
        fault = smallest_fault(limit, float(np.median(fleet)), higher=True)
        healthy, faulty = np.exp(0.02 * dice.standard_normal()), np.median(fleet) * (1 - fault)
        values = np.exp(-dice.choice(noise, launches))
        alarms += plan.decide((values * healthy >= limit).tolist()) is AcceptanceVerdict.REJECTED
        found += plan.decide((values * faulty >= limit).tolist()) is AcceptanceVerdict.REJECTED
    assert alarms <= stats.binom.ppf(1 - 1e-5, trials, 0.05)
    assert found >= stats.binom.ppf(1e-5, trials, 1 - RISK)


def figure(values: list[float]) -> ReportedFigure:
    return ReportedFigure(
        benchmark="clock", name="frequency", value=float(np.median(values)), unit="Hz", statistic="median",
        params=Case(), reasons=[], by_launch=[[float(at), value] for at, value in enumerate(values)],
    )  # fmt: skip
