"""A run beside a published machine: quoted cells have no launches, so each stands with its ratio and no verdict."""

from __future__ import annotations

import math

from assay.benchmark.record import benchmarks
from assay.document.comparison import OwnValue, PublishedRow, PublishedValue
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.catalogue import PublishedCell, cells, machine


def against_machine(document: Document, name: str) -> list[PublishedRow]:
    """Put this run's figures beside the published cells of one machine that measure the same, with their ratio."""
    published = machine(name)
    rows = []
    for section in document.benchmarks:
        for quoted in section.published:
            for cell in cells(machine=published.id, benchmark=quoted):
                figure = _counterpart(section, cell)
                if figure is None or not figure.value or math.isnan(cell.value) or not cell.value:
                    continue
                printed = PublishedValue(
                    machine=published.id,
                    value=cell.value,
                    kind="quoted",
                    source=cell.source,
                    params=dict(cell.params),
                    doubtful=cell.doubtful,
                )
                row = PublishedRow(
                    benchmark=section.benchmark,
                    figure=figure.name,
                    params=figure.params,
                    a=OwnValue(run=document.run, value=figure.value, kind=figure.kind),
                    b=printed,
                    unit=figure.unit,
                    ratio=cell.value / figure.value,
                )
                rows.append(row)
    return rows


def _counterpart(section: Section, cell: PublishedCell) -> ReportedFigure | None:
    """Find this run's figure for a published cell: the same metric, unit and length, or the record's own row for it."""
    record = benchmarks().get(section.benchmark)
    rows = {row["id"]: row for row in (record.extra.get("row", {}) if record else {}).values()}
    wanted = {k: v for k, v in rows.get(cell.benchmark, {}).items() if k != "id"}
    if "message_B" in cell.params:
        wanted["bytes"] = cell.params["message_B"]
    for figure in section.figures:
        if (
            figure.statistic == "median"
            and figure.value
            and figure.name == cell.metric
            and figure.unit == cell.unit
            and all(str(figure.params.get(key)) == str(value) for key, value in wanted.items())
            and (figure.params.get("hops") is None or figure.params["hops"] == cell.params.get("hops", 1))
        ):
            return figure
    return None
