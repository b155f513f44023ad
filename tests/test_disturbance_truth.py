"""What a verdict states is held against what is known: simulated runs, disturbed and quiet, and their undisturbed twin.

Sensitivity: the true value lies within the stated displacement in at least 95% of the disturbed cases. Specificity: at
least 90% of the cases of quiet virtual machines are clean, whose launches lie 10 to 25% apart without a cause.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from assay.analysis.disturbance import Estimator, State, judge
from assay.analysis.disturbance.levels import LaunchLevel
from assay.analysis.disturbance.verdict import settle
from simulated_accounts import Competitor, always, bursts, drawn, part, play

Draw = Callable[[np.random.Generator], Competitor]
COMPETITORS: dict[str, Draw] = {
    "a hog on another processor": lambda rng: Competitor(always, slows=rng.uniform(0, 0.8)),
    "a hog from midway": lambda rng: Competitor(part(rng), slows=rng.uniform(0, 0.8)),
    "bursts of 100 ms every 2 s": lambda rng: Competitor(bursts(0.1, 2.0), slows=rng.uniform(0, 0.8)),
    "a little work all the while": lambda rng: Competitor(bursts(0.012, 0.1), slows=rng.uniform(0.3, 0.8)),
    "a hog on our processor": lambda rng: Competitor(always, takes=rng.uniform(0.3, 0.5)),
    "a nice'd hog": lambda rng: Competitor(always, takes=rng.uniform(0.02, 0.1), slows=rng.uniform(0, 0.2)),
    "a hypervisor": lambda rng: Competitor(always, takes=rng.uniform(0.05, 0.5), steal=True),
    "a hypervisor now and then": lambda rng: Competitor(bursts(0.5, 3.0), takes=rng.uniform(0.2, 0.5), steal=True),
    "a clock that falls": lambda rng: Competitor(part(rng), clock=rng.uniform(0.06, 0.4)),
    "a speed that no account shows": lambda rng: Competitor(part(rng), hidden=rng.uniform(0.03, 1.0)),
}
RUNS = 25


def test_quiet_virtual_machines_are_clean() -> None:
    cases = clean = 0
    for seed in range(100):
        shape = drawn(np.random.default_rng(seed))
        found = judge(play(shape).blocks, shape.processors)
        cases += len(found.cases)
        clean += sum(verdict.state is State.CLEAN for verdict in found.cases.values())
    print(f"clean: {clean} of {cases} quiet cases")
    assert clean >= 0.9 * cases


@pytest.mark.parametrize("name", COMPETITORS)
def test_the_true_value_lies_within_what_is_stated(name: str) -> None:
    cases = covered = clean = wrong = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(1000 + seed)
        shape = drawn(rng)
        known = play(shape, COMPETITORS[name](rng))
        found = judge(known.blocks, shape.processors)
        for case in range(shape.cases):
            cases += 1
            covered += known.covered(case, found)
            if found.cases["time", case].state is State.CLEAN:
                clean += 1
                wrong += abs(known.stated(case, found) / known.truth(case) - 1) > 0.05
    print(f"{name}: covered {covered} of {cases}; {clean} clean, of these {wrong} wrong by more than 5%")
    assert covered >= 0.95 * cases
    assert wrong <= 0.02 * cases


@pytest.mark.parametrize("intervals", [always, bursts(1.0, 2.2)], ids=["always", "bursts"])
def test_of_rates_the_same_is_said_the_other_way_round(intervals: Callable[[float, float], np.ndarray]) -> None:
    """A time that can be longer by d is a rate that can be lower by d / (1 + d); a ratio can be off either way."""
    rng = np.random.default_rng(5)
    shape = drawn(rng)
    known = play(dataclasses.replace(shape, wall=0.4, apart=0.02), Competitor(intervals, slows=0.8))
    times = judge(known.blocks, shape.processors)
    rates = judge([dataclasses.replace(b, values=1 / b.values, sense=-1) for b in known.blocks], shape.processors)
    ratios = judge([dataclasses.replace(b, sense=0) for b in known.blocks], shape.processors)
    assert rates.marked == times.marked and any(v.state is not State.CLEAN for v in times.cases.values())
    for case, verdict in times.cases.items():
        assert (rates.cases[case].state, rates.cases[case].estimator) == (verdict.state, verdict.estimator)
        time, rate, ratio = (found.cases[case].disturbance for found in (times, rates, ratios))
        assert time is not None and rate is not None
        assert (rate.low, rate.high) == pytest.approx((1 / (1 + time.high) - 1, 1 / (1 + time.low) - 1), abs=2e-3)
        if verdict.state is State.BOUND:  # the least of several quotients is a bound of nothing
            assert (ratios.cases[case].state, ratios.cases[case].estimator) == (State.INVALID, Estimator.NONE)
            continue
        assert ratio is not None
        assert ratio.high == time.most and (1 + ratio.low) * (1 + ratio.high) == pytest.approx(1)


@pytest.mark.parametrize(("sense", "state"), [(1, State.BOUND), (-1, State.BOUND), (0, State.INVALID)])
def test_where_only_a_bound_stands_a_ratio_has_no_number(sense: int, state: State) -> None:
    """An interruption lengthens either of the two times of a quotient: its least value may lie on either side."""
    switched = [
        LaunchLevel(
            launch=launch,
            whole=3.0,
            low=0.5,
            high=3.0,
            best=1.0,
            touched=3.0,
            kept=None,
            kept_low=0.0,
            squares=0.0,
            blocks=4,
            marked=4,
            interrupted=4,
        )
        for launch in range(3)
    ]
    found = settle([switched], sense, ["switches"])
    assert found.state is state and found.reasons == ("switches",)
    assert (found.estimator, found.disturbance is None) == (
        (Estimator.NONE, True) if sense == 0 else (Estimator.BEST, False)
    )


def test_launches_apart_and_modes_are_remarks_and_no_disturbance() -> None:
    shape = dataclasses.replace(drawn(np.random.default_rng(3)), apart=0.3, launches=6)
    known = play(shape)
    split = [
        dataclasses.replace(b, values=b.values * np.where(np.arange(len(b.values)) % 3, 1.0, 1.5)) for b in known.blocks
    ]
    found = judge(split, shape.processors)
    assert {v.state for v in found.cases.values()} == {State.CLEAN} and found.warnings == ()
    assert "launches" in {remark.rule for remark in found.remarks}
