"""Jobs that slow one another down: against a twin over a dense time line in exact fractions, and closed forms."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._core import batch
from batch_twin import POLICIES, Twin, TwinJob
from command_line import assay
from test_batch_placement import PLACED
from test_batch_policies import AGEING, HALF_LIFE, workloads

# Capacities; of each kind of jobs what a processor demands, and the part of its run that it spends there. Powers of
# two, so that the core's doubles are the twin's fractions.
RESOURCES = [4.0, 8.0]
KINDS = [[(0.0, 0.0), (0.0, 0.0)], [(1.0, 1.0), (0.0, 0.0)], [(2.0, 0.5), (1.0, 0.25)], [(4.0, 0.25), (4.0, 0.75)]]
NO_QUEUES: tuple[object, ...] = (np.zeros(0, dtype=np.int64), ([], []))


@dataclass
class SlowTwin(Twin):
    """A twin whose jobs' `runs` are what they requested until their work is done: then what they took."""

    kinds: list[int] = field(default_factory=list)
    killed: set[int] = field(default_factory=set)

    def paces(self, jobs: list[TwinJob]) -> dict[int, Fraction]:
        found = {}
        for job in jobs:
            pace = Fraction(1)
            for at, capacity in enumerate(RESOURCES):
                demand = sum(Fraction(KINDS[self.kinds[each.number]][at][0]) * each.width for each in jobs)
                part = Fraction(KINDS[self.kinds[job.number]][at][1])
                pace += part * (max(Fraction(1), demand / Fraction(capacity)) - 1)
            found[job.number] = pace
        return found

    def run_slowly(self, decide: Callable[[Twin], None]) -> list[int]:
        """As `run`; in each second every job that runs does the second over its pace of its work."""
        work = {job.number: Fraction(job.runs) for job in self.jobs}
        for job in self.jobs:
            job.runs = job.requested if job.runs else 0
        while any(job.started is None for job in self.jobs) or any(left > 0 for left in work.values()):
            self.second(decide)
            jobs = [job for job in self.jobs if job.started is not None and job.started + job.runs > self.now]
            paces = self.paces([job for job in jobs if work[job.number] > 0])
            self.now += 1
            for job in jobs:
                work[job.number] -= 1 / paces[job.number]
                limit = job.started is not None and self.now - job.started >= job.requested
                if work[job.number] <= 0 or limit:
                    job.runs = self.now - (job.started or 0)
                    self.killed |= {job.number} if work[job.number] > 0 else set()
                    work[job.number] = Fraction(0)
            assert self.now < 100_000
        return [job.started or 0 for job in self.jobs]


def rows(kinds: list[int], nodes: int = 0) -> Any:
    return [(capacity, nodes) for capacity in RESOURCES], KINDS, kinds


def scheduled(policy: str, processors: int, jobs: list[TwinJob], shared: Any = None, cost: int = 0) -> dict[str, Any]:
    names = ("submitted", "runs", "requested", "width", "user")
    columns = [np.array([getattr(job, name) for job in jobs], dtype=np.int64) for name in names]
    priority = np.array([float(job.priority) for job in jobs])
    more = () if shared is None else (shared,)
    found: dict[str, Any] = batch.schedule(
        processors, policy, *columns, priority, AGEING, HALF_LIFE, cost, *NO_QUEUES, *more
    )
    return found


def placed(layout: tuple[int, int], policy: str, jobs: list[TwinJob], shared: Any) -> dict[str, Any]:
    columns = [[getattr(job, name) for job in jobs] for name in ("submitted", "runs", "requested", "width", "user")]
    needs = [(0, 0, 0, 0, [], 0.0, []) for _ in jobs]
    priority = [float(job.priority) for job in jobs]
    row = (*layout, "scattered", False, [])
    found: dict[str, Any] = batch.place(row, policy, columns, priority, needs, [], [], False, AGEING, HALF_LIFE, shared)
    return found


KIND_LISTS = st.lists(st.integers(0, len(KINDS) - 1), min_size=14, max_size=14)


