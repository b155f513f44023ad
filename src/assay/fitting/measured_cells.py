"""What a run measured of one figure, as a fit takes it: lengths, values, bounds, and the launches behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.document.reported_figure import ReportedFigure
from assay.fitting.several_runs import RUN

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
LEAST_CLEAN = 2  # lengths that were not disturbed, which the others are compared with
MOST_MOVED = 1.0  # relative, of a time: what a disturbance may have moved by more tells no more
UNIFORM = 12**0.5  # the width of a uniform distribution in its standard deviations


@dataclass(frozen=True)
class MeasuredCells:
    """Cells in the order of their lengths, then hops; (cells,) arrays, times in s, lengths in B.

    `bound`: only at most `value` is known. Of a disturbed cell any time is as likely that its disturbance leaves
    possible: `value` is their middle, `slack` their relative standard deviation. Where hardly any cell is clean, so
    that nothing else is there to go by, values are as measured and `slack` is 0; `common`: how far all of them may be
    moved then. `by_launch` (launches, cells): NaN where a launch lacks one; `run_of` (launches,): the place of each
    launch's run (`several_runs`).
    """

    length: Floats
    hops: Floats
    value: Floats
    bound: Flags
    slack: Floats
    by_launch: Floats
    common: float = 0.0
    run_of: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.length)

    @property
    def launches(self) -> int:
        """Launches that a value rests on, the median over cells that have any."""
        counts = (~np.isnan(self.by_launch[:, ~self.bound])).sum(axis=0) if len(self.by_launch) else np.zeros(0)
        return int(np.median(counts)) if len(counts) else 0

    @property
    def runs(self) -> list[Floats]:
        """The launches of each run, (launches, cells); one entry without any launch."""
        if self.run_of is None or not len(self.by_launch):
            return [self.by_launch]
        return [self.by_launch[self.run_of == run] for run in np.unique(self.run_of)]

    def chosen(self, which: Flags) -> MeasuredCells:
        """Some of the cells."""
        return MeasuredCells(
            self.length[which], self.hops[which], self.value[which], self.bound[which], self.slack[which],
            self.by_launch[:, which], self.common, self.run_of,
        )  # fmt: skip


def times(
    cells: Sequence[ReportedFigure],
    time_of: Callable[[ReportedFigure, float], float] = lambda cell, value: value,
    at_most: bool = True,
    others: bool = False,
) -> MeasuredCells:
    """The cells' times; those without a usable value are left out.

    `time_of` makes a time of a figure's value. `at_most`: a bound is the greatest possible time, as a time's best
    reading is, and a rate's; a disturbed value of unknown size is taken as one. `others`: the fit has further cells to
    go by, so that no number of disturbed ones among these is trusted.
    """
    kept = [each for each in cells if each.shown and each.shown > 0 and each.main]
    kept.sort(key=lambda each: (float(each.params.get("bytes") or 0), float(each.params.get("hops") or 0)))
    launches = sorted({int(launch) for each in kept for launch, _ in each.by_launch})
    place = {launch: at for at, launch in enumerate(launches)}
    by_launch = np.full((len(launches), len(kept)), np.nan)
    value, bound = np.zeros(len(kept)), np.zeros(len(kept), bool)
    shortest, longest = np.zeros(len(kept)), np.zeros(len(kept))
    for column, each in enumerate(kept):
        moved = _moved(each)
        bound[column] = at_most and (each.state == "bound" or moved is None)
        value[column] = time_of(each, each.shown or 0.0)
        ends = [time_of(each, (each.shown or 0.0) / (1 + of)) for of in moved or (0.0, MOST_MOVED)]
        shortest[column], longest[column] = (value[column],) * 2 if bound[column] else (min(ends), max(ends))
        for launch, measured in each.by_launch:
            if measured > 0 and not bound[column]:
                by_launch[place[int(launch)], column] = time_of(each, measured)
    disturbed = longest > shortest
    clean = ~bound & ~disturbed
    alone = (
        not others
        and disturbed.sum() > clean.sum()
        and len({each.params.get("bytes") for each, of in zip(kept, clean, strict=True) if of}) < LEAST_CLEAN
    )
    middle = (shortest + longest) / 2
    moved_most = np.maximum(value / shortest, longest / value) - 1
    return MeasuredCells(
        np.array([float(each.params.get("bytes") or 0) for each in kept]),
        np.array([float(each.params.get("hops") or 0) for each in kept]),
        value if alone else middle, bound, np.zeros(len(kept)) if alone else (longest - shortest) / middle / UNIFORM,
        by_launch, float(np.median(moved_most[disturbed])) if alone else 0.0, np.array(launches, int) // RUN,
    )  # fmt: skip


def _moved(cell: ReportedFigure) -> tuple[float, float] | None:
    """How far a disturbance can have moved a value, value / undisturbed - 1 from and to; None: unknown."""
    if cell.state != "disturbed":
        return 0.0, 0.0
    moved = cell.disturbance
    if moved is None or moved.low is None or moved.high is None:
        return None
    return max(moved.low, 1 / (1 + MOST_MOVED) - 1), min(moved.high, MOST_MOVED)
