"""How jobs of a simulated workload slow one another down, by a stated model: resources that they share.

    [[shared]]                 # of the machine's file
    name = "network"
    capacity = 40              # what it has to give
    unit = "GB/s"              # of capacity and demand
    demand = 0.2               # of each processor of a job without its own value, when it is alone
    part = 0.3                 # of its run alone that it spends with the resource
    nodes = 16                 # one such resource for each 16 nodes (a switch); without it one for the machine
    source = "assumed"

    [adf_run]                  # of the table of jobs
    uses = { network = { demand = 1.5, part = 0.4 } }

Where jobs demand D together and D is more than the capacity C, everybody waits D / C times as long at the resource
(proportional sharing): a job whose part there is s takes 1 - s + s D / C times as long while that lasts. What several
resources add is summed. The model is ours; Amdahl's law with the shared part stretched. core/batch/progress.hpp has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from assay.errors import InputError
from assay.throughput.job_needs import JobNeeds
from assay.throughput.workload import Workload
from assay.toml.checking import Table

SharedRows = tuple[list[tuple[float, int]], list[list[tuple[float, float]]], list[int]]
NOTHING: SharedRows = ([], [], [])


class SharedResource(Table):
    """[[shared]] of a machine's file."""

    name: str = Field(min_length=1, description="what it is called")
    capacity: float = Field(gt=0, description="what it has to give, in `unit`")
    unit: str = Field("", description="of capacity and demand")
    demand: float = Field(0.0, ge=0, description="of each processor of a job without its own value")
    part: float = Field(0.0, ge=0, le=1, description="of its run alone that such a job spends with it")
    nodes: int | None = Field(
        None, ge=1, le=2**31 - 2, description="one for each so many nodes; without it one for the machine"
    )
    source: str = Field("assumed", description="where its numbers are from")


class JobUse(Table):
    """What a job uses of a shared resource; defaults are in the machine's file."""

    demand: float | None = Field(None, ge=0, description="of each of its processors when it is alone")
    part: float | None = Field(None, ge=0, le=1, description="of its run alone that it spends with the resource")


@dataclass(frozen=True, kw_only=True)
class InterferenceResult:
    """What jobs cost one another: run times over those alone, of the jobs that came to their end.

    `overall`: all processor time over that alone; `slowed`: jobs that took longer than alone; `killed`: jobs that were
    ended at their limit, which they would not have reached alone. `resources`: as the machine's file has them.
    """

    overall: float
    mean: float
    largest: float
    slowed: int
    killed: int
    resources: list[SharedResource]


def of_nodes(shared: Sequence[SharedResource]) -> bool:
    """Whether it matters on which nodes jobs are."""
    return any(each.nodes is not None for each in shared)


def rows(workload: Workload, shared: Sequence[SharedResource]) -> SharedRows:
    """What the core takes: resources, what each kind of jobs uses of them, and each job's kind."""
    if not shared:
        return NOTHING
    kinds: dict[tuple[tuple[float, float], ...], int] = {}
    named: dict[tuple[object, ...], int] = {}
    kind = []
    for at, need in enumerate(workload.needs or (JobNeeds(),) * len(workload)):
        if need.uses not in named:
            made = _uses(workload, at, need, shared)
            named[need.uses] = kinds.setdefault(made, len(kinds))
        kind.append(named[need.uses])
    return [(each.capacity, each.nodes or 0) for each in shared], [list(each) for each in kinds], kind


def _uses(
    workload: Workload, at: int, need: JobNeeds, shared: Sequence[SharedResource]
) -> tuple[tuple[float, float], ...]:
    own = {name: (demand, part) for name, demand, part in need.uses}
    for name in own.keys() - {each.name for each in shared}:
        problem = f"is no shared resource of the machine, and {workload.name(at)} uses it"
        accepted = ", ".join(each.name for each in shared)
        raise InputError(problem, file=workload.source, key="uses", value=name, accepted=accepted)
    found = []
    for each in shared:
        demand, part = own.get(each.name, (None, None))
        found.append((each.demand if demand is None else demand, each.part if part is None else part))
    whole = sum(part for _, part in found)
    if whole > 1 + 1e-9:
        problem = f"of {workload.name(at)} with all shared resources is more than its whole run"
        raise InputError(problem, file=workload.source, key="part", value=f"{whole:g}", accepted="1 in all")
    return tuple(found)


def result(
    runs: NDArray[np.float64], alone: NDArray[np.float64], killed: NDArray[np.bool_], width: NDArray[np.int64],
    shared: Sequence[SharedResource],
) -> InterferenceResult:  # fmt: skip
    """The result; run times in seconds. Without a job that ended, none was slowed."""
    kept = ~killed & (alone > 0)
    ratios = runs[kept] / alone[kept]
    work = float(np.sum((alone * width)[kept]))
    return InterferenceResult(
        overall=float(np.sum((runs * width)[kept])) / work if work else 1.0,
        mean=float(ratios.mean()) if len(ratios) else 1.0,
        largest=float(ratios.max()) if len(ratios) else 1.0,
        slowed=int(np.count_nonzero(ratios > 1)),
        killed=int(killed.sum()),
        resources=list(shared),
    )
