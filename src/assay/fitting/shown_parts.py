"""What benchmarks show of the parts of a message's time: its sender's, the network's, its receiver's, the slowest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.document.reported_figure import ReportedFigure
from assay.fitting.chosen_cells import BOTH_WAYS, WINDOWS, ChosenCells
from assay.fitting.length_lines import LengthLine, LengthLines
from assay.fitting.measured_cells import MeasuredCells, times
from assay.fitting.resampled import FLOOR, launch_deviation, widening

Part = Literal["slowest", "sender", "receiver", "both ends"]
LEAST = 0.01  # relative deviation of a part
LOGGP_PARTS: tuple[tuple[str, Part], ...] = (
    ("gap", "slowest"), ("send_overhead", "sender"), ("receive_overhead", "receiver"),
)  # fmt: skip


@dataclass(frozen=True)
class Shown:
    """What a benchmark shows of messages of `length` B: `seconds` of a part of the sum, relative deviation `sigma`.

    `sigma` is no less than LEAST, as no part is known better; `noise` is of its launches alone. "both ends": what a
    processor takes that sends a message and receives one.
    """

    benchmark: str
    part: Part
    length: float
    seconds: float
    noise: float

    @property
    def sigma(self) -> float:
        """The deviation of the part."""
        return max(self.noise, LEAST)


def shown(cells: ChosenCells, found: LengthLines) -> list[Shown]:
    """All that the chosen cells show; a bound shows nothing."""
    made: list[Shown] = []
    for benchmark, _, window in WINDOWS:
        of_bytes = benchmark == "bandwidth"
        made += _of_windows(cells.windows.get(benchmark, []), found, benchmark, "slowest", window, of_bytes)
    made += _of_windows(cells.both_ways, found, BOTH_WAYS[0], "both ends", BOTH_WAYS[2], True)
    for figure, part in LOGGP_PARTS:
        made += [Shown("loggp", part, *each) for each in _values(times(cells.loggp.get(figure, []), others=True))]
    for of in cells.fan_in.values():
        measured = times(of, lambda cell, rate: float(cell.params["bytes"]) / rate, others=True)
        made += [Shown("fan-in", "receiver", *value) for value in _values(measured)]
    return made


def _of_windows(
    cells: Sequence[ReportedFigure], found: LengthLines, benchmark: str, part: Part, window: int, of_bytes: bool
) -> list[Shown]:
    """The time between messages of a window, whose first one and whose answer take as long as alone."""
    directions = 2 if part == "both ends" else 1

    def seconds(cell: ReportedFigure, rate: float) -> float:
        return directions * window * (float(cell.params["bytes"]) if of_bytes else 1.0) / rate

    made = []
    for length, whole, sigma in _values(times(cells, seconds, others=True)):
        gap = (whole - time_of(found, length) - time_of(found, 0.0)) / (window - 1)
        made += [Shown(benchmark, part, length, gap, sigma)] if gap > 0 else []
    return made


def _values(cells: MeasuredCells) -> list[tuple[float, float, float]]:
    """Length, time and relative deviation of each value that is no bound."""
    deviation = max(launch_deviation(cells) * widening(cells.launches) / np.sqrt(max(cells.launches, 1)), FLOOR)
    rows = zip(cells.length, cells.value, cells.slack, cells.bound, strict=True)
    return [(float(n), float(v), float(np.hypot(deviation, slack))) for n, v, slack, bound in rows if not bound]


def time_of(found: LengthLines, length: float) -> float:
    """One message's time (s) by the lines, to the nearest partner."""
    line = line_of(found.lines, length)
    return line.alpha + line.beta * length


def line_of(lines: Sequence[LengthLine], length: float) -> LengthLine:
    """The line of a length."""
    return next((each for each in lines if each.up_to is None or length <= each.up_to), lines[-1])
