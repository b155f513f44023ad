"""Which cells of node programs show how fast a kernel is: on one processor, and on the most threads at once.

A record's [described] has the kernel whose rate a case takes, and its metrics as formulas of the seconds of a unit of
work. Each formula is solved for these seconds, of the case with the largest working set: a rate from memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.benchmark.formula import evaluate
from assay.benchmark.record import Benchmark, benchmarks
from assay.described.kernels import KERNELS
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section

USABLE = ("clean", "disturbed")
PROPORTIONAL = 1e-6


@dataclass(frozen=True)
class RateCellOfKernel:
    """A cell and what it shows: seconds of a unit of work of `threads` together, with a working set of `size` B."""

    figure: ReportedFigure
    kernel: str
    threads: int
    size: float
    unit: float


@dataclass(frozen=True)
class KernelCells:
    """Of a kernel the cell on one processor, and of the same program and case that on the most threads, if any."""

    alone: RateCellOfKernel
    together: RateCellOfKernel | None

    @property
    def figures(self) -> list[ReportedFigure]:
        """Both cells."""
        return [each.figure for each in (self.alone, self.together) if each is not None]


def kernel_cells(sections: Sequence[Section]) -> dict[str, KernelCells]:
    """By kernel, in the order of their names."""
    known = benchmarks()
    alone: dict[str, RateCellOfKernel] = {}
    several: list[RateCellOfKernel] = []
    for section in sections:
        record = known.get(section.benchmark)
        if record is None or record.described is None or record.described.kernel is None:
            continue
        for cell in section.figures:
            found = _rate_cell(record, cell)
            if found is None:
                continue
            if found.threads > 1:
                several.append(found)
            elif found.kernel not in alone or found.size > alone[found.kernel].size:
                alone[found.kernel] = found
    made = {}
    for kernel, one in sorted(alone.items()):
        same = [each for each in several if each.kernel == kernel and _family(each) == _family(one)]
        made[kernel] = KernelCells(one, max(same, key=lambda each: each.threads, default=None))
    return made


def _family(of: RateCellOfKernel) -> object:
    return of.figure.benchmark, of.figure.name, of.figure.host, of.figure.params.without(("threads",))


def _rate_cell(record: Benchmark, cell: ReportedFigure) -> RateCellOfKernel | None:
    """What a cell shows of a kernel; None of one that shows nothing."""
    plays, case = record.described, cell.params
    if plays is None or plays.kernel is None or not cell.main or not cell.shown or cell.state not in USABLE:
        return None
    if any(case.get(key) not in of for key, of in plays.only.items()):
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
    threads = int(case.get("threads") or 1)

    def figure_of(unit: float) -> float | None:
        value = evaluate(plays.metric[figure.metric], {**names, "unit": unit, "own": threads * unit})
        return None if value is None else evaluate(figure.formula, {**names, "value": value})

    once, twice = figure_of(1.0), figure_of(2.0)
    if not once or not twice:
        return None
    memory = None if plays.memory is None else evaluate(plays.memory, names)
    size = float(memory or case.get("bytes") or case.get("size") or 0)
    if abs(twice / once - 2) < PROPORTIONAL:
        return RateCellOfKernel(cell, kernel, threads, size, cell.shown / once)
    if abs(twice / once - 0.5) < PROPORTIONAL:
        return RateCellOfKernel(cell, kernel, threads, size, once / cell.shown)
    return None
