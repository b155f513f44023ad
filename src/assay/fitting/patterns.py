"""What EuroBen's patterns take on a description: the seconds per byte that are fitted to mod1h's cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.described.machine_file import DescribedMachine
from assay.errors import MeasurementError
from assay.machine.catalogue import PublishedCell
from assay.published.cells import twins
from assay.published.cells.answers import Answer, Setting, play


@dataclass(frozen=True)
class _One:
    """Answers of one description, whatever the requested name."""

    description: DescribedMachine

    def ask(self, machine: str, benchmark: str, figure: str, **settings: Setting) -> list[Answer]:
        """Play it."""
        return [
            Answer(each.params, each.value)
            for each in play(self.description, benchmark, settings).figures
            if each.name == figure and each.statistic == "median" and each.value is not None
        ]


def seconds_per_byte(description: DescribedMachine, cells: Sequence[PublishedCell]) -> NDArray[np.float64]:
    """The inverse of each cell's simulated rate (s/B). MeasurementError where a cell has no twin."""
    found = twins.simulated(_One(description), description.name, cells)
    if len(found) < len(cells):
        raise MeasurementError(f"{description.name}: a pattern was not simulated")
    return np.array([1 / found[place] for place in range(len(cells))])
