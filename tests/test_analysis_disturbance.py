"""Disturbance is found in accounts and in samples, also when it starts midway, and is not found on a quiet machine."""

import dataclasses
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.analysis import disturbance
from assay.analysis.disturbance import AccountedBlock, Estimator, State, judge
from assay.analysis.disturbance.shapes import find_modes
from assay.analysis.disturbance.steps import find_step
from assay.case import Case

TICK = 0.01


def ticked(seconds: float, rng: np.random.Generator) -> float:
    """What the kernel's counter shows of some busy seconds: whole ticks, rounded at random, never negative."""
    return float(np.floor(max(seconds, 0.0) / TICK + rng.random()) * TICK)


def quiet_run(
    seed: int = 0, launches: int = 3, blocks: int = 5, cases: int = 4, wall: float = 0.1
) -> list[AccountedBlock]:
    """An idle two-processor machine: 3% of a processor of background, readings that vary by 1%, launches by 4%."""
    rng = np.random.default_rng(seed)
    made = []
    for launch in range(launches):
        t = 1000.0 * launch
        shift = np.exp(0.04 * rng.standard_normal())
        for block in range(blocks):
            for case in rng.permutation(cases):
                noise = np.convolve(rng.standard_normal(63), np.ones(4) / 2, "valid")
                accounting = {
                    "wall": wall,
                    "own": wall,
                    "others": max(0.0, ticked(1.03 * wall, rng) - wall),  # as the programs count it: busy less own
                    "steal": 0.0,
                    "involuntary": float(rng.poisson(10 * wall)),
                    "major_faults": 0.0,
                    "frequency": None,
                }
                values = 1e-6 * 2.0**case * shift * np.exp(0.01 * noise)
                made.append(AccountedBlock("time", int(case), launch, block, 16, values, accounting, t, t + wall))
                t += 1.2 * wall
    return made


def changed(
    run: list[AccountedBlock],
    touch: Callable[[AccountedBlock], bool],
    factor: float | Callable[[AccountedBlock], float] = 1.0,
    **accounts: float,
) -> list[AccountedBlock]:
    """The run with some blocks slower by `factor` and with accounts (a second of wall time) replaced."""
    rng = np.random.default_rng(9)
    out = []
    for block in run:
        if not touch(block):
            out.append(block)
            continue
        by = factor(block) if callable(factor) else factor
        fresh = {
            k: ticked(v * block.wall, rng) if k in ("others", "steal") else v * block.wall for k, v in accounts.items()
        }
        out.append(dataclasses.replace(block, values=block.values * by, accounting={**block.accounting, **fresh}))
    return out


def rules(verdict: disturbance.Disturbance) -> set[str]:
    return {reason.rule for reason in verdict.reasons}


def remarks(verdict: disturbance.Disturbance) -> set[str]:
    return {remark.rule for remark in verdict.remarks}


def estimators(verdict: disturbance.Disturbance) -> set[Estimator]:
    return {case.estimator for case in verdict.cases.values()}


def late(block: AccountedBlock) -> bool:
    return block.t0 % 1000 > 1.2


@pytest.mark.parametrize("wall", [0.005, 0.015, 0.1, 1.0])
def test_an_idle_machine_is_clean(wall: float) -> None:
    """Also with blocks shorter than a tick, whose rounding always errs upwards."""
    for seed in range(40):
        verdict = judge(quiet_run(seed, wall=wall), 2)
        assert verdict.state is State.CLEAN, verdict.warnings
        assert verdict.warnings == () and estimators(verdict) == {Estimator.MEDIAN}


@pytest.mark.parametrize("wall", [0.03, 0.1, 1.0])
def test_one_busy_process_on_one_of_two_processors_is_seen_from_its_accounts_alone(wall: float) -> None:
    verdict = judge(changed(quiet_run(wall=wall), lambda block: True, others=1.0), 2)
    assert verdict.state is State.DISTURBED and rules(verdict) == {"others"}
    assert "all the while" in verdict.warnings[0]


def test_a_hog_that_starts_midway_marks_the_blocks_after_it_and_the_quiet_ones_stand() -> None:
    run = changed(quiet_run(), late, 1.4, others=1.0)
    verdict = judge(run, 2)
    assert verdict.state is State.DISTURBED and "others" in rules(verdict)
    assert Estimator.UNMARKED in estimators(verdict)
    kept = [block for i, block in enumerate(run) if i not in verdict.marked]
    for case in range(4):
        about = verdict.cases["time", case]
        assert about.estimator is Estimator.UNMARKED or about.state is State.CLEAN
        calm = np.median(np.concatenate([b.values for b in quiet_run() if b.case == case]))
        left = np.median(np.concatenate([b.values for b in kept if b.case == case]))
        assert abs(left / calm - 1) < 0.05


