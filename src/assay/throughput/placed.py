"""A workload whose jobs are placed on the machine's nodes: allocation, and what jobs must not share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from assay.errors import InputError
from assay.machine.units import quantity
from assay.throughput import interference
from assay.throughput.faults import log_of_tries, outages
from assay.throughput.job_needs import ALONE, JobNeeds
from assay.throughput.job_queues import LimitRow, QueueRules
from assay.throughput.machine_file import JobMachine
from assay.throughput.node_layout import NodeClosure
from assay.throughput.simulated import AGEING, HALF_LIFE, IDLE, CoreSchedule, Scheduled, in_ticks, slowed, ticks_for
from assay.throughput.workload import Workload

DOUBLINGS = 5  # of the time for which failures are drawn
MOST_TRIES_LOG = 15.0  # e to this: tries that a job would need on average until no node of it fails before its end
MOST_STEPS = 10**10  # failures times nodes that are looked at for each: minutes of processor time
STEPS = 300  # what a failure costs in addition, as so many nodes
NeedsRow = tuple[int, int, int, int, list[int], float, list[int]]


class PlacedSchedule(CoreSchedule):
    """With places: how often a node failed under each job, and of each the nodes with how many processors of them."""

    failures: Sequence[int]
    places: Sequence[Sequence[tuple[int, int]]]


def needed(workload: Workload, machine: JobMachine) -> bool:
    """Whether it matters on which nodes jobs are: the machine's or a job's keys need places."""
    if interference.of_nodes(machine.shared):
        return True
    return machine.layout.allocation != "anywhere" or bool(machine.closures) or fails(machine) or any(workload.needs)


def fails(machine: JobMachine) -> bool:
    """Whether its nodes fail."""
    return machine.failures is not None and machine.failures.every is not None


def layout_row(machine: JobMachine) -> tuple[int, int, str, bool, list[int]]:
    """The machine's nodes as the core takes them."""
    layout = machine.layout
    return (layout.nodes, layout.cpus, layout.placing, layout.whole_nodes, list(layout.extents))


def schedule_placed(workload: Workload, machine: JobMachine, policy: str) -> Scheduled:
    """Simulate with places. Jobs that have none on the empty machine are refused, and the rest goes on.

    Times are counted in ticks in which they and a decision's cost are whole, as `simulated.timed` does.
    """
    from assay._core import batch

    cost = machine.rules.seconds_of_a_decision
    ticks = max(ticks_for(cost), workload.ticks_needed(machine.processors))
    row = layout_row(machine)
    needs, limits = needs_rows(workload, machine.queue_rules)
    fits = np.array(batch.placeable(row, _columns(workload, ticks), workload.priority.tolist(), needs), dtype=bool)
    kept, refused = workload.only(fits), workload.only(~fits)
    rows = [each for each, fit in zip(needs, fits, strict=True) if fit]

    shared = interference.rows(kept, machine.shared)

    def placed(closures: Sequence[NodeClosure]) -> PlacedSchedule:
        closed = [(list(each.nodes), each.begins * ticks, each.ends * ticks, each.known) for each in closures]
        columns, priority = _columns(kept, ticks), kept.priority.tolist()
        usage = (AGEING / ticks, HALF_LIFE * ticks, shared, max(1, round(cost * ticks)) if cost else 0)
        try:
            made: PlacedSchedule = batch.place(row, policy, columns, priority, rows, limits, closed, True, *usage)
        except ValueError as error:
            raise InputError(str(error), file=workload.source) from None
        return made

    found = _with_failures(placed, kept, machine, ticks) if fails(machine) and len(kept) else placed(machine.closures)
    made = Scheduled(
        workload=kept,
        refused=refused,
        processors=machine.processors,
        policy=policy,
        started=np.array(found["starts"], dtype=np.int64) if ticks == 1 else np.array(found["starts"]) / ticks,
        idle={why: float(found[why]) / ticks for why in IDLE if why in found and (cost or why != "scheduler")},
        decision_cost=cost,
        decisions=int(found["decisions"]),
        restarts=sum(found["failures"]),
        places=tuple(tuple(node for node, _ in place) for place in found["places"]),
    )
    ends: Sequence[float] = [end / ticks for end in found["ends"]] if ticks > 1 else found["ends"]
    return slowed(made, ends, found["killed"], machine.shared)


def _with_failures(
    placed: Callable[[Sequence[NodeClosure]], PlacedSchedule], jobs: Workload, machine: JobMachine, ticks: int
) -> PlacedSchedule:
    """Draw failures for as long as the jobs take: for twice as long again until they suffice."""
    assert machine.failures is not None and machine.failures.every is not None
    _check_failures(jobs, machine)
    nodes, steps = machine.layout.nodes, 0.0
    cycle = quantity(machine.failures.every, "s") + quantity(machine.failures.repair, "s")
    until = 2 * math.ceil(np.max(jobs.submitted + jobs.requested)) + math.ceil(jobs.work) // machine.processors
    for _ in range(DOUBLINGS):
        steps += nodes * until / cycle * (nodes + STEPS)
        if steps > MOST_STEPS:
            break
        found = placed((*machine.closures, *outages(machine.failures, machine.layout.nodes, until)))
        last = -(-max(found["ends"]) // ticks)
        if last < until:
            return found
        until = 2 * last
    raise _too_often(machine, f"failures of {nodes:,} nodes over {until:,} s were not enough")


def _check_failures(jobs: Workload, machine: JobMachine) -> None:
    """InputError where a job is so wide and long that nodes of it fail before its end as good as always."""
    assert machine.failures is not None
    nodes = np.ceil(jobs.processors / machine.layout.cpus)
    tries = nodes * log_of_tries(machine.failures, jobs.runs)
    worst = int(np.argmax(tries))
    if tries[worst] > MOST_TRIES_LOG:
        about = f"{jobs.name(worst)} on {nodes[worst]:,.0f} nodes for {jobs.runs[worst]:,} s hardly ever would"
        raise _too_often(machine, about)


def _too_often(machine: JobMachine, about: str) -> InputError:
    assert machine.failures is not None and machine.source is not None
    problem = f"is so short that jobs do not come to their end: {about}"
    accepted = "a longer time, or narrower or shorter jobs"
    return machine.source.error(("failures", "every"), problem, value=machine.failures.every, accepted=accepted)


def _columns(workload: Workload, ticks: int) -> list[list[int]]:
    finer = in_ticks(workload, ticks)
    return [each.tolist() for each in (finer.submitted, finer.runs, finer.requested, finer.processors, finer.user)]


def needs_rows(workload: Workload, rules: QueueRules) -> tuple[list[NeedsRow], list[LimitRow]]:
    """What the core takes of each job, and all limits: those of queues, then one job or more of a name at a time."""
    group, (limits, groups) = rules.rows(workload)
    instances: dict[str, int] = {}  # the place of each name's limit
    rows: list[NeedsRow] = []
    for each, own in zip(workload.needs or (JobNeeds(),) * len(workload), group.tolist(), strict=True):
        rank, places = groups[own]
        if each.instances:
            if each.name not in instances:
                instances[each.name] = len(limits)
                limits.append((each.instances, False))
            places = [*places, instances[each.name]]
        ports = sum(1 << port for port in each.ports)
        rows.append((each.per_node, each.nodes, ALONE.index(each.alone), ports, places, rank, list(each.on)))
    return rows, limits
