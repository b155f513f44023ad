"""What the lines of one benchmark's launches say: read once, for figures, disturbance and variance alike.

The programs' own lines are read, not the tables made from them, which takes less time and memory (store.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from assay.analysis.figures import CaseSamples, cells
from assay.case import Case
from assay.samples import Check, Launch, Measured
from assay.stored.launch_file import Tasks

BlockName = tuple[str, Case, str, int, int, int]  # metric, case, host, launch, attempt, block


@dataclass(frozen=True)
class LaunchLines:
    """All launches of a benchmark; of those that are complete and were not done again also blocks and failed checks.

    `blocks`: with how many ranks its launch had; `failed`: case and detail;
    `alike`: the launches by what the plan varied (variant, ranks per node), as no figure combines two of these;
    `tasks`: the files that were read.
    """

    launches: list[Launch]
    blocks: list[tuple[Measured, int]]
    failed: list[tuple[Case, str]]
    alike: dict[Case, list[Launch]] = field(default_factory=dict)
    tasks: Tasks = ()


@dataclass(frozen=True)
class Readings:
    """The readings of one block, in the metric's SI unit, in order of time; `first`: the first call, kept apart."""

    metric: str
    case: Case
    host: str
    launch: int
    attempt: int
    block: int
    first: bool
    batch: int
    values: list[float]

    @property
    def key(self) -> BlockName:
        """What names a block of a benchmark."""
        return self.metric, self.case, self.host, self.launch, self.attempt, self.block


def launch_lines(tasks: Tasks) -> LaunchLines:
    """Read the files of one benchmark's tasks, of which one that ran on several nodes may have several in a row."""
    tasks = list(tasks)
    found, failed = LaunchLines([], [], [], tasks=tasks), dict[tuple[Case, str], None]()
    for about, files in groupby(tasks, key=lambda task: task[0]):
        lines = [line for _, file in files for line in file.rows]
        launches = [line for line in lines if isinstance(line, Launch)]
        ranks = {launch.host: launch.ranks for launch in launches if launch.complete}
        found.launches.extend(launches)
        found.alike.setdefault(Case(about.factors), []).extend(launches)
        for line in lines:
            if isinstance(line, Measured) and line.block.host in ranks:
                found.blocks.append((line, ranks[line.block.host]))
            elif isinstance(line, Check) and not line.passed and line.host in ranks:
                failed[line.case, line.detail] = None
    found.failed.extend(failed)
    return found


def readings(blocks: Iterable[Measured]) -> list[Readings]:
    """Give the readings by block, first calls apart, in order of launch and time."""
    grouped: dict[tuple[Any, ...], list[Measured]] = defaultdict(list)
    for each in blocks:
        of = each.block
        if each.first is not None:
            grouped[of.metric, of.case, of.host, of.launch, of.attempt, of.block, True].append(each)
        if each.values:
            grouped[of.metric, of.case, of.host, of.launch, of.attempt, of.block, False].append(each)
    made = []
    for (metric, case, host, launch, attempt, block, first), parts in grouped.items():
        values = [part.first for part in parts if part.first is not None]
        batch = 1
        if not first:
            values = _in_turn([part.values for part in parts])
            batch = max(part.block.batch for part in parts)
        begun = min(part.block.t0 for part in parts)
        made.append((begun, Readings(metric, case, host, launch, attempt, block, first, batch, values)))
    made.sort(key=lambda each: (each[1].launch, each[0], each[1].block, not each[1].first))
    return [each for _, each in made]


def _in_turn(parts: list[list[float]]) -> list[float]:
    """Join the values of a block that was written in parts (by several ranks of a host): all first ones first."""
    if len(parts) == 1:
        return parts[0]
    return [part[turn] for turn in range(max(map(len, parts))) for part in parts if turn < len(part)]


def gathered(found: Sequence[Readings]) -> list[CaseSamples]:
    """Gather blocks into the cells that figures are made from."""
    return cells((of.metric, of.case, of.host, of.launch, of.values, of.batch, of.first) for of in found)
