"""Jobs whose programs really run: on a described machine, at the same time, where and when the policy puts them.

The batch system is simulated step by step (core/batch/placed), in whole cycles of the machine's network. What it starts
begins there and then in one simulated world (core/ranks/jobs.hpp): its messages meet those of the others, and it ends
when its last rank does. The policy knows only what jobs requested; who is not done then is ended. Jobs without a
message-passing program hold their nodes for their time, and send nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.throughput import placed, rank_jobs
from assay.throughput.job_needs import JobNeeds
from assay.throughput.job_world import PICOSECOND, JobRun, JobWorld, joined
from assay.throughput.machine_file import JobMachine
from assay.throughput.played import COMPLETED, PlayedJob, played_job
from assay.throughput.program_jobs import PlannedPart
from assay.throughput.rank_jobs import RankJob
from assay.throughput.simulated import AGEING, HALF_LIFE, IDLE, Scheduled
from assay.throughput.workload import Workload

MOST_JOBS, MOST_RANKS = 1000, 10_000  # that are simulated at all
MOST_EVENTS = 1_000_000_000  # of ranks, in the world of a mix


def wanted(workload: Workload) -> bool:
    """Whether jobs are programs that their machine (`on_machine`) runs."""
    return any(play.programs for play in workload.plays)


def on_machine(workload: Workload, machine: JobMachine) -> Workload:
    """The workload with what of its jobs' programs this machine can run, and why it cannot run the others."""
    if machine.described is None or machine.rules.programs != "run":
        return replace(workload, plays=())
    there = machine.described.storage is not None
    return replace(workload, plays=rank_jobs.where_files_are(workload.plays, machine.described.name, there))


def schedule_mix(
    workload: Workload, machine: JobMachine, policy: str, progress: Callable[[str], None] = lambda text: None
) -> Scheduled:
    """Simulate batch system and machine together. Jobs without a place on the empty machine are refused.

    InputError for what cannot be simulated so, and for a mix that is too large.
    """
    from assay._core import batch

    workload = on_machine(workload, machine)
    _check(workload, machine)
    row = placed.layout_row(machine)
    needs, limits = placed.needs_rows(workload, machine.queue_rules)
    world = _world(machine, len(workload), progress)
    second = 1 / (world.cycle * PICOSECOND)  # in ticks

    def columns(jobs: Workload) -> list[list[int]]:
        first = jobs.plays[0].submitted if len(jobs) else 0.0
        came = [round((play.submitted - first) * second) for play in jobs.plays]
        requested = [max(1, round(play.limit * second)) for play in jobs.plays]
        return [came, requested, requested, jobs.processors.tolist(), jobs.user.tolist()]

    fits = np.array(batch.placeable(row, columns(workload), workload.priority.tolist(), needs), dtype=bool)
    kept, refused = workload.only(fits), workload.only(~fits)
    if not len(kept):
        return Scheduled(kept, refused, machine.processors, policy, np.zeros(0), {}, 0)
    rows = [each for each, fit in zip(needs, fits, strict=True) if fit]
    given = columns(kept)
    stepper = batch.PlacedStepper(
        row, policy, given, kept.priority.tolist(), rows, limits, AGEING / second, HALF_LIFE * second
    )
    mix = _Mix(kept, machine, world, stepper, given[0], given[2])
    mix.play()
    alone = AloneRuns(machine)
    jobs = [
        _played(kept, at, mix, alone, _first_places(kept, at, machine), progress) if kept.plays[at].programs else None
        for at in range(len(kept))
    ]
    done = [job is None or job.state == COMPLETED for job in jobs]
    held = [end - start for start, end in zip(mix.starts, mix.ends, strict=True)]
    length = world.cycle * PICOSECOND

    def seconds(ticks: Sequence[int]) -> Any:
        return np.array(ticks) * length

    return Scheduled(
        workload=replace(
            kept,
            fails=None if all(done) else ~np.array(done),
            submitted=seconds(given[0]),
            requested=seconds(given[2]),
            runs=seconds(held),
        ),
        refused=refused,
        processors=machine.processors,
        policy=policy,
        started=seconds(mix.starts),
        idle={why: stepper.idle[why] * length for why in IDLE if why in stepper.idle},
        decisions=int(stepper.decisions),
        places=tuple(tuple(node for node, _ in stepper.place(at)) for at in range(len(kept))),
        played=tuple(jobs),
    )