def test_a_change_midway_is_seen_in_the_samples_when_no_account_was_taken() -> None:
    """Over all cases together, though no case has more than five blocks a launch."""
    run = [dataclasses.replace(block, accounting={}) for block in changed(quiet_run(), late, 1.1)]
    verdict = judge(run, 2)
    assert "step" in rules(verdict) and "after 5" in verdict.warnings[0]
    assert {run[i].launch for i in verdict.marked} == {0, 1, 2}
    assert all(late(run[i]) for i in verdict.marked)


def test_a_change_inside_one_long_block_is_seen() -> None:
    rng = np.random.default_rng(1)
    values = 1e-3 * np.exp(0.01 * rng.standard_normal(800))
    values[500:] *= 1.15
    assert "step" in rules(judge([AccountedBlock("time", "only", 0, 0, 1, values)], 2))


def test_drift_within_a_launch_is_seen() -> None:
    run = changed(quiet_run(), lambda block: True, lambda block: 1 + 0.08 * (block.t0 % 1000))
    assert "step" in rules(judge(run, 2))


@pytest.mark.parametrize(
    ("rule", "accounts"),
    [
        ("steal", {"steal": 0.2}),
        ("taken", {"others": 0.19, "steal": 0.09}),
        ("switches", {"involuntary": 250.0}),
        ("waited", {"waited": 0.2}),
        ("starved", {"own": 0.5}),
        ("faults", {"major_faults": 20.0}),
    ],
)
def test_each_account_has_its_rule(rule: str, accounts: dict[str, float]) -> None:
    verdict = judge(changed(quiet_run(), late, **accounts), 2)
    assert rules(verdict) == {rule}
    assert all(quiet_run()[i].t0 % 1000 > 0.8 for i in verdict.marked)  # a window may reach back before the change


def test_a_competitor_of_one_of_two_ranks_is_seen_and_many_calm_ranks_are_not_accused() -> None:
    """Daemons cause some 20 switches a second to each rank, a competitor 125 to the one whose processor it takes."""
    for ranks in (2, 8, 64):
        calm = changed(quiet_run(), late, involuntary=20.0 * ranks)
        assert rules(judge(calm, ranks, ranks)) == set()
    assert rules(judge(changed(quiet_run(), late, involuntary=20.0 + 20.0 + 125.0), 2, 2)) == {"switches"}


@pytest.mark.parametrize(("own", "most"), [(0.99, 0.04), (0.7, 0.5)])
def test_a_switch_costs_no_more_than_the_processor_time_that_we_lack(own: float, most: float) -> None:
    """Long readings, 150 switches a second: they may have taken 45% of the time; our own account says how much."""
    run = [
        dataclasses.replace(block, values=block.values[:3])
        for block in changed(quiet_run(), lambda block: True, involuntary=150.0, own=own)
    ]
    for verdict in judge(run, 2).cases.values():
        assert verdict.disturbance is not None and 0 < verdict.disturbance.high < most
    several = judge([dataclasses.replace(block, threads=2) for block in run], 2)  # of which one may have lost it all
    assert all(v.disturbance and v.disturbance.high > 0.5 for v in several.cases.values())


def lagging(run: list[AccountedBlock], seed: int = 0, threads: int = 2, hertz: float = 250.0) -> list[AccountedBlock]:
    """The run by several spinning threads, of whose processor time the kernel knows all but the first's at ticks."""
    rng = np.random.default_rng(seed)
    out = []
    for block in run:
        lag = rng.uniform(0, 1 / hertz, (2, threads - 1))
        share = block.accounting["own"] / block.wall  # type: ignore[operator]
        own = max(0.0, threads * block.wall * share + float((lag[0] - lag[1]).sum()))
        out.append(dataclasses.replace(block, threads=threads, accounting={**block.accounting, "own": own}))
    return out


@pytest.mark.parametrize("hertz", [100.0, 250.0])
@pytest.mark.parametrize("wall", [0.004, 0.012, 0.1])
def test_the_lag_of_other_threads_accounts_is_nobodys_work(wall: float, hertz: float) -> None:
    """Blocks of a few milliseconds by two threads: what the kernel has counted so far differs by a tick."""
    for seed in range(20):
        run = lagging(quiet_run(seed, wall=wall), seed, hertz=hertz)
        assert "starved" not in rules(judge(run, 2))


