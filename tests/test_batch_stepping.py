"""A policy asked step by step decides as the simulated one does; what only real jobs do keeps the machine's limits."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._core import batch
from batch_twin import POLICIES, TwinJob
from test_batch_policies import AGEING, HALF_LIFE, starts, workloads


def stepper(policy: str, processors: int, jobs: list[TwinJob]) -> batch.Stepper:
    columns = {key: np.array([getattr(job, key) for job in jobs], dtype=np.int64)
               for key in ("submitted", "requested", "width", "user")}  # fmt: skip
    return batch.Stepper(
        processors, policy, **columns, priority=np.array([float(job.priority) for job in jobs]), ageing=AGEING,
        half_life=HALF_LIFE,
    )  # fmt: skip


def stepped(policy: str, processors: int, jobs: list[TwinJob]) -> list[int]:
    """Starts by steps at every second at which something happens; each job takes at least a second."""
    asked = stepper(policy, processors, jobs)
    found = [-1] * len(jobs)
    ends: list[tuple[int, int]] = []
    arrivals = sorted(range(len(jobs)), key=lambda job: (jobs[job].submitted, job))
    while arrivals or ends or -1 in found:
        times = [ends[0][0]] if ends else []
        times += [jobs[arrivals[0]].submitted] if arrivals else []
        times += [asked.wakes] if asked.wakes >= 0 else []
        now = min(times)
        ended = []
        while ends and ends[0][0] == now:
            ended.append(heapq.heappop(ends)[1])
        came = [job for job in arrivals if jobs[job].submitted == now]
        arrivals = arrivals[len(came) :]
        for job in asked.step(now, ended, [], came):
            found[job] = now
            heapq.heappush(ends, (now + jobs[job].runs, job))
    return found


@pytest.mark.parametrize("policy", POLICIES)
@given(workloads())
@settings(max_examples=150, deadline=None)
def test_steps_decide_as_the_simulation_does(policy: str, given: tuple[int, list[TwinJob]]) -> None:
    processors, jobs = given
    for job in jobs:
        job.runs = max(1, job.runs)
        job.requested = max(job.runs, job.requested)
    assert stepped(policy, processors, jobs) == starts(policy, processors, jobs)


@pytest.mark.parametrize("policy", POLICIES)
@given(workloads(), st.data())
@settings(max_examples=150, deadline=None)
def test_jobs_that_run_on_or_go(policy: str, given: tuple[int, list[TwinJob]], data: st.DataObject) -> None:
    """Steps come late, jobs outlive their requests or are taken back: no processor is given twice, all others run."""
    processors, jobs = given
    asked = stepper(policy, processors, jobs)
    now, waiting, running, done = 0, set[int](), set[int](), set[int]()
    unknown = list(range(len(jobs)))
    idle_steps = 0
    while (unknown or waiting or running) and idle_steps < 400:
        now += data.draw(st.integers(0, 7))
        came = unknown[: data.draw(st.integers(0, 2))]
        unknown = unknown[len(came) :]
        ended = [job for job in sorted(running) if data.draw(st.integers(0, 3)) == 0]
        back = [job for job in sorted(waiting) if data.draw(st.integers(0, 9)) == 0]
        began = asked.step(now, ended, back, came)
        lost = [job for job in back if job not in began]
        waiting |= set(came)
        # A job that a late step starts before it takes it back runs: that is said by its being among the started.
        assert set(began) <= waiting
        waiting -= set(began) | set(lost)
        running = (running - set(ended)) | set(began)
        done |= set(ended) | set(lost)
        assert asked.free == processors - sum(jobs[job].width for job in running) >= 0
        idle_steps += 1
    now += 1
    while unknown or waiting or running:  # nothing more goes wrong: every job comes to its end
        asked_to_end = sorted(running)
        began = asked.step(now, asked_to_end, [], unknown)
        waiting |= set(unknown)
        unknown = []
        running = set(began)
        done |= set(asked_to_end)
        waiting -= running
        now = max(now + 1, asked.wakes)
    assert done == set(range(len(jobs)))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_job_that_runs_already_holds_its_processors(policy: str) -> None:
    jobs = [TwinJob(0, 0, 10, 10, 3, 0, 0), TwinJob(1, 5, 5, 5, 2, 0, 0)]
    asked = stepper(policy, 4, jobs)
    asked.adopt(0, 0, 4)
    assert asked.free == 1 and asked.step(5, [], [], [1]) == []
    assert asked.step(7, [0], [], []) == [1] and asked.free == 2


def test_what_cannot_be_is_refused() -> None:
    jobs = [TwinJob(0, 0, 10, 10, 3, 0, 0)]
    with pytest.raises(ValueError, match="wider than the machine"):
        stepper("easy", 2, jobs)
    asked = stepper("easy", 4, jobs)
    with pytest.raises(ValueError, match="job 0 cannot be ended"):
        asked.step(1, [0], [], [])
    assert asked.step(1, [], [], [0]) == [0]
    with pytest.raises(ValueError, match="backwards"):
        asked.step(0, [0], [], [])
    with pytest.raises(ValueError, match="job 0 cannot be submitted"):
        asked.step(2, [], [], [0])
