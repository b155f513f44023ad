"""A block of readings with what the kernel counted meanwhile: what the rules of disturbance look at."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
REFERENCE = 0.10  # relative: turbo steps of a shared processor move the reference loop by up to 7% either way


@dataclass(frozen=True)
class AccountedBlock:
    """One block of readings: `values` (n,) in the metric's SI unit an operation, `t0` and `t1` in Unix seconds.

    `batch` is the operations that one reading of the clock covers; `accounting` as the programs write it: steal,
    others, own, wall, waited (s), involuntary, voluntary, minor_faults, major_faults, frequency (Hz or None); of a
    device's blocks also what devices.py names. A key that is missing is not judged. `sense`: 1 where a disturbance
    makes values greater (times), -1 where less (rates), 0 where it can do either (ratios). `reference`: how much slower
    than usual the launch's reference loop was, relative.
    `natural`: values vary by their nature (the noise of a machine), so that they witness nothing, and what the accounts
    show does not bound them. `helper`: of a series that no figure is made of, such as a curve that finds caches.
    `threads`: how many each process works with.
    """

    metric: str
    case: Hashable
    launch: int
    block: int
    batch: int
    values: Floats
    accounting: Mapping[str, float | None] = field(default_factory=dict)
    t0: float = 0.0
    t1: float = 0.0
    host: str = ""
    sense: int = 1
    reference: float | None = None
    natural: bool = False
    helper: bool = False
    threads: int = 1

    @property
    def wall(self) -> float:
        """Wall time (s) that the accounting covers."""
        return float(self.accounting.get("wall") or (self.t1 - self.t0))

    @property
    def reading(self) -> float:
        """Wall time (s) of one reading on average; infinite where that is not known."""
        return self.wall / len(self.values) if self.wall > 0 and len(self.values) else float("inf")

    @property
    def times(self) -> Floats:
        """Values as something that a disturbance makes greater: rates become times per operation."""
        values = np.asarray(self.values, float)
        return values if self.sense >= 0 else 1 / np.maximum(values, np.finfo(float).tiny)

    def counted(self, key: str) -> float:
        """Give an account as a number, 0 where it was not taken."""
        return float(self.accounting.get(key) or 0.0)


def cases_of(
    blocks: Sequence[AccountedBlock], by_launch: bool = False, witnesses: bool = False
) -> dict[Hashable, list[int]]:
    """Give the indices of the blocks of each metric and case, and of each launch on request.

    `witnesses`: only of those whose values depend on disturbance.
    """
    cases: dict[Hashable, list[int]] = defaultdict(list)
    for i, block in enumerate(blocks):
        if witnesses and block.natural:
            continue
        cases[(block.metric, block.case, block.launch if by_launch else None)].append(i)
    return cases


def describe_span(blocks: Sequence[AccountedBlock], indices: Sequence[int]) -> str:
    """When, as text: all the while, from the middle on, until the middle, or now and then."""
    if len(set(indices)) == len(blocks):
        return ", all the while"
    order = sorted(range(len(blocks)), key=lambda i: (blocks[i].t0, blocks[i].launch, blocks[i].block))
    touched = set(indices)
    flags = np.array([i in touched for i in order])
    percent = f"in {flags.mean():.0%} of the blocks"
    start, end = int(flags.argmax()), len(flags) - int(flags[::-1].argmax())
    if flags[start:].mean() > 0.9:
        return f", from block {start + 1} of {len(flags)} on ({percent})"
    if flags[:end].mean() > 0.9:
        return f", up to block {end} of {len(flags)} ({percent})"
    return f", now and then ({percent})"
