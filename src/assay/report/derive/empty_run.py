"""Whether a run measured nothing at all, and why: what `run` and `evaluate` refuse, and the one line says."""

from __future__ import annotations

from assay.document.run_document import Document


def nothing_measured(document: Document) -> str | None:
    """Say why a run measured nothing at all though nothing went wrong; None where it measured anything."""
    if document.benchmarks or not document.left_out:
        return None
    names = ", ".join(each.benchmark for each in document.left_out)
    return f"{names}: nothing was measured: {'; '.join(dict.fromkeys(each.reason for each in document.left_out))}"