@pytest.mark.parametrize("wall", [0.004, 0.012, 0.1])
def test_a_launch_whose_threads_got_half_of_the_time_is_starved(wall: float) -> None:
    for seed in range(20):
        halved = changed(quiet_run(seed, blocks=25, wall=wall), lambda block: block.launch == 1, own=0.5)
        verdict = judge(lagging(halved, seed), 2)
        assert "starved" in rules(verdict)
        assert {halved[i].launch for i in verdict.marked} == {1}


@pytest.mark.parametrize("switched", [1, 0])  # a thread that sleeps, waiting for another, is not switched out
@pytest.mark.parametrize("threads", [2, 4])
def test_threads_that_meet_lose_all_that_each_of_them_lost(threads: int, switched: int) -> None:
    """Somebody's slices of 4 or 8 ms stop one thread after another, and all wait: the bound covers the 4 ms of work."""
    rng = np.random.default_rng(threads)
    work, run, t = 4e-3, [], 0.0
    for launch, block, case in np.ndindex(3, 2, 4):
        slices = rng.choice([0.004, 0.008], 1 + rng.poisson(1.0))
        wall = work + float(slices.sum())
        lag = float(np.diff(rng.uniform(0, 0.004, (2, threads - 1)), axis=0).sum())
        accounting = {
            "wall": wall,
            "own": threads * wall - float(slices.sum()) + lag,
            "others": ticked(float(slices.sum()), rng),
            "steal": 0.0,
            "involuntary": float(switched * len(slices)),
            "major_faults": 0.0,
            "frequency": None,
        }
        values = np.array([wall])
        made = AccountedBlock("time", case, launch, block, 1, values, accounting, t, t + wall)
        run.append(dataclasses.replace(made, threads=threads))
        t += wall
    found = judge(run, threads)
    for case, verdict in found.cases.items():
        assert verdict.state in (State.DISTURBED, State.BOUND), verdict
        if verdict.state is State.DISTURBED:
            assert verdict.disturbance is not None
            shown = np.median([block.values[0] for block in run if block.case == case[1]])
            assert shown / (1 + verdict.disturbance.high) <= work * 1.02


def test_some_switches_more_in_a_short_launch_are_chance() -> None:
    """Eight switches in 65 ms are 123 a second, as many as a competitor causes; over a second they are one."""
    short = [quiet_run(blocks=1, cases=6, wall=0.011), quiet_run(blocks=20, cases=6, wall=0.011)]
    few, many = (
        [dataclasses.replace(b, accounting={**b.accounting, "involuntary": 1.3 + i % 2}) for i, b in enumerate(run)]
        for run in short
    )
    assert rules(judge(few, 2)) == set() and rules(judge(many, 2)) == {"switches"}
    beside = changed(few, lambda block: True, others=1.0)
    assert "switches" in rules(judge(beside, 2))


def test_who_works_on_processors_that_are_not_ours_is_beside_us_as_well() -> None:
    """A quota of half a processor on a host of four: three that work there share its memory with us."""
    run = [dataclasses.replace(b, host="n1") for b in changed(quiet_run(), lambda block: True, others=3.0)]
    found = judge(run, {"n1": 1}, 1, {"n1": 4})
    assert found.state is State.BOUND and "of 4 hardware threads" in found.warnings[0]


@pytest.mark.parametrize(("launches", "said"), [(2, "too few clock ticks to quantify it"), (40, "up to 2 of 2")])
def test_blocks_of_less_than_a_tick_claim_no_more_than_the_threads_there_are(launches: int, said: str) -> None:
    """Two ticks seen in blocks of 4 ms are not five threads: of 8 ms nothing is said, of more what can be at most."""
    run = quiet_run(launches=launches, blocks=1, cases=1, wall=0.004)
    run = [dataclasses.replace(b, accounting={**b.accounting, "others": 0.03}) for b in run]
    (others,) = [reason for reason in judge(run, 2).reasons if reason.rule == "others"]
    assert said in others.text and others.amount == (0.0 if launches == 2 else 2.0)


def test_a_processor_that_slows_its_clock_is_named() -> None:
    run = [
        dataclasses.replace(b, accounting={**b.accounting, "frequency": 2.4e9 if late(b) and b.launch == 2 else 3.0e9})
        for b in quiet_run()
    ]
    verdict = judge(run, 2)
    assert rules(verdict) == {"frequency"} and "2.40 to 3.00 GHz" in verdict.reasons[0].text


