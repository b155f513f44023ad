"""[compute] of a description: the rates of kernels on one processor, of node programs that a run measured.

A record's [described] has the kernel whose rate a case takes, and its metrics as formulas of the seconds of a unit of
work. Each formula is solved for these seconds, of the case with the largest working set: a rate from memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.benchmark.formula import evaluate
from assay.benchmark.record import Benchmark, benchmarks
from assay.described.kernels import KERNELS
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.fitting.estimates import Estimates
from assay.fitting.measured_cells import times
from assay.fitting.resampled import DRAWS, launch_deviation, widening

UNITS = {"flop": "Mflop/s", "B": "MB/s", "1": "1/s"}
LEAST_DEVIATION = 0.01  # of a rate of one launch


def compute_rates(
    sections: Sequence[Section], source: str, made: Estimates
) -> tuple[dict[str, object], dict[str, str]]:
    """[compute.rate] and the origins of its numbers; both empty where the run has no such kernel."""
    best: dict[str, tuple[float, ReportedFigure, float]] = {}
    for section in sections:
        record = benchmarks().get(section.benchmark)
        if record is None or record.described is None or record.described.kernel is None:
            continue
        for cell in section.figures:
            found = _unit(record, cell)
            if found is not None and (found[0] not in best or found[1] > best[found[0]][0]):
                best[found[0]] = (found[1], cell, found[2])
    rates: dict[str, object] = {}
    origin = {}
    for kernel, (_, cell, unit) in sorted(best.items()):
        of = times([cell], at_most=False)
        deviation = max(launch_deviation(of) * widening(of.launches) / max(1, of.launches) ** 0.5, LEAST_DEVIATION)
        random = np.random.default_rng((len(kernel), *map(ord, kernel)))
        draws = np.exp(deviation * random.standard_normal(DRAWS)) / unit
        key = f"compute.rate.{kernel}"
        rates[kernel] = made.add([key], 1 / unit, UNITS[KERNELS[kernel].unit], draws)
        origin[key] = f"fitted: {cell.benchmark} (of {source})"
    return ({"rate": rates} if rates else {}), origin


def _unit(record: Benchmark, cell: ReportedFigure) -> tuple[str, float, float] | None:
    """The kernel of a cell, its working set (B), and seconds of a unit of work; None of a cell that shows none."""
    plays, case = record.described, cell.params
    if plays is None or plays.kernel is None or not cell.main or not cell.shown or cell.state not in USABLE:
        return None
    if int(case.get("threads") or 1) != 1 or any(case.get(key) not in of for key, of in plays.only.items()):
        return None
    if plays.cached is not None and all(case.get(key) == value for key, value in plays.cached.items()):
        return None
    try:
        name = plays.kernel.format_map(case)
    except KeyError:
        return None
    kernel = plays.named.get(name, name)
    figure = record.figures.get(cell.name)
    if kernel not in KERNELS or figure is None or figure.metric not in plays.metric:
        return None
    names = {**record.constants(case), **case}

    def figure_of(unit: float) -> float | None:
        value = evaluate(plays.metric[figure.metric], {**names, "unit": unit, "own": unit})
        return None if value is None else evaluate(figure.formula, {**names, "value": value})

    once, twice = figure_of(1.0), figure_of(2.0)
    if not once or not twice:
        return None
    memory = None if plays.memory is None else evaluate(plays.memory, names)
    size = float(memory or case.get("bytes") or case.get("size") or 0)
    if abs(twice / once - 2) < PROPORTIONAL:
        return kernel, size, cell.shown / once
    if abs(twice / once - 0.5) < PROPORTIONAL:
        return kernel, size, once / cell.shown
    return None


USABLE = ("clean", "disturbed")
PROPORTIONAL = 1e-6
