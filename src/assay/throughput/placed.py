"""A workload whose jobs are placed on the machine's nodes: allocation, and what jobs must not share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.throughput import interference
from assay.throughput.faults import outages
from assay.throughput.job_needs import ALONE, JobNeeds
from assay.throughput.job_queues import LimitRow, QueueRules
from assay.throughput.machine_file import JobMachine
from assay.throughput.node_layout import NodeClosure
from assay.throughput.simulated import AGEING, HALF_LIFE, IDLE, Scheduled, slowed
from assay.throughput.workload import Workload

DOUBLINGS = 5  # of the time for which failures are drawn
NeedsRow = tuple[int, int, int, int, list[int], float]


def needed(workload: Workload, machine: JobMachine) -> bool:
    """Whether it matters on which nodes jobs are: what the machine or a job says needs places."""
    if interference.of_nodes(machine.shared):
        return True
    return machine.layout.allocation != "anywhere" or bool(machine.closures) or fails(machine) or any(workload.needs)


def fails(machine: JobMachine) -> bool:
    """Whether its nodes fail."""
    return machine.failures is not None and machine.failures.every is not None


def schedule_placed(workload: Workload, machine: JobMachine, policy: str) -> Scheduled:
    """Simulate with places. Jobs that have none on the empty machine are refused, and the rest goes on.

    InputError for what cannot be simulated so: a decision that takes time.
    """
    from assay._core import batch

    if machine.rules.seconds_of_a_decision:
        value = machine.rules.decision_cost
        problem = "is of a machine whose jobs are not placed on nodes"
        raise InputError(problem, key="batch.decision_cost", value=value, accepted="0")
    layout = machine.layout
    row = (layout.nodes, layout.cpus, layout.placing, layout.whole_nodes, list(layout.extents))
    needs, limits = _rows(workload, machine.queue_rules)
    fits = np.array(batch.placeable(row, _columns(workload), workload.priority.tolist(), needs), dtype=bool)
    kept, refused = workload.only(fits), workload.only(~fits)
    rows = [each for each, fit in zip(needs, fits, strict=True) if fit]

    shared = interference.rows(kept, machine.shared)

    def placed(closures: Sequence[NodeClosure]) -> dict[str, Any]:
        closed = [(list(each.nodes), each.begins, each.ends, each.known) for each in closures]
        columns, priority = _columns(kept), kept.priority.tolist()
        try:
            return dict(
                batch.place(row, policy, columns, priority, rows, limits, closed, True, AGEING, HALF_LIFE, shared)
            )
        except ValueError as error:
            raise InputError(str(error), file=workload.source) from None

    found = _with_failures(placed, kept, machine) if fails(machine) and len(kept) else placed(machine.closures)
    made = Scheduled(
        workload=kept,
        refused=refused,
        processors=machine.processors,
        policy=policy,
        started=np.array(found["starts"], dtype=np.int64),
        idle={why: float(found[why]) for why in IDLE if why in found},
        decisions=int(found["decisions"]),
        restarts=sum(found["failures"]),
        places=tuple(tuple(node for node, _ in place) for place in found["places"]),
    )
    return slowed(made, found, machine.shared)


def _with_failures(
    placed: Callable[[Sequence[NodeClosure]], dict[str, Any]], jobs: Workload, machine: JobMachine
) -> dict[str, Any]:
    """Draw failures for as long as the jobs take: for twice as long again until they suffice."""
    assert machine.failures is not None
    until = 2 * int(np.max(jobs.submitted + jobs.requested)) + jobs.work // machine.processors
    for _ in range(DOUBLINGS):
        found = placed((*machine.closures, *outages(machine.failures, machine.layout.nodes, until)))
        if max(found["ends"]) < until:
            return found
        until = 2 * max(found["ends"])
    problem = "is so short that jobs do not come to their end"
    raise InputError(problem, key="failures.every", value=machine.failures.every)


def _columns(workload: Workload) -> list[list[int]]:
    arrays = (workload.submitted, workload.runs, workload.requested, workload.processors, workload.user)
    return [each.tolist() for each in arrays]


def _rows(workload: Workload, rules: QueueRules) -> tuple[list[NeedsRow], list[LimitRow]]:
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
        rows.append((each.per_node, each.nodes, ALONE.index(each.alone), ports, places, rank))
    return rows, limits
