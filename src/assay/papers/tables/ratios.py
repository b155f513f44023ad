"""A run beside a published machine: quoted cells have no launches, so each stands with its ratio and no verdict."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from assay.benchmark.record import benchmarks
from assay.document.comparison import OwnValue, PublishedRow, PublishedValue
from assay.document.params import Params
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.catalogue import PublishedCell, cells, machine
from assay.papers.tables.paragon import BANDWIDTH, KERNELS, THREADS
from assay.report.units import few, params

# what makes an own case the same thing as a published benchmark, where the record's rows do not say it
SAME: dict[str, Params] = {
    **{row: case for row, (_, case) in (THREADS | KERNELS).items()},
    **{row: case for row, (_, case, _) in BANDWIDTH.items()},
    "linpack": {"code": "ours", "size": 100},
    "tcp": {"method": "tcp"},
}
COUNTS, OWN_COUNTS = ("cpus", "nodes", "compute_nodes"), ("threads", "ranks")  # of processors: published, and own


def against_machine(document: Document, name: str) -> tuple[list[PublishedRow], list[str]]:
    """Put this run's figures beside the published cells of one machine that measure the same, with their ratio.

    A published cell has a row where the run has a case on as many processors that agrees in all that both state. The
    texts say, by benchmark, for which published cases the run has none.
    """
    published = machine(name)
    rows = []
    without: dict[str, dict[str, None]] = defaultdict(dict)
    for section in document.benchmarks:
        for quoted in section.published:
            for cell in cells(machine=published.id, benchmark=quoted):
                alike = _same_quantity(section, cell)
                if not alike or math.isnan(cell.value) or not cell.value:
                    continue
                figure = _counterpart(section, cell, alike)
                if figure is None or figure.value is None:
                    case = params(dict(cell.params)) or quoted
                    without[f"{section.benchmark} {cell.metric}"][f"({case})" if "," in case else case] = None
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
                    a=OwnValue(run=document.run, value=figure.value, kind=figure.kind, state=figure.state),
                    b=printed,
                    unit=figure.unit,
                    ratio=cell.value / figure.value,
                )
                rows.append(row)
    return rows, [f"{of}: no case of the run is as published for {few(list(cases))}" for of, cases in without.items()]


def _same_quantity(section: Section, cell: PublishedCell) -> list[ReportedFigure]:
    """This run's figures of a published cell's metric and unit, whatever their case."""
    return [
        figure
        for figure in section.figures
        if figure.statistic == "median" and figure.shown and figure.name == cell.metric and figure.unit == cell.unit
    ]


def _counterpart(section: Section, cell: PublishedCell, alike: Sequence[ReportedFigure]) -> ReportedFigure | None:
    """Choose the figure of the published case; of several that fit, the first with the fewest processors."""
    record = benchmarks().get(section.benchmark)
    rows = {row["id"]: row for row in (record.extra.get("row", {}) if record else {}).values()}
    same = {k: v for k, v in rows.get(cell.benchmark, {}).items() if k != "id"} or SAME.get(cell.benchmark, {})
    fitting = [figure for figure in alike if _fits(figure.params, cell.params, same)]
    return min(fitting, key=lambda figure: _processors(figure.params) or 1, default=None)


def _fits(own: Params, published: Mapping[str, Any], same: Mapping[str, Any]) -> bool:
    """Whether an own case agrees with a published one in all that both state, in its length and its processors.

    Own cases of a message's length stand beside nothing whose length is not published; what one of several processors
    reaches stands beside no sum.
    """
    wanted = {key: value for key, value in published.items() if own.get(key) is not None} | {**same}
    if "bytes" in own:
        wanted["bytes"] = published.get("message_B")
    if "size" in own and "n" in published:
        wanted["size"] = published["n"]
    if own.get("hops") is not None:
        wanted["hops"] = published.get("hops", 1)
    stated = next((published[key] for key in COUNTS if key in published), None)
    return (
        all(str(own.get(key)) == str(value) for key, value in wanted.items())
        and (stated is None or stated == (_processors(own) or 1))
        and published.get("cpu", "sum") == "sum"
    )


def _processors(own: Params) -> int | None:
    """How many processors a case says that it ran on; None where it does not say."""
    count = next((own[key] for key in OWN_COUNTS if own.get(key) is not None), None)
    return int(count) if count is not None else None
