"""A workload on a simulated batch system: when every job starts, and what the machine did meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.throughput.workload import Whole, Workload

POLICIES = {
    "fcfs": "first come, first served",
    "firstfit": "every job that fits, in order; no reservation",
    "easy": "EASY backfilling: a reservation for the first waiting job",
    "conservative": "a reservation for every job, with compression",
    "priority": "EASY in the order of priority with ageing",
    "fairshare": "EASY in the order of decayed use",
}
AGEING = 1 / 3600  # priority for each second of waiting
HALF_LIFE = 7 * 24 * 3600.0  # seconds


@dataclass(frozen=True)
class Scheduled:
    """What became of a workload: each job's start (s), and processor seconds that were idle, by why."""

    workload: Workload
    refused: Workload
    processors: int
    policy: str
    started: Whole
    idle: dict[str, int]
    decisions: int

    @property
    def ended(self) -> Whole:
        """The second at which each job ends."""
        ended: Whole = self.started + self.workload.runs
        return ended


def schedule(workload: Workload, processors: int, policy: str) -> Scheduled:
    """Simulate; jobs wider than the machine are refused, and the rest goes on."""
    from assay._core import batch

    fits = workload.processors <= processors
    kept, refused = workload.only(fits), workload.only(~fits)
    arrays = (kept.submitted, kept.runs, kept.requested, kept.processors, kept.user, kept.priority)
    found = batch.schedule(
        processors,
        policy,
        *(np.ascontiguousarray(each) for each in arrays),
        AGEING,
        HALF_LIFE,
    )
    idle = {why: int(found[why]) for why in ("nobody_waited", "none_fitted", "held")}
    return Scheduled(kept, refused, processors, policy, found["starts"], idle, int(found["decisions"]))
