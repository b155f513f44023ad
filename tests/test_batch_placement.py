"""Jobs placed on nodes: against the policies' twins on one node, and against exhaustive search on cubes and meshes."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._core import batch
from batch_twin import POLICIES, Twin, TwinJob
from test_batch_policies import AGEING, HALF_LIFE, scheduled, workloads

PLACED = list(POLICIES)
CPUS = 2
EXTENTS = (4, 2, 2)
ALLOCATIONS = {"scattered": 5, "contiguous": 6, "bestfit": 6, "subcube": 8, "submesh": 16}  # nodes


@dataclass
class Wanted:
    """What a job needs beside processors, as the core takes it."""

    per_node: int = 0
    nodes: int = 0
    sharing: int = 0  # 1: no other job on its nodes, 2: no other job at all
    ports: int = 0
    limits: list[int] = field(default_factory=list)

    rank: float = 0

    def row(self) -> tuple[int, int, int, int, list[int], float]:
        return (self.per_node, self.nodes, self.sharing, self.ports, self.limits, self.rank, [])


def placed(
    layout: tuple[int, int, str, bool],
    policy: str,
    jobs: list[TwinJob],
    wanted: list[Wanted] | None = None,
    limits: tuple[int | tuple[int, bool], ...] = (),
    closures: tuple[tuple[list[int], int, int, bool], ...] = (),
    again: bool = False,
    cost: int = 0,
    mesh: tuple[int, ...] = EXTENTS,
) -> dict[str, list[object]]:
    columns = [[getattr(job, name) for job in jobs] for name in ("submitted", "runs", "requested", "width", "user")]
    rows = [each.row() for each in wanted or [Wanted() for _ in jobs]]
    bounds = [(each, False) if isinstance(each, int) else each for each in limits]
    shape = list(mesh) if layout[2] == "submesh" else []
    priority = [float(job.priority) for job in jobs]
    found: dict[str, list[object]] = batch.place(
        (*layout, shape),
        policy,
        columns,
        priority,
        rows,
        bounds,
        list(closures),
        again,
        AGEING,
        HALF_LIFE,
        ([], [], []),
        cost,
    )
    return found


@pytest.mark.parametrize("policy", PLACED)
@given(given=workloads())
@settings(max_examples=50, deadline=None)
def test_on_one_node_a_policy_is_its_definition(policy: str, given: tuple[int, list[TwinJob]]) -> None:
    processors, jobs = given
    twin = Twin(processors, copy.deepcopy(jobs), ageing=AGEING, half_life=HALF_LIFE)
    assert placed((1, processors, "scattered", False), policy, jobs)["starts"] == twin.run(POLICIES[policy]())


@pytest.mark.parametrize("policy", PLACED)
@given(given=workloads(), cost=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_decisions_that_take_time_are_those_without_places(
    policy: str, given: tuple[int, list[TwinJob]], cost: int
) -> None:
    """On one node: starts by the twin, and idle time by why as `schedule` counts it."""
    processors, jobs = given
    twin = Twin(processors, copy.deepcopy(jobs), ageing=AGEING, half_life=HALF_LIFE, cost=cost)
    found = placed((1, processors, "scattered", False), policy, jobs, cost=cost)
    assert found["starts"] == twin.run_in_time(POLICIES[policy]())
    plain = scheduled(policy, processors, jobs, cost)
    for why in ("nobody_waited", "none_fitted", "held", "scheduler", "decisions"):
        assert found[why] == plain[why], why
    assert found["fragmented"] == found["unused"] == 0  # type: ignore[comparison-overlap]


def test_a_node_that_fails_while_its_job_is_decided_on() -> None:
    """Two nodes, decisions of 4 s. The job of 0 would begin on node 0 at 4; that fails at 2. It waits again, is decided
    on from 4 to 8, and has node 1 at 8; no run was lost.
    """
    jobs = [TwinJob(0, 0, 5, 5, 1)]
    closed = (([0], 2, 50, False),)
    found = placed((2, 1, "scattered", True), "easy", jobs, closures=closed, again=True, cost=4)
    assert found["starts"] == [8] and found["places"] == [[(1, 1)]] and found["failures"] == [0]
    assert found["lost"] == 0  # type: ignore[comparison-overlap]


def blocks(allocation: str, nodes: int, least: int) -> Iterator[tuple[int, ...]]:
    """All sets of nodes that a job of `least` whole nodes may get, by the allocation's definition."""
    if allocation == "scattered":
        yield from itertools.combinations(range(nodes), least)
    elif allocation in ("contiguous", "bestfit"):
        yield from (tuple(range(first, first + least)) for first in range(nodes - least + 1))
    elif allocation == "subcube":  # the nodes that agree in all address bits but the lowest k
        k = (least - 1).bit_length()
        yield from {tuple(at for at in range(nodes) if at >> k == first >> k) for first in range(nodes)}
    else:
        shapes = [s for s in itertools.product(*(range(1, x + 1) for x in EXTENTS)) if s[0] * s[1] * s[2] >= least]
        size = min(a * b * c for a, b, c in shapes)
        for shape in (s for s in shapes if s[0] * s[1] * s[2] == size):
            for corner in itertools.product(*(range(x - s + 1) for x, s in zip(EXTENTS, shape, strict=True))):
                ranges = [range(at, at + s) for at, s in zip(corner, shape, strict=True)]
                yield tuple(sorted(i + EXTENTS[0] * (j + EXTENTS[1] * k) for i, j, k in itertools.product(*ranges)))