def agree(policy: str, given: tuple[int, list[TwinJob]], kinds: list[int], stretch: int) -> None:
    processors, jobs = given
    for job in jobs:
        job.requested *= stretch
    kinds = kinds[: len(jobs)]
    twin = SlowTwin(processors, copy.deepcopy(jobs), ageing=AGEING, half_life=HALF_LIFE, kinds=kinds)
    starts = twin.run_slowly(POLICIES[policy]())
    ends = [start + job.runs for start, job in zip(starts, twin.jobs, strict=True)]
    found = scheduled(policy, processors, jobs, rows(kinds))
    assert (list(found["starts"]), found["ends"]) == (starts, ends)
    assert {at for at, killed in enumerate(found["killed"]) if killed} == twin.killed
    held = sum(job.width * (end - start) for job, start, end in zip(jobs, starts, ends, strict=True))
    idle = sum(found[why] for why in ("nobody_waited", "none_fitted", "held"))
    assert held + idle == processors * (max(ends) - jobs[0].submitted)
    if policy in PLACED:  # on a machine of one node, which is its own group
        on_nodes = placed((1, processors), policy, jobs, rows(kinds, 1))
        assert (on_nodes["starts"], on_nodes["ends"], on_nodes["killed"]) == (starts, ends, found["killed"])


@pytest.mark.parametrize("policy", POLICIES)
@given(workloads(), KIND_LISTS, st.sampled_from([1, 3, 20]))
@settings(max_examples=60, deadline=None)
def test_slowed_jobs_are_their_definition(
    policy: str, given: tuple[int, list[TwinJob]], kinds: list[int], stretch: int
) -> None:
    agree(policy, given, kinds, stretch)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("policy", POLICIES)
@given(workloads(9), KIND_LISTS, st.sampled_from([1, 3, 5]))
@settings(max_examples=10_000, deadline=None)
def test_slowed_jobs_are_their_definition_in_ten_thousand_workloads(
    policy: str, given: tuple[int, list[TwinJob]], kinds: list[int], stretch: int
) -> None:
    agree(policy, given, kinds, stretch)


