"""Parquet, compressed by zstd."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from assay.exporters import Exporter, ExportSource

if TYPE_CHECKING:
    import pyarrow as pa


def write(source: ExportSource, out: TextIO) -> int:
    """Write the rows batch by batch."""
    import pyarrow.parquet as pq

    count = 0
    batches: pa.RecordBatchReader = source.connection.view(source.table).to_arrow_reader(10000)
    with pq.ParquetWriter(out.buffer, batches.schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)
            count += batch.num_rows
    return count


EXPORTER = Exporter("parquet", "Parquet", (".parquet", ".pq"), write, binary=True)
