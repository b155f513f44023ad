"""CSV as RFC 4180 has it, with a heading."""

from __future__ import annotations

import csv
from typing import TextIO

from assay.exporters import Exporter, ExportSource
from assay.sanitised import csv_row


def write(source: ExportSource, out: TextIO) -> int:
    """Write a heading and every row."""
    writer = csv.writer(out)
    writer.writerow(source.names)
    count = 0
    for some in source.fetched():
        writer.writerows(map(csv_row, some))
        count += len(some)
    return count


EXPORTER = Exporter("csv", "CSV", (".csv", ".txt"), write)
