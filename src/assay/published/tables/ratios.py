"""A run compared with a published machine: quoted cells have no launches, so each has a ratio and no verdict."""

from __future__ import annotations

from assay.case import Case
from assay.document.comparison import OwnValue, PublishedRow, PublishedValue
from assay.document.run_document import Document
from assay.machine.catalogue import cells, machine
from assay.published.tables.pairs import pairs


def against_machine(document: Document, name: str) -> tuple[list[PublishedRow], list[str]]:
    """Pair this run's numbers with the published cells of one machine that measure the same, with their ratio.

    A published cell has a row where the run has a case on as many processors that agrees in all that both state; of
    unlike work the row has the difference and no ratio. Texts list, by benchmark, published cases for which the run
    has none.
    """
    published = machine(name)
    found, lacking = pairs(document, cells(machine=published.id))
    rows = [
        PublishedRow(
            benchmark=pair.own.benchmark,
            figure=pair.own.figure,
            params=pair.own.params,
            a=OwnValue(run=document.run, value=pair.own.value, kind=pair.own.kind, state=pair.own.state),
            b=PublishedValue(
                machine=published.id,
                value=pair.cell.value,
                kind="quoted",
                source=pair.cell.source,
                params=Case(pair.cell.params),
                doubtful=pair.cell.doubtful,
            ),
            unit=pair.own.unit,
            ratio=pair.ratio,
            of=pair.own.of,
            unlike=pair.unlike,
        )
        for pair in found
    ]
    return rows, lacking