def test_a_median_of_interrupted_readings_does_not_stand_and_one_of_short_readings_does() -> None:
    """60 readings in 0.1 s: 20 switches leave most of them whole, 60 do not."""
    run = changed(quiet_run(), lambda block: True, others=2.0, own=0.5, involuntary=200.0)
    assert judge(run, 2).state is State.DISTURBED and estimators(judge(run, 2)) == {Estimator.MEDIAN}
    often = changed(run, lambda block: True, involuntary=600.0)
    verdict = judge(often, 2)
    assert verdict.state is State.BOUND and estimators(verdict) == {Estimator.BEST}
    uncounted = [
        dataclasses.replace(b, values=b.values * 1e4, accounting={**b.accounting, "involuntary": None}) for b in run
    ]
    assert estimators(judge(uncounted, 2)) == {Estimator.BEST}


def test_two_modes_long_tails_and_launches_apart_are_named() -> None:
    rng = np.random.default_rng(4)
    run = quiet_run()
    split = [dataclasses.replace(b, values=np.where(rng.random(60) < 0.4, 1.3, 1.0) * b.values) for b in run]
    assert "modes" in remarks(judge(split, 2))
    spiky = [dataclasses.replace(b, values=np.where(np.arange(60) == 7, 40, 1) * b.values) for b in run]
    assert remarks(judge(spiky, 2)) == {"tail"}
    apart = changed(run, lambda block: block.launch == 1, 1.5)
    assert remarks(judge(apart, 2)) == {"launches"}


def test_the_case_whose_launches_lie_furthest_apart_is_named_and_helper_series_are_not_counted() -> None:
    """Three times apart in one case of four, a hundred times in a curve that was taken beside."""
    run = changed(quiet_run(), lambda block: block.launch == 1 and block.case == 2, 3.0)
    run = changed(run, lambda block: block.launch == 1 and block.case == 3, 100.0)
    cases = {2: Case({"kernel": "copy", "length": 1000, "node": None}), 3: Case({"size": 65536})}
    named = [
        dataclasses.replace(b, case=cases.get(int(str(b.case)), b.case), metric="chase" if b.case == 3 else b.metric)
        for b in run
    ]
    for helper, said in ((True, "in 1 of 3 cases, most in time, kernel copy, length 1000"),
                         (False, "in 2 of 4 cases, most in chase, size 65536")):  # fmt: skip
        of = [dataclasses.replace(b, helper=helper and b.metric == "chase") for b in named]
        (remark,) = [each for each in judge(of, 2).remarks if each.rule == "launches"]
        assert said in remark.text


def test_what_is_no_number_is_invalid() -> None:
    for values in ([], [1.0, float("nan")], [-1.0, 1.0]):
        assert judge([AccountedBlock("time", 1, 0, 0, 1, np.array(values))], 2).state is State.INVALID
    assert judge([], 2).state is State.INVALID


@pytest.mark.parametrize("shape", ["normal", "uniform", "exponential", "lognormal", "gamma"])
def test_one_mode_is_not_taken_for_two(shape: str) -> None:
    rng = np.random.default_rng(11)
    draw = {
        "normal": lambda: 1 + 0.1 * rng.standard_normal(400),
        "uniform": lambda: rng.uniform(1, 2, 400),
        "exponential": lambda: 1 + rng.exponential(0.3, 400),
        "lognormal": lambda: np.exp(0.4 * rng.standard_normal(400)),
        "gamma": lambda: rng.gamma(2, 1, 400),
    }[shape]
    assert sum(find_modes(draw()) is not None for _ in range(200)) == 0


def test_steps_are_rarely_seen_where_there_is_none() -> None:
    """Autocorrelated levels (0.5 from one to the next) with 4% of spread.

    They wander by 5% without a cause, yet at most 3 in 100 count.
    """
    rng = np.random.default_rng(2)
    false = 0
    for _ in range(1000):
        noise = rng.standard_normal(40)
        for i in range(1, 40):
            noise[i] = 0.5 * noise[i - 1] + np.sqrt(0.75) * noise[i]
        false += find_step(1 + 0.04 * noise) is not None
    print(f"steps seen where there is none: {false} in 1000")
    assert false <= 30


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.floats(1e-6, 1e6), st.randoms(), st.booleans())
def test_the_verdict_ignores_scale_and_order(seed: int, scale: float, random: Random, hog: bool) -> None:
    run = changed(quiet_run(seed), late, 1.3, others=0.9) if hog else quiet_run(seed)
    verdict = judge(run, 2)
    assert (verdict.state is State.CLEAN) != hog
    order = list(range(len(run)))
    random.shuffle(order)
    mixed = judge([run[i] for i in order], 2)
    assert mixed.state is verdict.state and mixed.warnings == verdict.warnings
    assert sorted(order[i] for i in mixed.marked) == list(verdict.marked)
    scaled = judge([dataclasses.replace(b, values=b.values * scale, batch=1) for b in run], 2)
    assert rules(scaled) == rules(verdict)
    json.dumps(verdict.to_dict(), allow_nan=False)


