"""What of a shared cluster is not this test's: processors of others' jobs, of nodes that are down, and reserved ones.

A site may show a user no jobs but the user's own. Its nodes still report how many of their processors are in use: what
these are more than the jobs that are shown have is others', too.

A test looks every few seconds, keeps what changed in its log, and divides the machine's processor seconds by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Occupancy:
    """Processors at one time: of all nodes that jobs could be sent to, those of others' jobs, down and reserved.

    `hidden`: in use by jobs that the batch system does not show.
    """

    total: int
    others: int = 0
    hidden: int = 0
    down: int = 0
    reserved: int = 0

    @property
    def taken(self) -> int:
        """Those that the test's jobs cannot have."""
        return min(self.total, self.others + self.hidden + self.down + self.reserved)


def hidden(shown: int, in_use: int, again: Callable[[], int]) -> int:
    """Processors of jobs that are not shown: `in_use` by the nodes, less those of the jobs that are `shown`.

    Nodes and jobs are queried one after the other, and `again` queries the nodes once more: what changed since is
    not counted.
    """
    return max(0, min(in_use, again()) - shown) if in_use > shown else 0


@dataclass(frozen=True, kw_only=True)
class MachineUse:
    """Processor seconds of a cluster over a test's makespan; the parts add up to `total` processors for that long.

    `ours`: of the test's jobs, as requested. `hidden`: of others' jobs that the batch system does not
    show (0 in results of before). `idle`: what is left. `left`: processors that others' jobs,
    nodes that were down and reservations left to the test, in the mean.
    """

    total: int
    ours: float
    others: float
    down: float
    reserved: float
    idle: float
    left: float
    hidden: float = 0.0


TEXTS = {
    "ours": "this test's jobs",
    "others": "others' jobs",
    "hidden": "others (not shown)",
    "down": "nodes down or drained",
    "reserved": "reserved",
    "idle": "idle",
}
Look = tuple[float, Occupancy]  # seconds from the first submission, what was seen then


def steps(looks: Sequence[Look], makespan: float) -> list[tuple[float, float, Occupancy]]:
    """The intervals from 0 to `makespan`: each look is valid until the next, the first from the start."""
    found = []
    for at, (when, seen) in enumerate(looks):
        begins = 0.0 if at == 0 else min(max(when, 0.0), makespan)
        ends = min(max(looks[at + 1][0], 0.0), makespan) if at + 1 < len(looks) else makespan
        if ends > begins:
            found.append((begins, ends, seen))
    return found


def machine_use(looks: Sequence[Look], ours: float, makespan: float) -> MachineUse | None:
    """Divide the machine; `ours`: processor seconds of the test's jobs. None where nothing was seen, or nothing ran."""
    held = steps(looks, makespan)
    if not held:
        return None
    total = max(seen.total for _, _, seen in held)
    spent = dict.fromkeys(("others", "hidden", "down", "reserved"), 0.0)
    taken = 0.0
    for begins, ends, seen in held:
        span = ends - begins
        spent["others"] += span * seen.others
        spent["hidden"] += span * seen.hidden
        spent["down"] += span * (seen.down + total - seen.total)
        spent["reserved"] += span * seen.reserved
        taken += span * (seen.taken + total - seen.total)
    room = total * makespan
    return MachineUse(
        total=total,
        ours=ours,
        idle=max(0.0, room - ours - sum(spent.values())),
        left=total - taken / makespan,
        **spent,
    )
