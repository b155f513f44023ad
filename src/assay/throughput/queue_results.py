"""What became of each queue's jobs on a simulated batch system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assay.throughput.simulated import Scheduled


@dataclass(frozen=True, kw_only=True)
class QueueResult:
    """One queue: its definition in the machine's file, and its jobs' results; seconds.

    `jobs`: that ran; `refused`: that its limits let never run, or that are wider than the machine; `share`: of the
    machine's processor time over the makespan. Waits are None where none of its jobs ran.
    """

    name: str
    definition: Mapping[str, float | str | list[int]]
    jobs: int
    refused: int
    processor_seconds: float
    share: float
    mean_wait: float | None
    median_wait: float | None
    longest_wait: float | None
    bounded_slowdown: float | None


def queue_results(found: Scheduled, slowdown: np.ndarray, room: float) -> list[QueueResult]:
    """Of each queue, in the order of the file. `slowdown`: of each job; `room`: processor seconds of the machine."""
    rules, jobs = found.rules, found.workload
    if rules is None or not rules.queues:
        return []
    queue = rules.of(jobs)
    refused = np.zeros(len(rules.queues), dtype=np.int64)
    for out in (found.refused, found.turned_away):
        if out is not None:
            refused += np.bincount(rules.of(out), minlength=len(rules.queues))
    waited = found.started - jobs.submitted
    made = []
    for at, each in enumerate(rules.queues):
        own = queue == at
        some = bool(own.any())
        work = float(np.sum((jobs.runs * jobs.processors)[own]))
        made.append(
            QueueResult(
                name=each.name,
                definition=each.model_dump(exclude_defaults=True, exclude={"name"}),
                jobs=int(own.sum()),
                refused=int(refused[at]),
                processor_seconds=work,
                share=work / room,
                mean_wait=float(waited[own].mean()) if some else None,
                median_wait=float(np.median(waited[own])) if some else None,
                longest_wait=float(waited[own].max()) if some else None,
                bounded_slowdown=float(slowdown[own].mean()) if some else None,
            )
        )
    return made
