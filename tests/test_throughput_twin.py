"""Why processors of a live test were idle, its simulated twin with measured delays, and what its nodes did."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.throughput.activity import ActiveJob, JobActivity
from assay.throughput.activity_svg import activity_svg
from assay.throughput.live_idle import Spell, idle_times
from assay.throughput.node_use import nodes_used
from assay.throughput.occupancy import Occupancy, machine_use, steps
from assay.throughput.predicted import decision_delays, played, predicted

# On 4 processors: wide (3) runs 1 to 5 s after a second in which nothing else happened; a second wide one waits for it
# and starts at 6 s, a second later than it could; a narrow one comes at 3 s, fits, and is not started before 7 s.
HAND: list[Spell] = [(0.0, 1.0, 5.0, 3), (0.0, 6.0, 9.0, 3), (3.0, 7.0, 8.0, 1)]


def test_idle_time_by_hand() -> None:
    """0-1 reacting 4; 1-3 none fits 1 x 2; 3-5 the narrow one is held back 1 x 2; 5-6 reacting 4; 6-7 reacting 1;
    8-9 nobody waits 1.
    """
    found = {why: each.processor_seconds for why, each in idle_times(HAND, 4, 9.0).items()}
    assert found == pytest.approx({"nobody_waited": 1, "none_fitted": 2, "reacting": 9, "held": 2})


spells = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(1, 4)).map(
        lambda each: (float(each[0]), float(each[0] + each[1]), float(each[0] + each[1] + each[2]), each[3])
    ),
    min_size=1, max_size=12,
)  # fmt: skip


@given(spells)
def test_idle_and_work_are_the_whole_machine(jobs: list[Spell]) -> None:
    """On a machine wide enough for all at once, so that any starts are possible ones."""
    processors = sum(job[3] for job in jobs)
    makespan = max(job[2] for job in jobs)
    work = sum((over - begun) * width for _, begun, over, width in jobs)
    found = idle_times(jobs, processors, makespan)
    assert sum(each.processor_seconds for each in found.values()) == pytest.approx(processors * makespan - work)
    assert found["none_fitted"].processor_seconds == 0  # each fits at any time


looks = st.lists(
    st.tuples(st.integers(0, 120), st.integers(0, 6), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)),
    max_size=6,
)


@given(spells, looks)
def test_what_others_have_is_not_idle(jobs: list[Spell], seen: list[tuple[int, int, int, int, int]]) -> None:
    """On a machine that is wide enough for all of it: the books add up, whenever others came and went."""
    makespan = max(job[2] for job in jobs)
    processors = sum(job[3] for job in jobs) + 13
    at = sorted(
        (float(when), Occupancy(total=processors, others=others, down=down, reserved=kept, hidden=dark))
        for when, others, down, kept, dark in {each[0]: each for each in seen}.values()
    ) if seen else []  # fmt: skip
    work = sum((over - begun) * width for _, begun, over, width in jobs)
    taken = [(begins, each.taken) for begins, _, each in steps(at, makespan)]
    by_hand = 0.0
    for second in range(int(makespan)):
        now = [each for when, each in at if when <= second] or [each for _, each in at[:1]]
        by_hand += now[-1].taken if now else 0
    found = idle_times(jobs, processors, makespan, taken)
    assert sum(each.processor_seconds for each in found.values()) == pytest.approx(
        processors * makespan - work - by_hand
    )
    use = machine_use(at, work, makespan)
    assert (use is None) == (not at or not makespan)
    if use is not None:
        assert use.others + use.hidden + use.down + use.reserved == pytest.approx(by_hand)
        assert use.ours + use.idle + by_hand == pytest.approx(use.total * makespan)
        assert use.left == pytest.approx(processors - by_hand / makespan)


def test_delays_are_from_room_to_start() -> None:
    """The wide ones: a second each; the narrow one had room from its submission on (4 - 3 processors), and at 6 s."""
    assert decision_delays(HAND, 4) == pytest.approx([1.0, 1.0, 4.0])


def sequential(jobs: list[Spell], delay: float) -> float:
    """FCFS of jobs as wide as the machine: each starts a delay after the later of its submission and the one before."""
    now = 0.0
    for came, begun, over, _ in jobs:
        now = max(now, came) + delay + (over - begun)
    return now


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), min_size=1, max_size=10), st.integers(0, 20))
def test_the_twin_of_whole_machine_jobs_is_a_sum(drawn: list[tuple[int, int]], tenths: int) -> None:
    came = sorted(each[0] for each in drawn)
    delay = tenths / 10
    jobs: list[Spell] = [(float(at), float(at), float(at + run), 4) for at, (_, run) in zip(came, drawn, strict=True)]
    asked = [100.0] * len(jobs)
    makespan, _ = played(jobs, asked, 4, "fcfs", [delay], random.Random(1))
    # a submission in the time of a delay joins the decision: it never makes a later job's own start sooner
    assert makespan == pytest.approx(sequential(jobs, delay), abs=delay * len(jobs) + 1e-6)
    assert makespan <= sequential(jobs, delay) + 1e-6
    if tenths == 0:
        assert makespan == pytest.approx(sequential(jobs, 0.0))


def test_a_schedule_made_with_delays_is_predicted_from_itself() -> None:
    """60 jobs as wide as the machine, each 0.4 s after the one before: the delay is found, and the makespan again."""
    draws = random.Random(3)
    jobs, now = [], 0.0
    for _ in range(60):
        run = draws.uniform(1, 5)
        start = now + 0.4
        jobs.append((0.0, start, start + run, 8))
        now = start + run
    found = predicted(jobs, [600.0] * 60, 8, "backfill", now)
    assert found is not None and found.policy == "easy" and found.decision_delay == pytest.approx(0.4, abs=1e-9)
    assert abs(found.difference) < 0.01 and found.longest - found.least < 1e-6
    assert predicted(jobs, [600.0] * 60, 8, "PBS, backfill_depth 1", now) is None


def test_what_nodes_did_is_the_difference_of_counters(tmp_path: Path) -> None:
    def line(time: float, **counters: int) -> str:
        return json.dumps({"version": 3, "event": "node", "time": time, "host": "n1", "pid": 1, "used": 250,
                           "memory": 1000, "received": 0, "sent": 0, **counters})  # fmt: skip

    lines = [line(100.0, busy=50, all=100), line(110.0, busy=150, all=300, received=3000, sent=2000), '{"node", cut']
    (tmp_path / "a").write_text("\n".join(lines) + "\n")
    (tmp_path / "b").write_text(line(112.0, busy=150, all=340, received=3000, sent=2000, used=500) + "\n")
    (use,) = nodes_used([tmp_path / "a", tmp_path / "b", tmp_path / "none"], 100.0, 20.0)
    assert (use.node, use.begins, use.ends) == ("n1", [0.0, 10.0], [10.0, 12.0])
    assert use.processor == [0.5, 0.0] and use.memory == [0.25, 0.5] and use.network == [500.0, 0.0]
    job = ActiveJob(name="a.1", submitted=0, started=1, ended=12, processors=1, state="completed")
    svg = activity_svg([JobActivity(title="here", processors=1, jobs=(job,), use=(use,))])
    assert "n1: processors 50%" in svg and "n1: memory 25%" in svg and "network, to 0.5 kB/s" in svg
