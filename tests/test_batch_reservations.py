"""Conservative backfilling where jobs are placed on nodes: against a twin over nodes and seconds, and its promises."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batch_twin import TwinJob
from test_batch_placement import mixes, placed

NODES = {"scattered": 6, "contiguous": 6, "bestfit": 6, "subcube": 8, "submesh": 16}
MANY = {"scattered": 130, "contiguous": 130, "bestfit": 130, "subcube": 128, "submesh": 130}  # of several words of 64
MESHES = {16: (4, 2, 2), 130: (13, 5, 2)}


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

    def choose(self, spare: set[int], width: int) -> tuple[int, ...] | None:
        """The place that a job of so many nodes gets where these are free, by the allocation's definition."""
        if self.allocation == "scattered":
            return tuple(sorted(spare)[:width]) if len(spare) >= width else None
        if self.allocation == "submesh":
            return next((block for block in submeshes(self.nodes, width) if spare >= set(block)), None)
        if self.allocation == "subcube":
            width = 1 << (width - 1).bit_length()
            firsts = list(range(0, self.nodes, width))
        else:
            firsts = [at for at in sorted(spare) if at - 1 not in spare]  # of gaps
            length = {at: next(n for n in itertools.count() if at + n not in spare) for at in firsts}
            firsts = [at for at in firsts if length[at] >= width]
            firsts = sorted(firsts, key=length.__getitem__) if self.allocation == "bestfit" else firsts
        found = (tuple(range(at, at + width)) for at in firsts)
        return next((each for each in found if spare >= set(each)), None)

    def earliest(self, now: int, job: TwinJob, latest: int) -> tuple[int, tuple[int, ...]] | None:
        for at in range(now, latest):
            spare = {
                node
                for node in range(self.nodes)
                if all(self.free(now, node, second, job.number) for second in range(at, at + job.requested))
            }
            if (place := self.choose(spare, job.width)) is not None:
                return at, place
        return None

    def run(self, cost: int = 0) -> list[tuple[int, tuple[int, ...]]]:
        """Each decision knows what had happened when it began, and is for the second at which it is done."""
        before, done = -1, 0  # when the last one began, and was done
        for now in range(100_000):
            if len(self.started) == len(self.jobs):
                return [self.started[job.number] for job in self.jobs]
            ends = {number: start + self.jobs[number].runs for number, (start, _) in self.started.items()}
            over = [self.jobs[number] for number, end in ends.items() if before < end <= now]
            new = [job for job in self.jobs if before < job.submitted <= now]
            reserved = [start for start, _ in self.plans.values()]
            if now < done or not (over or new or any(start - cost <= now for start in reserved)):
                continue
            before, done = now, now + cost
            # At `done` of those that run only these are known to have ended.
            runs, known = [job.runs for job in self.jobs], self.started
            self.started = {number: at for number, at in known.items() if ends[number] > now}
            for number in self.started:
                self.jobs[number].runs = max(runs[number], self.jobs[number].requested)
            early = any(done < known[job.number][0] + job.requested for job in over)
            late = any(start < done for start in reserved)
            moved = early and not late
            while moved:
                moved = False
                for number in sorted(self.plans):
                    found = self.earliest(done, self.jobs[number], self.plans[number][0])
                    self.plans[number], moved = found or self.plans[number], moved or found is not None
            anew = sorted([*self.plans, *(job.number for job in new)]) if late else [job.number for job in new]
            self.plans = {} if late else self.plans
            for number in anew:
                made = self.earliest(done, self.jobs[number], 100_000)
                assert made is not None
                self.plans[number] = made
            self.started = known
            for number in [number for number, (start, _) in self.plans.items() if start <= done]:
                self.started[number] = self.plans.pop(number)
            for job, each in zip(self.jobs, runs, strict=True):
                job.runs = each
        raise AssertionError("it never ends")


@functools.cache
def submeshes(nodes: int, least: int) -> list[tuple[int, ...]]:
    """Blocks of the least size that does, the least surface first, then the lowest."""
    whole = MESHES[nodes]
    shapes = [s for s in itertools.product(*(range(1, x + 1) for x in whole)) if math.prod(s) >= least]
    size = min(map(math.prod, shapes))
    found = []
    for a, b, c in (shape for shape in shapes if math.prod(shape) == size):
        corners = itertools.product(*(range(x - s + 1) for x, s in zip(whole, (a, b, c), strict=True)))
        for i, j, k in corners:
            held = [x + whole[0] * (y + whole[1] * z) for x, y, z in
                    itertools.product(range(i, i + a), range(j, j + b), range(k, k + c))]  # fmt: skip
            found.append(((a * b + b * c + c * a, (a, b, c), (k, j, i)), tuple(sorted(held))))
    return [held for _, held in sorted(found)]


def agree(
    allocation: str, nodes: int, jobs: list[TwinJob], closures: tuple[tuple[list[int], int, int, bool], ...]
) -> None:
    found = placed((nodes, 1, allocation, True), "conservative", jobs, closures=closures, mesh=MESHES.get(nodes, ()))
    wanted = NodeTwin(nodes, allocation, jobs, closures).run()
    got = list(zip(found["starts"], [tuple(sorted(n for n, _ in p)) for p in found["places"]], strict=True))  # type: ignore
    assert got == wanted
    for job, start, end in zip(jobs, found["starts"], found["ends"], strict=True):
        assert end == start + job.runs  # type: ignore[operator]


def reserved(nodes: int) -> st.SearchStrategy[tuple[tuple[list[int], int, int, bool], ...]]:
    """Nothing, or the last two nodes for a while."""
    times = st.tuples(st.integers(0, 12), st.integers(1, 6))
    return st.one_of(
        st.just(()), times.map(lambda at: (([nodes - 2, nodes - 1], at[0], at[0] + at[1], True),))
    )  # fmt: skip


def drawn(allocation: str, nodes: int, data: st.DataObject) -> None:
    closures = () if allocation == "subcube" else data.draw(reserved(nodes))
    agree(allocation, nodes, data.draw(mixes(nodes)), closures)


@pytest.mark.parametrize("allocation", NODES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_reservations_of_places_are_their_definition(allocation: str, data: st.DataObject) -> None:
    drawn(allocation, NODES[allocation], data)


@pytest.mark.parametrize("allocation", NODES)
@given(data=st.data(), cost=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_reservations_by_decisions_that_take_time(allocation: str, data: st.DataObject, cost: int) -> None:
    nodes = NODES[allocation]
    jobs = data.draw(mixes(nodes))
    mesh = MESHES.get(nodes, ())
    found = placed((nodes, 1, allocation, True), "conservative", jobs, cost=cost, mesh=mesh)
    got = list(zip(found["starts"], [tuple(sorted(n for n, _ in p)) for p in found["places"]], strict=True))  # type: ignore
    assert got == NodeTwin(nodes, allocation, jobs).run(cost)


@pytest.mark.parametrize("allocation", MANY)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_reservations_on_more_nodes_than_a_word_has_bits(allocation: str, data: st.DataObject) -> None:
    drawn(allocation, MANY[allocation], data)


@pytest.mark.nightly
@pytest.mark.parametrize("allocation", NODES)
@given(data=st.data())
@settings(max_examples=10_000, deadline=None)
def test_reservations_of_places_in_ten_thousand_workloads(allocation: str, data: st.DataObject) -> None:
    drawn(allocation, NODES[allocation], data)


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
