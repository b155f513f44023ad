"""Figures that are positive by nature, and that a difference of readings puts at nothing or below: which, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.analysis.figures import CaseSamples
from assay.benchmark.record import Benchmark
from assay.document.reported_figure import ReportedFigure
from assay.report.derive.case_order import by_value
from assay.report.derive.states import LEFT_OUT
from assay.report.units import params


def not_positive(record: Benchmark, cells: Sequence[CaseSamples], figures: Sequence[ReportedFigure]) -> list[str]:
    """Say in a line for each such figure of which cases it is not given, and the record's reason."""
    made = []
    for wanted in (each for each in record.figures.values() if each.positive):
        given = {figure.params for figure in figures if figure.name == wanted.name}
        gone = [cell.case for cell in cells if cell.metric == wanted.metric]
        gone = [case for case in gone if case not in given]
        if gone:
            made.append(f"{LEFT_OUT}{wanted.name.replace('_', ' ')} of {_listed(gone)}: {wanted.positive}")
    return made


def _listed(cases: Sequence[Mapping[str, Any]]) -> str:
    """Cases in the order of their values; those of a single parameter under its one name."""
    ordered = sorted(cases, key=lambda case: [by_value(value) for value in case.values()])
    texts = [params(case) for case in ordered]
    (name, *others) = dict.fromkeys(key for case in ordered for key in case)
    if others or not all(text.startswith(f"{name} ") for text in texts):
        return "; ".join(texts)
    return f"{name} " + ", ".join(text.removeprefix(f"{name} ") for text in texts)