# --- once for real --------------------------------------------------------------------------------------------------


def busy_seconds() -> tuple[float, float]:
    """Busy and stolen processor seconds of the whole host, from the kernel's first line."""
    hertz = os.sysconf("SC_CLK_TCK")
    fields = [int(word) / hertz for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    user, nice, system, _, _, irq, softirq, steal = fields[:8]
    return user + nice + system + irq + softirq, steal


def measured(blocks: int, launch: int) -> list[AccountedBlock]:
    out = []
    for number in range(blocks):
        usage, (busy, steal), t0 = resource.getrusage(resource.RUSAGE_SELF), busy_seconds(), time.time()
        start = time.perf_counter()
        values = []
        while time.perf_counter() - start < 0.25:
            begin = time.perf_counter()
            sum(range(5000))
            values.append(time.perf_counter() - begin)
        wall = time.perf_counter() - start
        after, (busier, stolen) = resource.getrusage(resource.RUSAGE_SELF), busy_seconds()
        own = after.ru_utime + after.ru_stime - usage.ru_utime - usage.ru_stime
        accounting = {
            "wall": wall,
            "own": own,
            "others": max(0.0, busier - busy - own),
            "steal": stolen - steal,
            "involuntary": float(after.ru_nivcsw - usage.ru_nivcsw),
            "major_faults": float(after.ru_majflt - usage.ru_majflt),
        }
        out.append(AccountedBlock("time", "sum", launch, number, 1, np.array(values), accounting, t0, t0 + wall))
    return out


@pytest.mark.measures
@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="needs Linux's /proc")
def test_real_hogs_on_every_processor_are_marked_and_alone_never_called_clean() -> None:
    processors = len(os.sched_getaffinity(0))
    calm = measured(3, 0)
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processors)]
    try:
        time.sleep(0.2)
        hogged = measured(3, 0)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    total = os.cpu_count() or processors
    assert judge(hogged, total).state is not State.CLEAN
    midway = judge(calm + hogged, total)
    assert {3, 4, 5} <= set(midway.marked) and "others" in rules(midway)
    if midway.state is State.CLEAN:  # half a calm run tells how far the other half was moved: its median, hardly at all
        (verdict,) = midway.cases.values()
        middles = [float(np.median(block.values)) for block in calm + hogged]
        assert verdict.disturbance is not None and verdict.disturbance.most < max(0.02, np.ptp(middles) / min(middles))
    background = sum(block.counted("others") for block in calm) / sum(block.wall for block in calm)
    if background < 0.05:  # nobody else was here: then the accounts alone must not accuse
        assert "others" not in rules(judge(calm, total))


@pytest.mark.parametrize(("rule", "amount"), [("others", 0.12), ("steal", 0.06)])
def test_what_moves_a_figure_without_marking_a_block_is_its_reason(rule: str, amount: float) -> None:
    """Less than a rule looks for in a window, and over seconds more than an idle machine has: long readings meet it."""
    calm = [dataclasses.replace(block, values=block.values[:3]) for block in quiet_run(wall=0.4)]
    assert judge(calm, 2).reasons == ()
    verdict = judge(changed(calm, lambda block: True, **{rule: amount}), 2)
    assert verdict.marked == () and {of.state for of in verdict.cases.values()} == {State.DISTURBED}
    assert {of.reasons for of in verdict.cases.values()} == {(rule,)}
    (reason,) = verdict.reasons
    assert reason.rule == rule and reason.launches == (0, 1, 2) and len(reason.blocks) == len(calm)
    assert 0.5 * amount < reason.amount < amount and verdict.warnings == (reason.text,)


def test_what_remains_is_no_reason_of_a_figure_that_it_cannot_have_moved() -> None:
    """The same, beside cases of short readings: most of these are spared, and they are clean."""
    calm = quiet_run(wall=0.4)
    run = [dataclasses.replace(b, values=b.values[:3] if b.case == 1 else np.tile(b.values, 20)) for b in calm]
    verdict = judge(changed(run, lambda block: True, others=0.12), 2)
    assert {case for (_, case), of in verdict.cases.items() if of.reasons} == {1}
    assert {run[i].case for reason in verdict.reasons for i in reason.blocks} == {1}