def _world(machine: JobMachine, jobs: int, progress: Callable[[str], None]) -> JobWorld:
    assert machine.described is not None

    def report(world: JobWorld) -> None:
        progress(f"{jobs} jobs: at {world.now * PICOSECOND:.4g} s, {world.events:,} events")

    return JobWorld(machine.described, MOST_EVENTS, report)


def _check(workload: Workload, machine: JobMachine) -> None:
    if machine.rules.seconds_of_a_decision:
        value, accepted = machine.rules.decision_cost, "0, or --set batch.programs=time"
        problem = "is not simulated where programs run at the same time"
        raise InputError(problem, key="batch.decision_cost", value=value, accepted=accepted)
    ranks = sum(int(n) for n, play in zip(workload.processors, workload.plays, strict=True) if play.programs)
    accepted = "fewer, or --set batch.programs=time, by which programs last the table's times"
    if len(workload) > MOST_JOBS:
        problem = "are more jobs than are simulated with their messages"
        raise InputError(
            problem, file=workload.source, value=len(workload), accepted=f"up to {MOST_JOBS:,}: {accepted}"
        )
    if ranks > MOST_RANKS:
        problem = "are more ranks of jobs than are simulated with their messages"
        raise InputError(problem, file=workload.source, value=ranks, accepted=f"up to {MOST_RANKS:,}: {accepted}")


