"""Computational intensity of the vector kernels, and the rate that it allows: f and the ideal of van der Steen 2000.

f is flops to operands of eight bytes that an element reads and writes, operands once. A processor whose loads and
stores move as many operands as it has flops in a cycle reaches f of its peak, and no more than the peak: the paper has
800 Mflop/s for a rotation (f = 3/5) on a peak of 1334 (section 6.1.2.1). Flops are the paper's.
"""

from __future__ import annotations

from assay.benchmark.record import benchmark
from assay.document.fits import LevelRatesFit
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.judge.bounds import peak_float64, percent
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.units import human

OPERAND = 8  # bytes
WITHOUT = ("broadcast", "copy")  # no arithmetic
TITLE = "Computational intensity f, and the ideal"
NOTE = (
    "f: flops to 8-byte operands of an element, each operand once. Ideal: f times the peak of one core, at most the "
    "peak, as section 6.1.2.1 of van der Steen 2000 has it; of difference2 its text says "
    "f = 1 (section 6.2.2.1). Flops by the paper's count."
)


def tables(document: Document, section: Section) -> list[Grid]:
    """A row for each kernel with arithmetic that was measured on contiguous vectors; [] of other benchmarks."""
    fits = {
        str(fit.params["kernel"]): fit
        for fit in section.fits
        if isinstance(fit, LevelRatesFit) and fit.level == "L1" and fit.params.get("access") == "contiguous"
    }
    if not fits:
        return []
    record, peak = benchmark(section.benchmark), peak_float64(document)
    rows = []
    for kernel in (str(each) for each in record.parameters["kernel"].choices):
        if kernel not in fits or kernel in WITHOUT:
            continue
        constants = record.constants({"kernel": kernel})
        flops, operands = float(constants["paper"]), float(constants["bytes"]) / OPERAND
        f, fit = flops / operands, fits[kernel]
        ideal = None if peak is None else peak[0] * min(1.0, f)
        share = "–" if not ideal else percent(fit.r_max_paper / ideal)
        reached = fit.marked(human(fit.r_max_paper, "flop/s", 3))
        rows.append((kernel, f"{flops:g}", f"{operands:g}", f"{f:.3g}", human(ideal, "flop/s", 3), reached, share))
    headings = ("kernel", "flops", "operands", "f", "ideal", "r_max L1", "of the ideal")
    return [grid(TITLE, headings, rows, NOTE)] if rows else []


SECTION = ReportSection(
    order=120,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=tables,
    ),
)
