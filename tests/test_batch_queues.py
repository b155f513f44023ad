"""Queues with limits: every policy against its twin, by the limits' definitions; idle time, files, refusals."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.throughput import swf
from assay.throughput.job_queues import JobQueue, QueueRules
from assay.throughput.workload import Workload
from batch_twin import POLICIES, Twin, TwinJob, TwinQueue
from command_line import assay
from test_batch_placement import PLACED, Wanted, placed
from test_batch_policies import AGEING, HALF_LIFE, scheduled, workloads
from test_throughput_placed import files

Case = tuple[int, list[TwinJob], list[TwinQueue], TwinQueue]
CAUSES = ("nobody_waited", "none_fitted", "limited", "held")


@st.composite
def queued(draw: st.DrawFn) -> Case:
    """A workload over up to three queues, no job of which is wider than its limits ever let run."""
    processors, jobs = draw(workloads())
    some = st.one_of(st.none(), st.integers(1, 3))
    wide = st.one_of(st.none(), st.integers(1, processors))
    queues = [
        TwinQueue(draw(st.integers(0, 2)), draw(some), draw(wide), draw(some), draw(wide))
        for _ in range(draw(st.integers(1, 3)))
    ]
    everywhere = TwinQueue(0, None, None, draw(some), draw(wide))
    for job in jobs:
        job.queue = draw(st.integers(0, len(queues) - 1))
        own = queues[job.queue]
        bounds = (own.processors, own.user_processors, everywhere.user_processors)
        job.width = min(job.width, *(each for each in bounds if each is not None), processors)
    return processors, jobs, queues, everywhere


def rules_of(queues: list[TwinQueue], everywhere: TwinQueue) -> QueueRules:
    """The same in the form of the machine's file."""
    made = tuple(
        JobQueue(
            name=str(at),
            priority=float(each.rank),
            max_running_jobs=each.jobs,
            max_running_processors=each.processors,
            max_user_jobs=each.user_jobs,
            max_user_processors=each.user_processors,
        )
        for at, each in enumerate(queues)
    )
    return QueueRules(made, everywhere.user_jobs, everywhere.user_processors)


def workload_of(jobs: list[TwinJob], queues: int) -> Workload:
    def column(name: str) -> np.ndarray:
        return np.array([getattr(job, name) for job in jobs], dtype=np.int64)

    return Workload(
        number=column("number"),
        submitted=column("submitted"),
        runs=column("runs"),
        requested=column("requested"),
        processors=column("width"),
        user=column("user"),
        priority=column("priority").astype(float),
        queue=column("queue"),
        queue_names=tuple(map(str, range(queues))),
    )


def rows_of(case: Case) -> tuple[object, ...]:
    _, jobs, queues, everywhere = case
    return rules_of(queues, everywhere).rows(workload_of(jobs, len(queues)))


def why_idle(case: Case, starts: list[int]) -> dict[str, int]:
    """Free processor seconds by why, second by second, from what ran and what waited in each."""
    processors, jobs, queues, everywhere = case
    twin = Twin(processors, jobs, queues=queues, everywhere=everywhere)
    found = dict.fromkeys(CAUSES, 0)
    begun = list(zip(jobs, starts, strict=True))
    for second in range(jobs[0].submitted, max(start + job.runs for job, start in begun)):
        running = [job for job, start in begun if start <= second < start + job.runs]
        for job in running:
            assert twin.allows(job, [other for other in running if other is not job])
        free = processors - sum(job.width for job in running)
        waiting = [job for job, start in begun if job.submitted <= second < start]
        fitting = [job for job in waiting if job.width <= free]
        allowed = [job for job in fitting if twin.allows(job, running)]
        why = "held" if allowed else "limited" if fitting else "none_fitted" if waiting else "nobody_waited"
        found[why] += free
    return found


