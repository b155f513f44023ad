"""Which of a run's figures are predicted: of each metric and case one, a time if there is one, else the first.

A second formula of the same readings, such as a rate beside its time, would count one error twice. Counts, sizes and
errors of results are no subjects, and neither are shares and ratios, whose relative error has no meaning near nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from assay.benchmark.record import Benchmark
from assay.document.reported_figure import FigureKey, ReportedFigure
from assay.document.run_document import Document
from assay.execute.plan import Size
from assay.report.derive.variants import reference
from assay.report.judge.comparison import compared

RATIO = "1"


@dataclass(frozen=True)
class Subject:
    """A measured figure with a value: `ranks` of its launches, None for a node program."""

    figure: ReportedFigure
    value: float
    ranks: int | None
    key: FigureKey  # as a comparison has it, without what came out in its case

    @property
    def length(self) -> float | None:
        """The length of its messages [B]; None where it has none."""
        found = self.figure.params.get(LENGTH)
        return float(found) if isinstance(found, int | float) else None

    @property
    def is_bound(self) -> bool:
        """Whether its value is only a bound."""
        return self.figure.state == "bound"


LENGTH = "bytes"


def subjects(
    document: Document, records: Collection[Benchmark], sizes: dict[str, list[Size]], fitted: Collection[str] = ()
) -> list[Subject]:
    """The subjects of a run's document, in its order; `sizes`: of its launches, by benchmark.

    `fitted`: figures that the model was fitted to, as `BENCHMARK.FIGURE`, which stand for their metrics.
    """
    chosen = {record.name: _chosen(record, fitted) for record in records}
    found = []
    for key, figure in compared(reference(document)).items():
        usable = figure.state != "invalid" and figure.value is not None and figure.value > 0
        if usable and figure.value is not None and figure.name in chosen.get(figure.benchmark, ()):
            among = sizes.get(figure.benchmark, [])
            only = among[0].ranks if len(among) == 1 else None
            found.append(Subject(figure, figure.value, figure.params.get("ranks", only), key))
    return found


def _chosen(record: Benchmark, fitted: Collection[str]) -> set[str]:
    """The names of one figure of each metric."""
    promised = {name: (figure.metric, figure.unit) for name, figure in record.figures.items()}
    promised = promised or {name: (name, metric.unit) for name, metric in record.metrics.items()}
    found: dict[str, list[str]] = defaultdict(list)
    for name, (metric, unit) in promised.items():
        if metric not in record.exact and metric not in record.errors and unit != RATIO:
            found[metric].append(name)
    return {
        min(names, key=lambda name: (f"{record.name}.{name}" not in fitted, promised[name][1] != "s"))
        for names in found.values()
    }