@st.composite
def mixes(draw: st.DrawFn, nodes: int) -> list[TwinJob]:
    times = sorted(draw(st.integers(0, 6)) for _ in range(draw(st.integers(1, 10))))
    return [
        TwinJob(at, time, runs := draw(st.integers(1, 6)), runs + draw(st.integers(0, 3)), draw(st.integers(1, nodes)))
        for at, time in enumerate(times)
    ]


def places_are_right(allocation: str, jobs: list[TwinJob]) -> None:
    """Whole nodes by first fit: whoever waits at a second has no place among all that there are; idle time adds up."""
    nodes = ALLOCATIONS[allocation]
    for job in jobs:
        job.width *= CPUS
    found = placed((nodes, CPUS, allocation, True), "firstfit", jobs)
    spans = []
    for job, start, end, place in zip(jobs, found["starts"], found["ends"], found["places"], strict=True):
        assert end == start + job.runs and [cpus for _, cpus in place] == [CPUS] * len(place)  # type: ignore
        held = tuple(sorted(node for node, _ in place))  # type: ignore[attr-defined]
        assert held in set(blocks(allocation, nodes, job.width // CPUS))
        spans.append((start, end, set(held)))
    last = max(end for _, end, _ in spans)
    for second in range(last):
        taken = [held for start, end, held in spans if start <= second < end]
        assert sum(map(len, taken)) == len(set().union(*taken)), "two jobs on one node"
        free = set(range(nodes)) - set().union(*taken)
        for job, (start, _, _) in zip(jobs, spans, strict=True):
            if job.submitted <= second < start:
                assert not any(free >= set(block) for block in blocks(allocation, nodes, job.width // CPUS)), second
    work = sum(job.width * job.runs for job in jobs)
    idle = sum(int(found[why]) for why in ("nobody_waited", "none_fitted", "held", "fragmented", "unused"))  # type: ignore
    assert work + idle == nodes * CPUS * (last - jobs[0].submitted)


@pytest.mark.parametrize("allocation", ALLOCATIONS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_every_place_is_one_of_its_kind_and_none_overlap(allocation: str, data: st.DataObject) -> None:
    places_are_right(allocation, data.draw(mixes(ALLOCATIONS[allocation])))


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_no_places_overlap_where_many_are_small(allocation: str) -> None:
    """Jobs of at most half the machine come and go, so that what is free lies in pieces."""
    for seed in range(60):
        dice = random.Random(seed)
        widths = range(1, ALLOCATIONS[allocation] // 2 + 1)
        times = sorted(dice.randrange(8) for _ in range(14))
        places_are_right(
            allocation, [TwinJob(at, time, dice.randint(1, 6), 6, dice.choice(widths)) for at, time in enumerate(times)]
        )


def test_the_best_gap_is_the_shortest_that_does() -> None:
    """Of nodes 0 to 8, 0 to 2 and 5 to 6 become free at 2: one of two takes 0 first fit, and 5 best fit."""
    widths = [3, 2, 2, 2, 2]  # the third is at 5 and 6
    jobs = [TwinJob(at, 0, 2 if at in (0, 2) else 9, 9, width) for at, width in enumerate(widths[:4])]
    jobs.append(TwinJob(4, 2, 1, 1, 2))
    first, best = (placed((9, 1, how, True), "fcfs", jobs)["places"][4] for how in ("contiguous", "bestfit"))
    assert [first, best] == [[(0, 1), (1, 1)], [(5, 1), (6, 1)]]


def test_easy_over_places_by_hand() -> None:
    """Four nodes in a row. 0 holds node 0 until 4, 1 node 1 until 9, 2 needs three adjacent: its reservation is at
    9. Job 3 would be at node 2 until 10 and leave it no three: it waits until 4, when it is at node 0. By counts job 2
    would start at 4."""
    jobs = [TwinJob(0, 0, 4, 4, 1), TwinJob(1, 0, 9, 9, 1), TwinJob(2, 1, 5, 5, 3), TwinJob(3, 1, 9, 9, 1)]
    layout = (4, 1, "contiguous", True)
    found = placed(layout, "easy", jobs)
    assert found["starts"] == [0, 0, 9, 4] and found["places"][3] == [(0, 1)]
    assert placed((1, 4, "scattered", False), "easy", jobs)["starts"] == [0, 0, 4, 9]
    alone = placed(layout, "easy", jobs[:3])
    # from 4 to 9 three nodes are free, and never three adjacent ones
    assert alone["fragmented"] == 3 * 5 and alone["none_fitted"] == 2 * 3


def test_what_must_not_run_together_does_not() -> None:
    """Four nodes of two processors: one port of a node, one instance of a program, own nodes, the machine alone."""
    pair = [TwinJob(0, 0, 5, 5, 1), TwinJob(1, 0, 5, 5, 1)]
    layout = (4, CPUS, "scattered", False)

    def both(*wanted: Wanted) -> tuple[object, list[object]]:
        found = placed(layout, "firstfit", pair, list(wanted), limits=(1,))
        return found["starts"], [[node for node, _ in place] for place in found["places"]]  # type: ignore[attr-defined]

    assert both(Wanted(), Wanted()) == ([0, 0], [[0], [0]])
    assert both(Wanted(ports=4), Wanted(ports=16)) == ([0, 0], [[0], [0]])
    assert both(Wanted(ports=4), Wanted(ports=4 | 16)) == ([0, 0], [[0], [1]])
    assert both(Wanted(sharing=1), Wanted()) == ([0, 0], [[0], [1]])
    assert both(Wanted(), Wanted(sharing=2)) == ([0, 5], [[0], [0]])
    assert both(Wanted(sharing=2), Wanted()) == ([0, 5], [[0], [0]])
    assert both(Wanted(limits=[0]), Wanted(limits=[0])) == ([0, 5], [[0], [0]])
    assert both(Wanted(nodes=2, sharing=1), Wanted()) == ([0, 0], [[0, 1], [2]])
    wide = [TwinJob(0, 0, 5, 5, 6)]
    assert placed(layout, "fcfs", wide, [Wanted(nodes=4)])["places"] == [[(0, 2), (1, 2), (2, 1), (3, 1)]]
    assert placed(layout, "fcfs", [TwinJob(0, 0, 5, 5, 3)], [Wanted(per_node=1)])["places"] == [
        [(0, 1), (1, 1), (2, 1)]
    ]


def test_a_jobs_twin_does_not_overtake_a_limits_first() -> None:
    """Two of one program, of which one runs at a time: the narrow one must not start while the wide one is first."""
    jobs = [TwinJob(0, 0, 5, 5, 2), TwinJob(1, 1, 5, 5, 4), TwinJob(2, 1, 20, 20, 1)]
    same = [Wanted(), Wanted(limits=[0]), Wanted(limits=[0])]
    assert placed((1, 5, "scattered", False), "easy", jobs, same, limits=(1,))["starts"] == [0, 5, 10]


def test_a_reservation_is_kept_free_and_nobody_runs_into_it() -> None:
    """Two nodes, the second reserved from 10 to 20: what would run into it takes the first, or waits until 20."""
    jobs = [TwinJob(0, 0, 10, 10, 1), TwinJob(1, 0, 10, 10, 1), TwinJob(2, 1, 5, 11, 1), TwinJob(3, 1, 5, 5, 2)]
    closed = ([1], 10, 20, True)
    found = placed((2, 1, "scattered", True), "easy", jobs, closures=(closed,))
    assert found["starts"] == [0, 0, 10, 20] and found["places"][2] == [(0, 1)] and found["closed"] == 10
    late = [TwinJob(0, 0, 11, 11, 1), TwinJob(1, 0, 11, 11, 1)]
    found = placed((2, 1, "scattered", True), "firstfit", late, closures=(closed,))
    assert found["starts"] == [0, 11] and [place[0][0] for place in found["places"]] == [0, 0]  # type: ignore[index]
