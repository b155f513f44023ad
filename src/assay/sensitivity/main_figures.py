"""The figures of a benchmark that are shown: its main figures by its record, or its first one."""

from __future__ import annotations

from collections.abc import Sequence

from assay.benchmark.record import Benchmark
from assay.document.reported_figure import ReportedFigure

MOST = 3  # of a benchmark whose record names none


def main_figures(record: Benchmark, figures: Sequence[ReportedFigure]) -> list[ReportedFigure]:
    """By each [headline] the best of the cases that it chooses from, of all where it has none of those; without a
    [headline] the last cases of the first figure.
    """
    known = [each for each in figures if each.statistic == "median" and each.value]
    found = []
    for wanted in record.headlines.values():
        where = dict(word.split("=", 1) for word in wanted.where.split() if "=" in word)
        of_figure = [each for each in known if each.name == wanted.figure]
        fitting = [
            each for each in of_figure if all(str(each.params.get(key)) == value for key, value in where.items())
        ] or of_figure
        if wanted.most is not None and fitting:
            top = max(each.params[wanted.most] for each in fitting)
            fitting = [each for each in fitting if each.params[wanted.most] == top]
        if fitting:
            best = max if fitting[0].better == "higher" else min
            found.append(best(fitting, key=lambda each: each.value or 0.0))
    return found or [each for each in known if each.name == known[0].name][-MOST:]
