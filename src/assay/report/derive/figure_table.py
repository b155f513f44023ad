"""The figures of runs as one Arrow table, a row a figure: what `query` calls figures, and `export --table figures`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from assay import store
from assay.document.reported_figure import ReportedFigure
from assay.report.derive.document import document
from assay.store import Run

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ListedFigure:
    """One figure of a run: SI units; `case` is the JSON text of its parameters, as in the table of samples.

    `metric` is what the samples are of that it was derived from. `value` is null where the figure is invalid. `low`,
    `high`: the 95% interval, or the range of the launches; `scope` says which.
    """

    run: str
    label: str | None
    created: float | None
    machine: str | None
    benchmark: str
    figure: str
    metric: str
    unit: str
    statistic: str
    case: str
    value: float | None
    low: float | None
    high: float | None
    scope: str
    launches: int
    samples: int
    state: str
    estimator: str
    better: str
    kind: str
    host: str | None


def table(runs: Iterable[Run]) -> pa.Table:
    """Derive the figures of runs as their reports have them. InputError where a run cannot be read."""
    import pyarrow as pa

    rows = [_row(run, figure) for run in runs for section in document(run).benchmarks for figure in section.figures]
    by_column = [[getattr(row, column.name) for row in rows] for column in fields(ListedFigure)]
    return pa.table(by_column, schema=schema())


def schema() -> pa.Schema:
    """Return the columns, from the annotations of a row."""
    return store.schema(ListedFigure)


def _row(run: Run, figure: ReportedFigure) -> ListedFigure:
    low, high = figure.ci95 or figure.range or (None, None)
    return ListedFigure(
        run=run.about["id"],
        label=run.about.get("label"),
        created=run.about.get("created"),
        machine=run.about.get("machine"),
        benchmark=figure.benchmark,
        figure=figure.name,
        metric=figure.metric,
        unit=figure.unit,
        statistic=figure.statistic,
        case=figure.params.text,
        value=figure.shown,
        low=low,
        high=high,
        scope=figure.scope,
        launches=figure.launches,
        samples=figure.samples,
        state=figure.state,
        estimator=figure.estimator,
        better=figure.better,
        kind=figure.kind,
        host=figure.host,
    )
