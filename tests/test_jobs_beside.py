"""Programs as jobs in one simulated world: alone as `run` plays them, wherever and whenever; never faster by others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._core import ranks as core
from assay.benchmark.record import benchmark
from assay.described.machine_file import DescribedMachine
from assay.errors import InputError
from assay.throughput.job_world import JobRun, JobWorld
from rank_checks import passes_simulated
from small_mixes import CROSSBAR, CUBE, LINE, described

# Names, ranks and settings: lengths on both sides of the protocols' ends, ready-made groups, computing, puts.
PROGRAMS: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "echo": ("echo", 2, ("--set", "bytes=8,3000", "--set", "repetitions=2")),
    "alltoall": ("alltoall", 4, ("--set", "bytes=64,2048")),
    "barrier": ("barrier", 3, ()),
    "allreduce": ("collective", 4, ("--set", "operation=allreduce", "--set", "algorithm=ring", "--set", "bytes=4096")),
    "two-level": ("collective", 4, ("--set", "operation=broadcast", "--set", "bytes=700")),
    "overlap": ("overlap", 2, ("--set", "bytes=2048")),
    "ring": ("ring", 3, ("--set", "bytes=900")),
}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DescribedMachine]:
    texts = {"crossbar": CROSSBAR, "cube": CUBE, "line": LINE}
    return {name: described(tmp_path_factory.mktemp(name), text) for name, text in texts.items()}


def in_the_world(machine: DescribedMachine, jobs: list[tuple[str, list[int], int]]) -> list[JobRun]:
    """What jobs (name, places, when they start, in ps) do beside one another, in their order."""
    world = JobWorld(machine)
    numbers: dict[int, int] = {}
    for at, (name, places, when) in sorted(enumerate(jobs), key=lambda each: each[1][2]):
        while world.now < when:
            world.advance(when)
        program, _, settings_ = PROGRAMS[name]
        numbers[at] = world.begin(program, settings_, places)
    while world.advance():
        pass
    return [world.run(numbers[at]) for at in range(len(jobs))]


def by_run(name: str, machine: DescribedMachine) -> tuple[list[dict[str, Any]], float]:
    """What `run` gives of the same program: its events without times, and when its last rank left its last call (s)."""
    program, ranks, given_ = PROGRAMS[name]
    world = JobWorld(machine)
    resolved = list(world.words(benchmark(program), given_))
    launch, log = core.logged(program, machine.for_core(1), ranks, resolved)
    return results(launch.lines), max(log["spans"]["to"])


def results(lines: str) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in lines.splitlines()]
    times = ("t", "t0", "t1")
    return [
        {key: value for key, value in event.items() if key not in times}
        for event in events
        if event["event"] in ("block", "check", "done")
    ]


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_alone_a_job_takes_what_run_takes_whenever_and_wherever(machines: Any, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(PROGRAMS)))
    nodes = data.draw(st.permutations(range(12)))[: PROGRAMS[name][1]]
    when = data.draw(st.integers(0, 10**13))
    (run,) = in_the_world(machines["crossbar"], [(name, list(nodes), when)])
    events, end = by_run(name, machines["crossbar"])
    assert run.state == "completed", run.why
    assert results(run.lines) == events
    assert run.ended - run.begun == round(end * 1e12)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_jobs_that_share_no_link_take_their_times_alone(machines: Any, data: st.DataObject) -> None:
    """On a cube routes do not leave a subcube; aligned subcubes of one size are alike."""
    jobs = []
    for corner in data.draw(st.permutations([0, 4, 8, 12]))[: data.draw(st.integers(2, 4))]:
        name = data.draw(st.sampled_from(sorted(PROGRAMS)))
        jobs.append((name, [corner + rank for rank in range(PROGRAMS[name][1])], data.draw(st.integers(0, 10**9))))
    for (name, _, _), run in zip(jobs, in_the_world(machines["cube"], jobs), strict=True):
        events, end = by_run(name, machines["cube"])
        assert (run.state, results(run.lines)) == ("completed", events)
        assert run.ended - run.begun == round(end * 1e12), name


@settings(max_examples=15, deadline=None)
@given(when=st.integers(0, 2 * 10**9), bytes_=st.sampled_from([20_000, 64_000]))
def test_echoes_that_share_a_link_are_slower_and_never_faster(machines: Any, when: int, bytes_: int) -> None:
    """Nodes 0 and 2, 1 and 3 of a line have the links between 1 and 2 in common; 4 and 5 have none with them."""
    PROGRAMS["long"] = ("echo", 2, ("--set", f"bytes={bytes_}", "--set", "repetitions=4"))
    line = machines["line"]
    places = [[0, 2], [1, 3], [5, 4]]
    alone = [in_the_world(line, [("long", each, 0)])[0].seconds for each in places]
    beside = [run.seconds for run in in_the_world(line, [("long", each, when * at) for at, each in enumerate(places)])]
    assert beside[2] == alone[2]
    assert all(run >= by_itself for run, by_itself in zip(beside, alone, strict=True))
    overlap = when < alone[0] * 1e12 / 2
    assert not overlap or beside[0] + beside[1] > alone[0] + alone[1]


def test_jobs_on_one_node_share_what_it_has(machines: Any, tmp_path: Path) -> None:
    """Two processors a node: messages of both jobs come out of one interface into the network."""
    two = described(tmp_path, CROSSBAR + "processors = 2\n")
    PROGRAMS["long"] = ("echo", 2, ("--set", "bytes=64000", "--set", "repetitions=4"))
    alone = in_the_world(two, [("long", [0, 2], 0)])[0].seconds
    assert in_the_world(two, [("long", [1, 7], 0)])[0].seconds == alone
    together = [run.seconds for run in in_the_world(two, [("long", [0, 2], 0), ("long", [1, 3], 0)])]
    apart = [run.seconds for run in in_the_world(two, [("long", [0, 2], 0), ("long", [5, 7], 0)])]
    assert apart == [alone, alone] and min(together) >= alone and max(together) > alone


def test_the_same_jobs_do_the_same_again(machines: Any) -> None:
    jobs = [("alltoall", [0, 3, 5, 1], 0), ("allreduce", [2, 4, 10, 7], 10**7), ("echo", [6, 9], 5 * 10**6)]
    assert in_the_world(machines["cube"], jobs) == in_the_world(machines["cube"], jobs)


def test_what_cannot_begin_is_one_line(machines: Any) -> None:
    world = JobWorld(machines["line"])
    world.begin("echo", ("--set", "bytes=8"), [0, 1])
    for program, places, words_ in (
        ("echo", [1, 2], "a program is to have rank 1, which is not free"),
        ("echo", [], "a job without ranks"),
        ("echo", [2, 99], "a program is to have rank 99, which is not free"),
    ):
        with pytest.raises(InputError, match=words_) as refused:
            world.begin(program, ("--set", "bytes=8"), places)
        assert "\n" not in str(refused.value)


@pytest.mark.nightly
def test_programs_that_come_and_go_natively(tmp_path: Path) -> None:
    """Ended at any moment, ranks used again, contexts, deadlock: under the sanitizers."""
    passes_simulated("jobs", tmp_path)