def agree(policy: str, case: Case, cost: int) -> None:
    processors, jobs, queues, everywhere = case
    twin = Twin(processors, copy.deepcopy(jobs), AGEING, HALF_LIFE, cost, queues, everywhere)
    found = scheduled(policy, processors, jobs, cost, rows_of(case))
    starts = [int(start) for start in found["starts"]]  # type: ignore[attr-defined]
    decide = POLICIES[policy]()
    assert (twin.run_in_time(decide) if cost else twin.run(decide)) == starts
    if not cost:
        assert {why: found[why] for why in CAUSES} == why_idle(case, starts)


@pytest.mark.parametrize("policy", POLICIES)
@given(case=queued(), cost=st.sampled_from([0, 0, 0, 1, 4]))
@settings(max_examples=60, deadline=None)
def test_a_policy_with_queues_is_its_definition(policy: str, case: Case, cost: int) -> None:
    agree(policy, case, cost)


@pytest.mark.nightly
@pytest.mark.parametrize("policy", POLICIES)
@given(case=queued(), cost=st.integers(0, 3))
@settings(max_examples=10_000, deadline=None)
def test_a_policy_with_queues_is_its_definition_in_ten_thousand_workloads(policy: str, case: Case, cost: int) -> None:
    agree(policy, case, cost)


@pytest.mark.parametrize("policy", PLACED)
@given(case=queued())
@settings(max_examples=30, deadline=None)
def test_limits_hold_where_jobs_are_placed(policy: str, case: Case) -> None:
    """On one node places are counts."""
    processors, jobs, queues, everywhere = case
    group, (limits, groups) = rows_of(case)  # type: ignore[misc]
    wanted = [Wanted(limits=groups[at][1], rank=groups[at][0]) for at in group.tolist()]  # type: ignore[attr-defined]
    found = placed((1, processors, "scattered", False), policy, jobs, wanted, tuple(limits))
    twin = Twin(processors, copy.deepcopy(jobs), AGEING, HALF_LIFE, 0, queues, everywhere)
    assert found["starts"] == twin.run(POLICIES[policy]())
    assert {why: found[why] for why in CAUSES} == why_idle(case, found["starts"])  # type: ignore[arg-type]


QUEUES = """
[machine]
nodes = 8
[[queue]]
name = "long"
max_running_processors = 4
[[queue]]
name = "short"
numbers = [2, 3]
priority = 10
max_processors = 2
max_time = "10 s"
"""
TABLE = """
[l]
processors = 3
time = "20 s"
[s]
processors = 2
time = "5 s"
queue = "short"
[wide]
processors = 3
time = "5 s"
queue = "short"
[late]
processors = 1
time = "11 s"
queue = "short"
[huge]
processors = 9
time = "1 s"
"""
MIX = "0: 2 * l\n1: 1 * s\n1: 1 * wide\n1: 1 * late\n2: 1 * huge\n"


def test_queues_in_the_machines_file_and_what_a_person_reads(tmp_path: Path) -> None:
    """The second long job is kept back until 20 although five processors are free: three of them while s runs."""
    asked = (*files(tmp_path, QUEUES, TABLE, MIX), "--policy", "fcfs")
    page = tmp_path / "page.html"
    found = assay(*asked, "--json", "--export", str(page)).document
    starts = {job["name"]: job["started"] for job in found["jobs"]}
    assert starts == {"l.1": 0, "l.2": 20, "s.1": 1}
    assert found["idle"]["limited"]["processor_seconds"] == 5 * 20 - 2 * 5
    assert {job["name"]: job["why"] for job in found["refused"]} == {
        "wide.1": "wider than queue short allows",
        "late.1": "longer than queue short allows",
        "huge.1": "wider than the machine",
    }
    long, short = found["queues"]
    assert (long["name"], long["definition"], long["jobs"], long["refused"]) == (
        "long", {"max_running_processors": 4}, 2, 1
    )  # fmt: skip
    assert (long["mean_wait"], long["longest_wait"], long["processor_seconds"]) == (10, 20, 120)
    assert short["definition"] == {"numbers": [2, 3], "priority": 10, "max_processors": 2, "max_time": "10 s"}
    assert (short["jobs"], short["refused"], short["mean_wait"]) == (1, 2, 0)
    shown = assay(*asked).out
    assert "a limit excluded" in shown and "wider than queue short allows, refused: wide.1 (3)" in shown
    assert "queue long: max_running_processors 4" in shown and "max_running_processors 4" in page.read_text()
    limit = ("--set", "queue.0.max_running_processors=6,4", "--json")
    points = assay(*asked, *limit).document["points"]
    assert [point["result"]["makespan"] for point in points] == [20, 40]


