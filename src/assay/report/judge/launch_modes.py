"""Main figures whose launches lie far apart: of which modes, and in how many launches each.

A median over launches of two kinds is of one of them by chance. Of an estimate the launches' own values are looked at,
beyond what disturbed them; of a bound each launch's best reading, which no interruption lengthens.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import ReachedLine
from assay.report.derive.states import displaced
from assay.report.units import human, unit_of

FAR = 2.0  # greatest over least launch: more is worth a line
APART = 0.5  # of the logarithmic range of all launches: a gap as wide as that parts them into two modes


def apart(document: Document, lines: Sequence[ReachedLine]) -> Iterator[tuple[float, str]]:
    """Each such main figure among those shown: how many times its launches lie apart, and what is said of it."""
    shown = {(line.benchmark, line.title) for line in lines}
    for section in document.benchmarks:
        for main in section.headlines:
            figure = main.figure
            values = sorted(value for _, value in figure.by_launch or figure.best_by_launch or () if value > 0)
            if len(values) < 2 or (section.benchmark, main.title) not in shown or figure.shown is None:
                continue
            ratio = values[-1] / values[0]
            if ratio > FAR * _explained(figure):
                by = "" if figure.by_launch else " by the best reading of each"
                two = modes(values, unit_of(figure))
                yield ratio, f"{main.title}: launches differ by a factor of {ratio:.2g}{by}: {two}"


def _explained(figure: ReportedFigure) -> float:
    """By how much disturbance can have set launches apart."""
    moved = displaced(figure.disturbance) if figure.state == "disturbed" else None
    return 1.0 if moved is None else 1 / (1 - min(moved, 0.99))


def modes(values: Sequence[float], unit: str) -> str:
    """Write sorted values as two groups where one gap parts them, else from the least to the greatest."""
    gaps = [math.log(after / before) for before, after in itertools.pairwise(values)]
    widest = max(range(len(gaps)), key=gaps.__getitem__)
    if gaps[widest] < APART * math.log(values[-1] / values[0]):
        return f"from {human(values[0], unit, 3)} to {human(values[-1], unit, 3)}"
    low, high = values[: widest + 1], values[widest + 1 :]
    return f"{_group(low, unit)} in {len(low)}, {_group(high, unit)} in {len(high)}"


def _group(values: Sequence[float], unit: str) -> str:
    ends = list(dict.fromkeys((human(values[0], unit, 3), human(values[-1], unit, 3))))
    return " to ".join(ends)
