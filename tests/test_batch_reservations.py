"""Conservative backfilling where jobs are placed on nodes: against a twin over nodes and seconds, and its promises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batch_twin import TwinJob
from test_batch_placement import ALLOCATIONS, blocks, mixes, placed

KINDS = ("scattered", "contiguous", "subcube")  # whose order of places is the lowest first
NODES = 6


@dataclass
class NodeTwin:
    """Every node at every second: whole nodes of one processor, one job at a time."""

    nodes: int
    allocation: str
    jobs: list[TwinJob]
    closures: tuple[tuple[list[int], int, int, bool], ...] = ()
    plans: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    started: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)

    def free(self, now: int, node: int, second: int, but: int) -> bool:
        if any(node in nodes and begins <= second < ends for nodes, begins, ends, _ in self.closures):
            return False
        for number, (start, place) in self.started.items():
            job = self.jobs[number]
            if start + job.runs > now and node in place and second < start + job.requested:
                return False
        return not any(
            number != but and node in place and start <= second < start + self.jobs[number].requested
            for number, (start, place) in self.plans.items()
        )

    def places(self, width: int) -> Iterator[tuple[int, ...]]:
        yield from sorted(blocks(self.allocation, self.nodes, width))

    def earliest(self, now: int, job: TwinJob, latest: int) -> tuple[int, tuple[int, ...]] | None:
        for at in range(now, latest):
            spare = {
                node
                for node in range(self.nodes)
                if all(self.free(now, node, second, job.number) for second in range(at, at + job.requested))
            }
            for place in self.places(job.width):
                if spare >= set(place):
                    return at, place
        return None

    def run(self) -> list[tuple[int, tuple[int, ...]]]:
        now = -1
        while len(self.started) < len(self.jobs):
            now += 1
            ended = [self.jobs[n] for n, (start, _) in self.started.items() if start + self.jobs[n].runs == now]
            new = [job for job in self.jobs if job.submitted == now]
            if any(job.runs < job.requested for job in ended):
                for number in sorted(self.plans):
                    found = self.earliest(now, self.jobs[number], self.plans[number][0])
                    self.plans[number] = found or self.plans[number]
            for job in new:
                made = self.earliest(now, job, 10_000)
                assert made is not None
                self.plans[job.number] = made
            for number in [n for n, (start, _) in self.plans.items() if start == now]:
                self.started[number] = self.plans.pop(number)
        return [self.started[job.number] for job in self.jobs]


def agree(
    allocation: str, nodes: int, jobs: list[TwinJob], closures: tuple[tuple[list[int], int, int, bool], ...]
) -> None:
    found = placed((nodes, 1, allocation, True), "conservative", jobs, closures=closures)
    wanted = NodeTwin(nodes, allocation, jobs, closures).run()
    got = list(zip(found["starts"], [tuple(sorted(n for n, _ in p)) for p in found["places"]], strict=True))  # type: ignore
    assert got == wanted
    for job, start, end in zip(jobs, found["starts"], found["ends"], strict=True):
        assert end == start + job.runs  # type: ignore[operator]


RESERVED = st.one_of(st.just(()), st.tuples(st.integers(0, 12), st.integers(1, 6)).map(
    lambda at: (([NODES - 2, NODES - 1], at[0], at[0] + at[1], True),)))  # fmt: skip


@pytest.mark.parametrize("allocation", KINDS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_reservations_of_places_are_their_definition(allocation: str, data: st.DataObject) -> None:
    nodes = ALLOCATIONS[allocation] if allocation == "subcube" else NODES
    closures = () if allocation == "subcube" else data.draw(RESERVED)
    agree(allocation, nodes, data.draw(mixes(nodes)), closures)


@pytest.mark.nightly
@pytest.mark.parametrize("allocation", KINDS)
@given(data=st.data())
@settings(max_examples=2_000, deadline=None)
def test_reservations_of_places_in_thousands_of_workloads(allocation: str, data: st.DataObject) -> None:
    nodes = ALLOCATIONS[allocation] if allocation == "subcube" else NODES
    closures = () if allocation == "subcube" else data.draw(RESERVED)
    agree(allocation, nodes, data.draw(mixes(nodes)), closures)


def test_a_place_is_reserved_and_not_only_a_number() -> None:
    """Four nodes in a row. 0 holds node 0 to 4, 1 node 1 to 9; 2 needs three adjacent and has 0 to 2 from 9 on. 3, of
    one node for 9 s, would be in its way on node 2: it has node 3 at once. By counts 2 would start at 4.
    """
    jobs = [TwinJob(0, 0, 4, 4, 1), TwinJob(1, 0, 9, 9, 1), TwinJob(2, 1, 5, 5, 3), TwinJob(3, 1, 9, 9, 1)]
    found = placed((4, 1, "contiguous", True), "conservative", jobs)
    starts = [
        (start, [node for node, _ in place]) for start, place in zip(found["starts"], found["places"], strict=True)
    ]  # type: ignore
    assert starts == [(0, [0]), (0, [1]), (9, [0, 1, 2]), (1, [3])]


def test_a_failed_node_takes_its_reservations_away() -> None:
    """Two nodes. 0 holds both to 10; 1 and 2 are reserved there from 10 on. Node 1 fails from 5 to 30: 0 begins again
    when it is back, and before that 1 and 2 run one after the other on node 0.
    """
    jobs = [TwinJob(0, 0, 10, 10, 2), TwinJob(1, 1, 3, 3, 1), TwinJob(2, 1, 3, 3, 1)]
    found = placed((2, 1, "scattered", True), "conservative", jobs, closures=(([1], 5, 30, False),), again=True)
    assert found["starts"] == [30, 5, 8] and found["failures"] == [1, 0, 0]
