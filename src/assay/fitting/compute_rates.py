"""[compute] of a description: what kernels do on one processor, and at most on all, of measured node programs.

Threads that work from memory at once share it: where the most threads do clearly less than as many times what one does,
their rate is the node's limit, `compute.shared`. Fewer threads are predicted by both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.described.kernels import KERNELS
from assay.document.reported_figure import ReportedFigure
from assay.fitting.estimates import Estimates
from assay.fitting.kernel_cells import KernelCells
from assay.fitting.measured_cells import times
from assay.fitting.resampled import DRAWS, launch_deviation, widening
from assay.toml.source import TomlTable

UNITS = {"flop": "Mflop/s", "B": "MB/s", "1": "1/s"}
LEAST_DEVIATION = 0.01  # of a rate of one launch
CONTENDED = 0.95  # of as many times what one thread does: less is contention
Floats = NDArray[np.float64]


@dataclass
class ComputeFound:
    """[compute], the origins of its numbers, and the most threads that were measured (0: one)."""

    table: TomlTable = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    threads: int = 0


def compute_rates(kernels: Mapping[str, KernelCells], source: str, made: Estimates) -> ComputeFound:
    """Rates of kernels; nothing where the run has no such cell."""
    found = ComputeFound()
    rates: TomlTable = {}
    shared: TomlTable = {}
    for kernel, cells in kernels.items():
        unit = UNITS[KERNELS[kernel].unit]
        key = f"compute.rate.{kernel}"
        rates[kernel] = made.add(
            [key], 1 / cells.alone.unit, unit, _draws(cells.alone.figure, kernel) / cells.alone.unit
        )
        found.origin[key] = f"fitted: {cells.alone.figure.benchmark} (of {source})"
        together = cells.together
        if together is None:
            continue
        found.threads = max(found.threads, together.threads)
        if cells.alone.unit / together.unit < CONTENDED * together.threads:
            key = f"compute.shared.{kernel}"
            draws = _draws(together.figure, f"{kernel} together") / together.unit
            shared[kernel] = made.add([key], 1 / together.unit, unit, draws)
            found.origin[key] = f"fitted: {together.figure.benchmark} on {together.threads} threads (of {source})"
    if rates:
        found.table["rate"] = rates
    if shared:
        found.table["shared"] = shared
    return found


def _draws(cell: ReportedFigure, name: str) -> Floats:
    """Draws of a rate relative to its estimate, by the spread of its launches."""
    of = times([cell], at_most=False)
    deviation = max(launch_deviation(of) * widening(of.launches) / max(1, of.launches) ** 0.5, LEAST_DEVIATION)
    random = np.random.default_rng((len(name), *map(ord, name)))
    return np.asarray(np.exp(deviation * random.standard_normal(DRAWS)))
