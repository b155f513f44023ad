"""Published machines, their tables with a column of this run, and what was published of the machine that was run."""

from __future__ import annotations

from assay.document.grid import Grid
from assay.document.run_document import Document
from assay.published.tables import registry
from assay.report.derive.variants import reference
from assay.report.judge.bounds import peak_float64
from assay.report.registry import ReportSection, RunPlace, RunView

MOST_COMPARED = 3  # tables on a terminal that compare a description with published cells


def _tables(document: Document) -> list[Grid]:
    from assay.published.contrasts import computing  # the catalogue is slow to import, and many verbs show no table
    from assay.published.contrasts.table import table as contrasts

    of_first = reference(document)
    past = [made for each in registry.published() for made in each.tables(of_first)]
    peak = peak_float64(of_first)
    between = contrasts(of_first, None if peak is None else peak[0])
    past += [*((between,) if between else ()), *computing.tables(of_first)]
    return [*(document.beside or []), *past, *_quoted(document)]


def _quoted(document: Document) -> list[Grid]:
    from assay.published.tables import quoted

    return [quoted.table(document.quoted)] if document.quoted else []


def _on_terminal(document: Document) -> list[Grid]:
    """Of a run of one benchmark the tables with its column; of a whole evaluation those are on the page."""
    if len(document.benchmarks) == 1:
        first = reference(document)
        past = [made for each in registry.published() for made in each.tables(first)[: each.most_on_terminal]]
    else:
        past = [] if document.validation else _quoted(document)
    compared = [] if document.validation else document.beside or []  # the verdict has their gist
    return [*compared[:MOST_COMPARED], *past]


SECTION = ReportSection(
    order=900,
    of_run=RunView(
        place=RunPlace.PART,
        title=lambda document: "Published machines",
        markdown_title="Compared with published machines",
        anchor="published",
        tables=_tables,
        terminal_tables=_on_terminal,
        template="published.html",
    ),
)
