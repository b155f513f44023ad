"""Figures that are positive by nature, and that a difference of readings puts at nothing or below: which, and why."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analysis.figures import CaseSamples
from assay.benchmark.record import Benchmark
from assay.document.reported_figure import ReportedFigure
from assay.report.states import LEFT_OUT
from assay.report.units import params
from assay.samples import case_text


def not_positive(record: Benchmark, cells: Sequence[CaseSamples], figures: Sequence[ReportedFigure]) -> list[str]:
    """Say in a line for each such figure of which cases it is not given, and the record's reason."""
    made = []
    for wanted in (each for each in record.figures.values() if each.positive):
        given = {case_text(figure.params) for figure in figures if figure.name == wanted.name}
        gone = [cell.case for cell in cells if cell.metric == wanted.metric]
        gone = [case for case in gone if case_text(dict(case)) not in given]
        if gone:
            cases = "; ".join(params(dict(case)) for case in gone)
            made.append(f"{LEFT_OUT}{wanted.name.replace('_', ' ')} of {cases}: {wanted.positive}")
    return made