@pytest.mark.parametrize("policy", POLICIES)
@given(workloads(), st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_where_nobody_is_slowed_the_schedule_is_that_without_the_model(
    policy: str, given: tuple[int, list[TwinJob]], cost: int
) -> None:
    """A capacity that is never reached: the same starts and idle times, whether decisions take time or not."""
    processors, jobs = given
    plain = scheduled(policy, processors, jobs, None, cost)
    wide = scheduled(policy, processors, jobs, ([(1e9, 0)], [[(1.0, 1.0)]], [0] * len(jobs)), cost)
    assert list(wide["starts"]) == list(plain["starts"]) and not any(wide["killed"])
    assert wide["ends"] == [start + job.runs for start, job in zip(plain["starts"], jobs, strict=True)]
    for why in ("nobody_waited", "none_fitted", "held", "scheduler", "decisions"):
        assert wide[why] == plain[why]


def one(at: int, submitted: int, runs: int, requested: int = 1000, width: int = 1) -> TwinJob:
    return TwinJob(at, submitted, runs, requested, width)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("part", [0.25, 0.5, 1.0])
def test_equal_jobs_share_a_resource_that_one_of_them_fills(count: int, part: float) -> None:
    """n at once take 1 + s (n - 1) times as long."""
    jobs = [one(at, 0, 80) for at in range(count)]
    found = scheduled("fcfs", 8, jobs, ([(1.0, 0)], [[(1.0, part)]], [0] * count))
    assert found["ends"] == [80 * (1 + part * (count - 1))] * count


def test_a_pace_changes_when_a_job_comes_and_goes() -> None:
    """The first alone for 10 s; both at half pace until the second is done, 40 s; the first alone for 70 more."""
    jobs = [one(0, 0, 100), one(1, 10, 20)]
    found = scheduled("fcfs", 2, jobs, ([(1.0, 0)], [[(1.0, 1.0)]], [0, 0]))
    assert found["ends"] == [10 + 40 + 70, 10 + 40]


def test_a_job_that_others_slow_is_ended_at_its_limit() -> None:
    """Both need 100 s at half pace and requested 150 and 300: the first is ended at 150 after 75 s of its work."""
    jobs = [one(0, 0, 100, 150), one(1, 0, 100, 300)]
    found = scheduled("easy", 2, jobs, ([(1.0, 0)], [[(1.0, 1.0)]], [0, 0]))
    assert found["ends"] == [150, 150 + 25] and found["killed"] == [True, False]


def test_only_jobs_of_the_same_nodes_share_what_nodes_have() -> None:
    """Four nodes of two: 0 and 1 on node 0, 2 fills node 1, 3 has nodes 2 and 3. A resource a node, or for two."""
    jobs = [one(0, 0, 60), one(1, 0, 60), one(2, 0, 60, width=2), one(3, 0, 60, width=4)]
    kinds = [[(1.0, 1.0)]]
    alone = placed((4, 2), "fcfs", jobs, ([(2.0, 1)], kinds, [0] * 4))
    assert alone["ends"] == [60] * 4
    narrow = placed((4, 2), "fcfs", jobs, ([(1.0, 1)], kinds, [0] * 4))
    assert narrow["ends"] == [120] * 4  # two processors on each node
    pairs = placed((4, 2), "fcfs", jobs[:3], ([(2.0, 2)], kinds, [0] * 3))
    assert pairs["ends"] == [120] * 3  # four processors on nodes 0 and 1
    assert placed((4, 2), "fcfs", jobs, ([(8.0, 0)], kinds, [0] * 4))["ends"] == [60] * 4  # 8 of the machine


SHARED = '\n[[shared]]\nname = "network"\ncapacity = 2\nunit = "GB/s"\ndemand = 1\npart = 0.5\n'
TABLE = """
[quiet]
processors = 1
time = "100 s"
limit = "1000 s"
uses = { network = { demand = 0 } }
[loud]
processors = 2
time = "100 s"
limit = "1000 s"
uses = { network = { demand = 2, part = 1 } }
[short]
processors = 1
time = "100 s"
limit = "140 s"
"""


def run(folder: Path, schedule: str, *more: str, machine: str = SHARED) -> Any:
    (folder / "jobs.toml").write_text(TABLE)
    (folder / "mix").write_text(schedule)
    (folder / "machine.toml").write_text("[machine]\nnodes = 8\n" + machine)
    words = ("throughput", str(folder / "mix"), "--jobs", str(folder / "jobs.toml"))
    return assay(*words, "--on", str(folder / "machine.toml"), *more)


def test_what_jobs_cost_one_another_is_reported(tmp_path: Path) -> None:
    """4 + 0 + 1 GB/s of 2: loud has pace 2.5; quiet, of which half waits there, 1.75; short as well, up to its limit.

    From 140 s on only loud demands 4 of 2. Alone loud demands more than there is, too.
    """
    page = tmp_path / "page.html"
    schedule = "0: 1 * quiet\n0: 1 * loud\n0: 1 * short\n"
    found = run(tmp_path, schedule, "--json").document
    quiet = 140 + (100 - 140 / 1.75) * 1.5
    loud = 140 + (100 - 140 / 2.5) * 2
    jobs = {job["name"]: job for job in found["jobs"]}
    assert [jobs[name]["ended"] for name in ("quiet.1", "loud.1", "short.1")] == [quiet, loud, 140]
    assert jobs["short.1"]["state"] == "time limit" and found["failed"] == 1
    assert jobs["loud.1"]["slowdown"] == pytest.approx(loud / 100)
    beside = found["interference"]
    assert (beside["killed"], beside["slowed"], beside["largest"]) == (1, 2, loud / 100)
    assert beside["overall"] == pytest.approx((quiet + 2 * loud) / 300)
    assert beside["resources"][0]["unit"] == "GB/s" and beside["resources"][0]["source"] == "assumed"
    assert found["least_makespan"] == 100  # alone
    said = run(tmp_path, schedule, "--export", str(page))
    assert "ended at their limit, slowed by others" in said.out
    assert "What jobs cost one another" in page.read_text()
    assert "interference" not in run(tmp_path, schedule, "--json", machine="").document
    wide = run(tmp_path, schedule, "--json", "--set", "shared.0.capacity=100").document
    assert [job["ended"] for job in wide["jobs"]] == [100] * 3 and wide["interference"]["overall"] == 1


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        (SHARED.replace("capacity = 2", "capacity = 0"), ":6: shared.0.capacity: is out of bounds; got 0"),
        (SHARED.replace("part = 0.5", "part = 1.5"), ":9: shared.0.part: is out of bounds; got 1.5"),
        (SHARED + SHARED, "shared.1.name: is of another resource, too; got 'network'"),
        (SHARED.replace('"network"', '"disk"'), "uses: is no shared resource of the machine, and quiet.1 uses it"),
        (
            SHARED + '[[shared]]\nname = "disk"\ncapacity = 1\npart = 0.6\n',
            "part: of quiet.1 with all shared resources",
        ),
    ],
)
def test_wrong_shared_resources_are_refused_in_a_line(machine: str, words: str, tmp_path: Path) -> None:
    answer = run(tmp_path, "0: 1 * quiet\n", machine=machine)
    assert answer.status == 2 and answer.err.count("\n") == 1 and words in answer.err, answer.err
