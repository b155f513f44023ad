"""Simulated batch policies against twins written from their definitions, and against what is proven of them."""

from __future__ import annotations

import copy
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._core import batch
from batch_twin import POLICIES, Conservative, Twin, TwinJob

AGEING, HALF_LIFE = 0.25, 7.0  # short beside the workloads, so that they matter


@st.composite
def workloads(draw: st.DrawFn, most: int = 9) -> tuple[int, list[TwinJob]]:
    processors = draw(st.sampled_from([1, 2, 3, 4, 7, 8]))
    spread = draw(st.sampled_from([0, 3, 10, 20]))
    count = draw(st.integers(1, most))
    jobs = []
    for number, submitted in enumerate(sorted(draw(st.integers(0, spread)) for _ in range(count))):
        runs = draw(st.integers(0, 8))
        requested = max(1, runs + draw(st.sampled_from([0, 0, 1, 3, 9])))
        width = draw(st.integers(1, processors))
        jobs.append(
            TwinJob(number, submitted, runs, requested, width, draw(st.integers(0, 2)), draw(st.integers(0, 3)))
        )
    return processors, jobs


def scheduled(
    policy: str, processors: int, jobs: list[TwinJob], cost: int = 0, queues: tuple[object, ...] | None = None
) -> dict[str, object]:
    def column(name: str) -> np.ndarray:
        return np.array([getattr(job, name) for job in jobs], dtype=np.int64)

    whole = (column(name) for name in ("submitted", "runs", "requested", "width", "user"))
    priority = np.array([float(job.priority) for job in jobs])
    group, rows = queues or (np.zeros(0, dtype=np.int64), ([], []))
    found: dict[str, object] = batch.schedule(
        processors, policy, *whole, priority, AGEING, HALF_LIFE, cost, group, rows
    )
    return found


def starts(policy: str, processors: int, jobs: list[TwinJob]) -> list[int]:
    return [int(start) for start in scheduled(policy, processors, jobs)["starts"]]  # type: ignore[attr-defined]


def agree(policy: str, given: tuple[int, list[TwinJob]]) -> None:
    processors, jobs = given
    twin = Twin(processors, copy.deepcopy(jobs), ageing=AGEING, half_life=HALF_LIFE)
    assert twin.run(POLICIES[policy]()) == starts(policy, processors, jobs)


def crowded(seed: int) -> tuple[int, list[TwinJob]]:
    """Twelve jobs that come within four seconds, of few lengths, so that several are expected to end at one second."""
    dice = random.Random(seed)
    processors = dice.choice([5, 7, 8])
    jobs = []
    for number, submitted in enumerate(sorted(dice.randrange(4) for _ in range(12))):
        runs = dice.choice([1, 2, 4, 4, 8])
        requested, width = runs * dice.choice([1, 1, 2]), dice.randint(1, processors)
        jobs.append(TwinJob(number, submitted, runs, requested, width, dice.randrange(3), dice.randrange(4)))
    return processors, jobs


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_is_its_definition_where_many_wait(policy: str) -> None:
    for seed in range(400):
        agree(policy, crowded(seed))


@pytest.mark.parametrize("seed", range(8))
def test_conservative_is_its_definition_where_a_deep_queue_moves_again_and_again(seed: int) -> None:
    """Requests of one to ten times the run: at each early end several of thirty jobs move, and some more than once."""
    dice = random.Random(seed)
    jobs = []
    for number, submitted in enumerate(sorted(dice.randrange(12) for _ in range(30))):
        runs, width = dice.randint(1, 6), min(8, dice.choice([1, 1, 2, 2, 3, 4, 6, 8]))
        jobs.append(TwinJob(number, submitted, runs, round(runs * dice.uniform(1, 10)), width))
    agree("conservative", (8, jobs))


@pytest.mark.parametrize("policy", POLICIES)
@given(workloads())
@settings(max_examples=150, deadline=None)
def test_a_policy_is_its_definition(policy: str, given: tuple[int, list[TwinJob]]) -> None:
    agree(policy, given)


