"""A run's figures as an OpenMetrics file, written whole or not at all: a collector never reads half of it."""

from __future__ import annotations

from pathlib import Path

from assay.document.run_document import Document
from assay.exporters import TABLE, ExportSource, exporter
from assay.store import Run, storage_failed
from assay.stored.lines import whole

FORM = "openmetrics"


def write_metrics(run: Run, made: Document, file: Path) -> int:
    """Write the file; how many figures it has. InputError where it cannot be written."""
    try:
        with whole(file, newline="") as out:
            return exporter(FORM).write(ExportSource(run, TABLE, lambda of: made), out)
    except OSError as error:
        storage_failed(error, file)
