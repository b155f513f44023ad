"""A described machine beside what was published of it, in a few lines: errors of what is predicted, and the claims."""

from __future__ import annotations

from assay.document.run_document import Document
from assay.report.bounds import percent


def against(document: Document) -> list[str]:
    """Lines on predictions, table by table (none is pooled), and on claims; [] where nothing was published."""
    found = document.validation
    if found is None:
        return []
    lines = []
    for table in found.tables:
        errors = table.errors.get("predicted")
        if errors:
            lines.append(
                f"{table.source}, {table.benchmark}: {errors.cells} cells predicted, median error "
                f"{percent(errors.median)}, worst {percent(errors.worst)}"
            )
    if found.tables and not lines:
        lines.append("no cell of the published tables is predicted: the description used them all")
    if found.summary:
        lines.append(found.summary.claims)
    return lines
