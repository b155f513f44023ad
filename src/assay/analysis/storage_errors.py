"""How far a law of storage is off at each cell, with intervals across launches, and which cells it does not predict.

The law is fitted to each launch by itself, and its rate of a cell is compared with what that launch measured there (the
launch is the replicate): the interval of the error holds what both vary by. A cell is not predicted where the whole
interval lies beyond MARGIN to one side, and rests on two launches or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.analysis.intervals import median_interval
from assay.analysis.storage_law import RateCell, StorageLaw, across_in_words, storage_law

MARGIN = 0.1  # our choice: what a rate of storage may be off and still be of use


@dataclass(frozen=True)
class JudgedCell:
    """A cell, the law's rate of it (B/s), and (predicted - measured) / measured with its interval.

    `between` is a 95% interval, or with fewer than six launches (`interval` is false) the range; None where fewer
    than two `launches` measured all cells.
    """

    cell: RateCell
    predicted: float
    error: float
    between: tuple[float, float] | None
    interval: bool
    launches: int

    @property
    def missed(self) -> bool:
        """Whether the law does not predict it."""
        return self.between is not None and (self.between[0] > MARGIN or self.between[1] < -MARGIN)


def judge_cells(law: StorageLaw) -> list[JudgedCell]:
    """Each cell of a law, in its order."""
    common = sorted(set.intersection(*(set(cell.launches) for cell in law.cells)))
    of_launch = {
        launch: storage_law([replace(cell, rate=cell.launches[launch], launches={}) for cell in law.cells])
        for launch in common
    }
    made = []
    for cell in law.cells:
        errors = [
            one.rate(cell.bytes, cell.flight) / cell.launches[launch] - 1
            for launch, one in of_launch.items()
            if one is not None and cell.launches[launch] > 0
        ]
        interval = median_interval(errors) if errors else None
        between = interval or ((min(errors), max(errors)) if len(errors) > 1 else None)
        predicted = law.rate(cell.bytes, cell.flight)
        made.append(JudgedCell(cell, predicted, predicted / cell.rate - 1, between, interval is not None, len(errors)))
    return made


def errors_across_in_words(law: StorageLaw, cells: Sequence[JudgedCell]) -> str:
    """What the bounds of the cells' errors are, and how many launches they rest on."""
    least = min(each.launches for each in cells)
    return across_in_words(all(each.interval for each in cells), least, law.measured)


def missed_in_words(cells: Sequence[JudgedCell]) -> str:
    """The held-out cells that the law does not predict; "" where there are none."""
    missed = [each for each in cells if each.missed and not each.cell.fitted]
    if not missed:
        return ""
    which = ", ".join(f"{each.cell.bytes} B with {each.cell.flight} ({each.error:+.0%})" for each in missed)
    held_out = sum(not each.cell.fitted for each in cells)
    return (
        f"not predicted, by more than {MARGIN:.0%} in the whole interval: {len(missed)} of {held_out} held out: {which}"
    )