@dataclass
class _Mix:
    """Batch system and world as they go on together; all times in ticks, which are the network's cycles."""

    jobs: Workload
    machine: JobMachine
    world: JobWorld
    stepper: Any
    came: Sequence[int]
    requested: Sequence[int]
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    places: dict[int, list[int]] = field(default_factory=dict)  # of each job's ranks
    runs: dict[int, list[JobRun]] = field(default_factory=dict)  # of its programs, one after the other

    def play(self) -> None:
        """Until every job has ended."""
        count = len(self.jobs)
        self.starts, self.ends = [-1] * count, [-1] * count
        free = FreeProcessors(self.world.nodes, self.world.processors)
        running: dict[int, int] = {}  # jobs in the world, by its numbers
        holds: dict[int, int] = {}  # until when: without a program its time, else what it requested
        next_, now = 0, 0
        while next_ < count or holds:
            due = [*holds.values(), *([self.came[next_]] if next_ < count else [])]
            if (wakes := self.stepper.wakes) >= 0:  # a reservation begins
                due.append(max(now, wakes))
            now, over = self._until(min(due), running)
            ended = self._next_programs([running.pop(number) for number in over], running)
            for number, job in [*running.items()]:
                if holds[job] <= now:
                    self.world.end(number)
                    self.runs[job].append(self.world.run(number))
                    del running[number]
            ended += [job for job, until in holds.items() if until <= now and job not in ended]
            for job in sorted(ended):
                del holds[job]
                self.ends[job] = now
                free.give(self.places[job])
            came = []
            while next_ < count and self.came[next_] <= now:
                came.append(next_)
                next_ += 1
            for job in self.stepper.step(now, sorted(ended), came):
                play = self.jobs.plays[job]
                self.starts[job] = now
                self.places[job] = free.take(
                    self.stepper.place(job), int(self.jobs.processors[job]), _needs(self.jobs, job)
                )
                holds[job] = now + self.requested[job]
                if play.programs:
                    self.runs[job] = []
                    running[self._begin(job, play)] = job
                else:
                    second = 1 / (self.world.cycle * PICOSECOND)
                    holds[job] = now + min(self.requested[job], round(play.time * second))
        if -1 in self.starts:
            raise InputError(f"{self.jobs.name(self.starts.index(-1))} never finds a place", file=self.jobs.source)

    def _next_programs(self, over: Sequence[int], running: dict[int, int]) -> list[int]:
        """Of jobs whose program has ended, those that have no other to run; the others go on with theirs."""
        ended = []
        for job in over:
            play = self.jobs.plays[job]
            if self.runs[job][-1].state == COMPLETED and len(self.runs[job]) < len(play.programs):
                running[self._begin(job, play)] = job
            else:
                ended.append(job)
        return ended

    def _begin(self, job: int, play: RankJob) -> int:
        part = play.programs[len(self.runs[job])]
        try:
            return self.world.begin(part.program, part.arguments, self.places[job][: part.processors])
        except InputError as error:
            raise InputError(f"{self.jobs.name(job)}: {error}", file=self.jobs.source) from None

    def _until(self, tick: int, running: Mapping[int, int]) -> tuple[int, list[int]]:
        """Go on to a tick, or to the first at which jobs have ended: that tick, and who ended by then."""
        cycle = self.world.cycle
        over = self.world.advance(tick * cycle)
        if over:
            tick = -(-self.world.now // cycle)
            while more := self.world.advance(tick * cycle):
                over += more
        for number in over:
            self.runs[running[number]].append(self.world.run(number))
        return tick, over


class FreeProcessors:
    """Which processors of each node no job has; a place is node times processors, and which of them."""

    def __init__(self, nodes: int, processors: int) -> None:
        self._processors = processors
        self._used: set[int] = set()
        self._nodes = nodes

    def take(self, placement: Sequence[tuple[int, int]], ranks: int, needs: JobNeeds) -> list[int]:
        """Places for so many ranks on the nodes of a placement (with how many processors of each), in their order."""
        found: list[int] = []
        whole = sum(held for _, held in placement) > ranks
        for at, (node, held) in enumerate(placement):
            most = min(held, needs.per_node or held)
            if whole:  # nodes that are allocated wholly: filled in order, but for the least that the others are to have
                later = max(0, min(needs.nodes or len(needs.on), len(placement)) - at - 1)
                most = min(most, max(1, ranks - len(found) - later))
            mine = [place for place in self._of(node) if place not in self._used][:most]
            found += mine[: ranks - len(found)]
        assert len(found) == ranks, "a placement has a processor for each rank"
        self._used.update(found)
        return found

    def give(self, places: Sequence[int]) -> None:
        """A job has left."""
        self._used.difference_update(places)

    def _of(self, node: int) -> range:
        return range(node * self._processors, (node + 1) * self._processors)


def _needs(jobs: Workload, at: int) -> JobNeeds:
    return jobs.needs[at] if jobs.needs else JobNeeds()


class AloneRuns:
    """What programs do by themselves; the same one at the same places is run once."""

    def __init__(self, machine: JobMachine) -> None:
        self._machine = machine
        self._known: dict[tuple[tuple[PlannedPart, ...], tuple[int, ...]], JobRun] = {}

    def run(self, play: RankJob, places: Sequence[int], progress: Callable[[str], None]) -> JobRun:
        """A job alone at its places."""
        key = (play.programs, tuple(places))
        if key not in self._known:
            progress(f"{play.program} alone")
            assert self._machine.described is not None
            world = JobWorld(self._machine.described, MOST_EVENTS)
            runs: list[JobRun] = []
            for part in play.programs:
                number = world.begin(part.program, part.arguments, places[: part.processors])
                world.advance()
                if world.run(number).state == "running":  # nothing happens any more
                    world.end(number)
                runs.append(world.run(number))
                if runs[-1].state != COMPLETED:
                    break
            self._known[key] = joined(runs)
        return self._known[key]


def _first_places(jobs: Workload, at: int, machine: JobMachine) -> list[int]:
    """Where the batch system places a job on an empty machine."""
    from assay._core import batch

    one = jobs.only(np.arange(len(jobs)) == at)
    rows, limits = placed.needs_rows(one, machine.queue_rules)
    column = [[0], [1], [1], one.processors.tolist(), one.user.tolist()]
    row = placed.layout_row(machine)
    stepper = batch.PlacedStepper(row, "fcfs", column, [0.0], rows, limits, AGEING, HALF_LIFE)
    stepper.step(0, [], [0])
    free = FreeProcessors(machine.layout.nodes, machine.layout.cpus)
    return free.take(stepper.place(0), int(one.processors[0]), _needs(one, 0))


def _played(
    jobs: Workload, at: int, mix: _Mix, alone: AloneRuns, first: Sequence[int], progress: Callable[[str], None]
) -> PlayedJob:
    play, run = jobs.plays[at], joined(mix.runs[at])
    by_itself = [alone.run(play, places, progress) for places in (first, mix.places[at])]
    times = [each.seconds if each.state == COMPLETED else None for each in (*by_itself, run)]
    nodes = [node for node, _ in mix.stepper.place(at)]
    return played_job(jobs.name(at), play.program, nodes, (run.state, run.why), times)
