"""A described machine beside what was published of it, in a few lines: errors of what is evidence, and the claims."""

from __future__ import annotations

from assay.document.run_document import Document
from assay.kinds import EVIDENCE
from assay.report.judge.bounds import percent


def against(document: Document) -> list[str]:
    """Lines on evidence, table by table (none is pooled), beside a baseline, and on claims; [] where nothing is."""
    found = document.validation
    if found is None:
        return []
    lines = []
    for table in found.tables:
        for kind in EVIDENCE:
            errors, beside = table.errors.get(kind), table.errors_baseline.get(kind)
            if errors:
                plain = "none" if beside is None else percent(beside.median)
                lines.append(
                    f"{table.source}, {table.benchmark}: {errors.cells} cells {kind}, median error "
                    f"{percent(errors.median)}, worst {percent(errors.worst)}; a baseline's without a simulator {plain}"
                )
    if found.tables and not lines:
        lines.append("no cell of the published tables is evidence: none is extrapolated or transferred")
    if found.summary:
        lines.append(found.summary.claims)
    return lines
