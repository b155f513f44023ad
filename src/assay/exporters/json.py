"""One JSON document: {"version", "table", "rows"}, a row a line."""

from __future__ import annotations

from json import dumps
from typing import TextIO

from assay import versions
from assay.exporters import Exporter, ExportSource


def write(source: ExportSource, out: TextIO) -> int:
    """Write the document; what cannot be read of the run is refused before anything is written."""
    names = source.names
    out.write(dumps(versions.marked(versions.DOCUMENT, {"table": source.table, "rows": []})).removesuffix("]}"))
    count = 0
    for some in source.fetched():
        rows = [dumps(dict(zip(names, row, strict=True)), allow_nan=False, default=str) for row in some]
        out.write((",\n" if count else "\n") + ",\n".join(rows).replace("\x7f", "\\u007f"))
        count += len(some)
    out.write("\n]}\n")
    return count


EXPORTER = Exporter("json", "JSON", (".json", ".txt"), write)
