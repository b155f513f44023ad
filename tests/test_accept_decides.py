"""What would decide a requirement that is not shown: as many launches as are needed, their time, or quiet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.analysis.acceptance import AcceptancePlan, launches_needed, planning_spread
from assay.analysis.spending import looks_of
from assay.decide.contract import read_contract
from assay.decide.contract_verdict import judged_requirement
from assay.decide.evidence import NodeEvidence
from assay.decide.what_decides import what_decides
from assay.machine.units import waiting_time
from command_line import assay
from test_accept import EIGHT, judged, measured
from test_accept import contract as written
from test_accept_risks import NOISE, RISK, figure

pytestmark = pytest.mark.usefixtures("own_folder")
CLOCK = 'name = "clock"\nbenchmark = "clock"\nfigure = "frequency"\nat_least = "1 Hz"\n'
NAME = "clock frequency"
BETTER = 0.005  # than the limit: much less than the indifference, for which launches are planned
LAUNCHES, TRIALS = 15, 60


def test_as_many_launches_as_it_gives_decide() -> None:
    """On recorded noise: the number is about that of the true distance and spread, and so many launches decide."""
    noise = NOISE[NAME] - np.median(NOISE[NAME])
    read = read_contract(written(CLOCK))
    of = read.requirements[0]
    dice = np.random.default_rng(8)
    numbers, decided = [], []
    while len(numbers) < TRIALS:
        seen = [NodeEvidence("n", figure(((1 + BETTER) * np.exp(-dice.choice(noise, LAUNCHES))).tolist()))]
        found = what_decides(read, of, seen, judged_requirement(read, of, seen), None)
        if found is None:
            continue  # decided
        assert not found.quiet and found.seconds is None
        if found.launches is None:
            continue  # by chance at the limit
        numbers.append(found.launches)
        again = (1 + BETTER) * np.exp(-dice.choice(noise, found.launches)) >= 1
        decided.append(AcceptancePlan(looks_of(found.launches), RISK, RISK).decide(again.tolist()).value == "accepted")
    spread = planning_spread(np.exp(noise).tolist(), BETTER)
    needed = launches_needed(spread, BETTER, RISK, RISK, (RISK, RISK))
    assert needed <= np.median(numbers) <= 3 * needed  # of those not shown, most seem nearer to the limit than they are
    assert np.mean(decided) >= 0.9


def test_a_clean_figure_needs_launches_and_the_terminal_and_the_sheet_give_them() -> None:
    measured(EIGHT, seconds=2.5)
    answer = judged('at_most = "1.015 us"', "--json", "--sheet", "sheet.html")
    (found,) = answer.document["requirements"]
    assert answer.status == 4 and found["verdict"] == "not shown"
    decides = found["decides"]
    launches = decides["launches"]
    assert launches > 8 and decides == {"launches": launches, "seconds": 2.5 * launches, "quiet": False}
    said = f"about {launches} launches (--most {launches}, {waiting_time(2.5 * launches)}) would decide it"
    assert said in judged('at_most = "1.015 us"').out
    assert said in Path("sheet.html").read_text()


def test_a_disturbed_figure_needs_quiet_and_a_decided_one_nothing() -> None:
    measured(EIGHT, binding="none", warnings=["5 ranks share 2 processors of a node (oversubscribed, not bound)"])
    answer = judged('at_most = "2 us"', "--json")
    assert answer.document["requirements"][0]["decides"] == {"launches": None, "seconds": None, "quiet": True}
    assert "a measurement without the disturbance would decide it" in judged('at_most = "2 us"').out


def test_a_decided_requirement_and_one_that_was_not_measured_have_nothing() -> None:
    measured(EIGHT)
    for limit in ("1.1 us", "0.9 us"):
        assert "decides" not in judged(f'at_most = "{limit}"', "--json").document["requirements"][0]
    answer = assay("accept", str(written(CLOCK)), "--run", "run", "--json")
    assert answer.status == 4 and "decides" not in answer.document["requirements"][0]


def test_launches_at_the_limit_have_no_number() -> None:
    measured([1e-6 * (0.9 if number % 2 else 1.1) for number in range(8)])
    assert judged('at_most = "1 us"', "--json").document["requirements"][0].get("decides") is None