def agree_in_time(policy: str, given: tuple[int, list[TwinJob]], cost: int) -> None:
    processors, jobs = given
    twin = Twin(processors, copy.deepcopy(jobs), ageing=AGEING, half_life=HALF_LIFE, cost=cost)
    found = scheduled(policy, processors, jobs, cost)
    assert twin.run_in_time(POLICIES[policy]()) == [int(start) for start in found["starts"]]  # type: ignore[attr-defined]
    last = max((job.started or 0) + job.runs for job in twin.jobs)
    work = sum(job.width * job.runs for job in jobs)
    idle = sum(int(found[why]) for why in ("nobody_waited", "none_fitted", "held", "scheduler"))  # type: ignore[call-overload]
    assert work + idle == processors * (last - jobs[0].submitted)


@pytest.mark.parametrize("policy", POLICIES)
@given(workloads(), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_decisions_that_take_time_are_their_definition(
    policy: str, given: tuple[int, list[TwinJob]], cost: int
) -> None:
    """What happens while the scheduler decides waits for its next decision; idle time is accounted all the same."""
    agree_in_time(policy, given, cost)


def test_a_decision_that_takes_time_by_hand() -> None:
    """Two processors, decisions of 3 s. Job 0 comes at 0 and starts at 3; job 1 comes at 1, is decided on from 3 to 6
    and starts then; job 2 needs both: job 0 ends at 13, job 1 at 16, and 3 s later it starts.

    Decisions begin at 0, 3, 13, 16 and, after job 2, at 24 s.
    """
    jobs = [TwinJob(0, 0, 10, 10, 1), TwinJob(1, 1, 10, 10, 1), TwinJob(2, 2, 5, 5, 2)]
    found = scheduled("fcfs", 2, jobs, 3)
    assert [int(start) for start in found["starts"]] == [3, 6, 19]  # type: ignore[attr-defined]
    assert (found["nobody_waited"], found["scheduler"], found["decisions"]) == (0, 2 * 3 + 3 + 2 * 3, 5)


def test_all_that_should_have_ended_before_a_late_decision_is_extra() -> None:
    """Five processors, decisions of 3 s. Jobs of 1, 1 and 2 start at 3 and end at 13, 14 and 103. Jobs of 2 and of 1
    come at 12 and are decided on for 15. By then the ends at 13 and 14 leave two for the first and one extra, so that
    the second, long one starts at 15 on the processor that is free; the first is started by the next decision, at 18.
    """
    jobs = [
        TwinJob(0, 0, 10, 10, 1),
        TwinJob(1, 0, 11, 11, 1),
        TwinJob(2, 0, 100, 100, 2),
        TwinJob(3, 12, 5, 5, 2),
        TwinJob(4, 12, 50, 50, 1),
    ]
    for policy in ("easy", "priority", "fairshare"):
        assert [int(at) for at in scheduled(policy, 5, jobs, 3)["starts"]] == [3, 3, 3, 18, 15]  # type: ignore[attr-defined]


def test_a_job_is_learned_of_in_the_second_for_which_is_decided() -> None:
    """Conservative reserves from then on: a place before it would come too late, and all would be made anew."""
    rows = [(2, 3, 12, 4), (3, 3, 3, 3), (3, 8, 8, 4), (4, 0, 1, 1), (9, 4, 5, 2), (10, 1, 1, 1), (18, 7, 16, 2)]
    agree_in_time("conservative", (4, [TwinJob(number, *row) for number, row in enumerate(rows)]), 3)


def test_compression_goes_on_until_no_job_moves() -> None:
    """One pass leaves the machine empty from 132 to 147, where job 1 would fit."""
    rows = [(40, 39, 139, 2), (45, 57, 157, 4), (46, 7, 7, 4), (46, 55, 55, 4), (46, 48, 48, 1), (51, 53, 53, 2)]
    jobs = [TwinJob(number, *row) for number, row in enumerate(rows)]
    assert starts("conservative", 4, jobs)[1] == 132
    agree("conservative", (4, jobs))


@given(workloads(14))
@settings(max_examples=200, deadline=None)
def test_conservative_keeps_nobody_back_in_vain(given: tuple[int, list[TwinJob]]) -> None:
    """A job that waits never fits beside what is reserved, and none is later than its first reservation."""
    processors, jobs = given
    twin, policy = Twin(processors, copy.deepcopy(jobs)), Conservative()
    first: dict[int, int] = {}

    def decide(at: Twin) -> None:
        policy(at)
        for job in at.waiting():
            assert job.reserved is not None and not policy.fits(at, job, at.now)
            first.setdefault(job.number, job.reserved)

    twin.run(decide)
    found = starts("conservative", processors, jobs)
    assert found == [job.started for job in twin.jobs]
    assert all(found[number] <= at for number, at in first.items())


@pytest.mark.nightly
@pytest.mark.parametrize("policy", POLICIES)
@given(workloads(14), st.integers(0, 3))
@settings(max_examples=10_000, deadline=None)
def test_a_policy_is_its_definition_in_ten_thousand_workloads(
    policy: str, given: tuple[int, list[TwinJob]], cost: int
) -> None:
    agree_in_time(policy, given, cost) if cost else agree(policy, given)


def test_mualem_and_feitelsons_backfill_by_hand() -> None:
    """8 processors: 6 run for 10 s; the first waiting job needs 4 at 10 s, so 4 are extra then.

    A job of 2 for 10 s ends in time; one of 2 for 30 s uses two of the four extra; a third of 3 finds too few free.
    """
    jobs = [
        TwinJob(0, 0, 10, 10, 6),
        TwinJob(1, 1, 5, 5, 4),
        TwinJob(2, 2, 30, 30, 2),
        TwinJob(3, 3, 30, 30, 3),
    ]
    assert starts("easy", 8, jobs) == [0, 10, 2, 15]
    assert starts("fcfs", 8, jobs) == [0, 10, 10, 15]
    assert starts("firstfit", 8, jobs)[2] == 2


def test_all_that_end_at_the_shadow_second_are_extra_and_are_used_up() -> None:
    """8 processors: 2 and 2 run to 10, 1 for ever. The first that waits needs 5: its second is 10, with 2 extra.

    Of two long ones behind it, for which there is room now, the first takes one of the extra; the second needs two.
    """
    jobs = [
        TwinJob(0, 0, 10, 10, 2),
        TwinJob(1, 0, 10, 10, 2),
        TwinJob(2, 0, 90, 90, 1),
        TwinJob(3, 1, 20, 20, 5),
        TwinJob(4, 2, 30, 30, 1),
        TwinJob(5, 2, 30, 30, 2),
    ]
    assert starts("easy", 8, jobs) == [0, 0, 0, 10, 2, 30]


def test_first_fit_starves_a_wide_job_that_easy_serves() -> None:
    """Narrow jobs that keep coming hold the wide one up for ever; its reservation makes them wait."""
    narrow = [TwinJob(0, 0, 4, 4, 2), *(TwinJob(2 + i, 2 + 2 * i, 4, 4, 2) for i in range(20))]
    jobs = sorted([*narrow, TwinJob(1, 1, 4, 4, 4)], key=lambda job: job.submitted)
    assert starts("easy", 4, jobs)[1] == 4
    assert starts("firstfit", 4, jobs)[1] > 40


@given(workloads(12))
@settings(max_examples=200, deadline=None)
def test_fcfs_never_overtakes(given: tuple[int, list[TwinJob]]) -> None:
    found = starts("fcfs", *given)
    assert found == sorted(found)


@given(workloads(12))
@settings(max_examples=200, deadline=None)
def test_conservative_delays_no_job_beyond_its_first_reservation(given: tuple[int, list[TwinJob]]) -> None:
    """With times requested exactly, later jobs change nothing: the schedule of a prefix is that of the whole."""
    processors, jobs = given
    exact = [replace(job, runs=max(1, job.runs), requested=max(1, job.runs)) for job in jobs]
    whole = starts("conservative", processors, exact)
    for count in range(1, len(exact)):
        assert starts("conservative", processors, exact[:count]) == whole[:count]


@pytest.mark.parametrize("policy", POLICIES)
@given(given=workloads(12))
@settings(max_examples=100, deadline=None)
def test_processors_are_never_oversubscribed_and_all_idle_time_is_accounted(
    policy: str, given: tuple[int, list[TwinJob]]
) -> None:
    processors, jobs = given
    found = scheduled(policy, processors, jobs)
    begun = [int(start) for start in found["starts"]]  # type: ignore[attr-defined]
    assert all(start >= job.submitted for start, job in zip(begun, jobs, strict=True))
    last = max(start + job.runs for start, job in zip(begun, jobs, strict=True))
    for second in range(last):
        busy = sum(job.width for start, job in zip(begun, jobs, strict=True) if start <= second < start + job.runs)
        assert busy <= processors
    work = sum(job.width * job.runs for job in jobs)
    idle = sum(int(found[why]) for why in ("nobody_waited", "none_fitted", "held"))  # type: ignore[call-overload]
    assert work + idle == processors * (last - jobs[0].submitted)
