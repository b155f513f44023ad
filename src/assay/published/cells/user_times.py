"""Times of the clusters' user programs by processors: of each cell the ranks of a node that its table is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assay.machine.catalogue import PublishedCell
from assay.published.cells.euroben_twins import described
from assay.published.cells.rules import Pairs

NODES: Mapping[str, int] = {"compaq-xp1000-cluster": 18}  # 8 of the others

Time = Callable[[str, str, int, int], float | None]


def by_processors(machine: str, cells: Sequence[PublishedCell], time: Time) -> Pairs:
    """Seconds by processors, processors of a node and network; the best of tables that print the best.

    `time`: of a benchmark on a description, with so many ranks in all and on a node. Cells of user and system time and
    of imbalance have no twin.
    """
    made: Pairs = []
    for cell in cells:
        if cell.metric != "time":
            continue
        ranks, per_node = int(cell.params["cpus"]), cell.params.get("cpus_per_node", 1)
        each = (1, 2) if per_node == "best" else (int(per_node),)
        fits = [one for one in each if ranks <= one * NODES.get(machine, 8) or "cpus_per_node" not in cell.params]
        found = [time(cell.benchmark, described(machine, cell), ranks, one) for one in fits]
        known = [one for one in found if one is not None]
        if known:
            made.append((cell, min(known)))
    return made
