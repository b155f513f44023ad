"""Which cells of a run a fit uses, and which are held out: one rule, before any value is looked at.

Of the cells of one benchmark and figure that differ in the length alone, every second length is fitted, from the
shortest on, and the longest as well, so that none that is held out lies beyond the fitted ones. The state of a cell
changes nothing: one that is a bound is fitted as an inequality, or is held out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from assay.document.reported_figure import ReportedFigure

LENGTH = "bytes"
RULE = (
    "of the cells of a benchmark and figure that differ in bytes alone, every second length from the shortest on, "
    "and the longest; bounds as inequalities"
)


def fitted(cells: Sequence[ReportedFigure]) -> list[bool]:
    """For each cell whether a fit may use it; the others are held out. The order of the cells does not matter.

    Lengths are counted over all cells that are given, so give every cell of a run's benchmark, whatever its state.
    """
    lengths: dict[tuple[object, ...], set[float]] = defaultdict(set)
    for cell in cells:
        lengths[_family(cell)].add(_length(cell))
    kept: dict[tuple[object, ...], set[float]] = {}
    for family, of in lengths.items():
        ordered = sorted(of)
        kept[family] = {*ordered[::2], ordered[-1]}
    return [_length(cell) in kept[_family(cell)] for cell in cells]


def _family(cell: ReportedFigure) -> tuple[object, ...]:
    return cell.benchmark, cell.name, cell.host, cell.params.without((LENGTH,))


def _length(cell: ReportedFigure) -> float:
    return float(cell.params.get(LENGTH) or 0)