def test_a_user_has_no_more_than_the_machine_allows(tmp_path: Path) -> None:
    """Without queues: one job of each user at a time."""
    table = '[a]\nprocessors = 1\ntime = "5 s"\nuser = "x"\n[b]\nprocessors = 1\ntime = "5 s"\nuser = "y"\n'
    asked = files(tmp_path, "[machine]\nnodes = 8\n[batch]\nmax_user_jobs = 1\n", table, "0: 2 * a\n0: 1 * b\n")
    for policy in ("easy", "conservative"):
        found = assay(*asked, "--policy", policy, "--json").document
        assert [job["started"] for job in found["jobs"]] == [0, 5, 0] and "queues" not in found
    placed_too = assay(*asked, "--set", "batch.allocation=scattered", "--json").document
    assert [job["started"] for job in placed_too["jobs"]] == [0, 5, 0]


def test_field_15_is_the_queue(tmp_path: Path) -> None:
    """Queue 3 is short and goes first; what names none is of the first queue; the queue is written again."""
    line = "{} 0 -1 5 4 -1 -1 4 5 -1 1 1 1 1 {} -1 -1 -1\n"
    (tmp_path / "jobs.swf").write_text("".join(line.format(at, queue) for at, queue in ((1, -1), (2, -1), (3, 3))))
    (tmp_path / "machine.toml").write_text(QUEUES.replace("max_processors = 2", ""))
    asked = ("throughput", str(tmp_path / "jobs.swf"), "--on", str(tmp_path / "machine.toml"), "--json")
    out = tmp_path / "out.swf"
    found = assay(*asked, "--schedule", str(out)).document
    assert [job["started"] for job in found["jobs"]] == [0, 5, 0]
    assert [queue["jobs"] for queue in found["queues"]] == [2, 1]
    again = swf.read(out)
    assert again.queue is not None and [again.queue_names[at] for at in again.queue] == ["", "", "3"]
    text = (tmp_path / "jobs.swf").read_text()
    (tmp_path / "jobs.swf").write_text(text.replace(" 1 3 -1", " 1 7 -1"))
    answer = assay(*asked)
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "there is no such queue on the machine, and job 3 is submitted to it; got '7'" in answer.err
    assert "expected long, short, 2, 3" in answer.err


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        (QUEUES.replace('"10 s"', '"ten"'), ":12: queue.1.max_time:"),
        (QUEUES.replace('"long"', '"short"'), "queue.1.name: is of another queue, too; got 'short'"),
        (QUEUES.replace("[2, 3]", "[2, 2]"), "queue.1.numbers: is of another queue, too; got '2'"),
        (
            QUEUES.replace("max_running_processors = 4", "max_running_jobs = 0"),
            ":6: queue.0.max_running_jobs: is out of bounds",
        ),
        (QUEUES.replace("priority", "prio"), "there is no such key in [queue.1]; did you mean priority?"),
    ],
)
def test_a_queue_that_cannot_be_is_refused_in_a_line(machine: str, words: str, tmp_path: Path) -> None:
    answer = assay(*files(tmp_path, machine, TABLE, MIX))
    assert answer.status == 2 and answer.err.count("\n") == 1 and words in answer.err, answer.err
