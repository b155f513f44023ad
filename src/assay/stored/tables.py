"""The four tables of a run as Arrow, from the programs' lines; written as Parquet and validated when they are read."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import versions
from assay.case import Case
from assay.samples import (
    OPTIONAL,
    Block,
    Check,
    Circumstance,
    Launch,
    Measured,
    OfBlock,
    Row,
    Sample,
    columns,
    shared,
)
from assay.stored.launch_file import Tasks
from assay.stored.lines import beside

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = "assay.version"  # key of the schema's metadata
TABLES: dict[str, type[Row]] = {"samples": Sample, "blocks": Block, "checks": Check, "launches": Launch}


def unfolded(tasks: Tasks) -> dict[str, pa.Table]:
    """Return the four tables from the lines of `tasks`; OSError where a file cannot be read."""
    import pyarrow as pa

    kept: dict[type[Row], list[Row]] = {kind: [] for kind in TABLES.values()}
    measured: list[tuple[Measured, Circumstance]] = []
    for about, file in tasks:
        for each in file.rows:
            if isinstance(each, Measured):
                measured.append((each, about))
                kept[Block].append(each.block)
            else:
                kept[type(each)].append(each)
    made = {"samples": _sample_table(measured)}
    for name, kind in TABLES.items():
        if kind is not Sample:
            by_column = [[_cell(getattr(row, column)) for row in kept[kind]] for column in columns(kind)]
            made[name] = pa.table(by_column, schema=schema(kind))
    for name, optional in OPTIONAL:
        if not any(getattr(row, column) is not None for row in kept[TABLES[name]] for column in optional):
            made[name] = made[name].drop_columns(list(optional))
    return made


def _cell(value: object) -> Any:
    return value.text if isinstance(value, Case) else value


def _sample_table(measured: list[tuple[Measured, Circumstance]]) -> pa.Table:
    """Give the table of samples column by column: what those of a block share is repeated, not read for each."""
    import numpy as np
    import pyarrow as pa

    series: list[tuple[OfBlock, list[float], int]] = []  # what is shared, values, the first one's repetition
    for each, about in measured:
        if each.first is not None:
            series.append((shared(each, about, True), [each.first], -1))
        series.append((shared(each, about, False), each.values, 0))
    whole = schema(Sample)
    counted = np.array([len(values) for _, values, _ in series], dtype=np.int64)
    starts = np.array([start for _, _, start in series], dtype=np.int64)
    within = np.arange(counted.sum()) - np.repeat(np.cumsum(counted) - counted, counted)
    own = {
        "value": pa.array([value for _, values, _ in series for value in values], pa.float64()),
        "repetition": pa.array(within + np.repeat(starts, counted), pa.int64()),
    }
    alike = pa.schema([column for column in whole if column.name not in own])
    shared_texts = [{**of, "case": of["case"].text} for of, _, _ in series]
    common = pa.Table.from_pylist(shared_texts, schema=alike)
    repeated = common.take(pa.array(np.repeat(np.arange(len(series)), counted), pa.int64()))
    return pa.table([own[name] if name in own else repeated[name] for name in whole.names], schema=whole)


def schema(kind: type[Any]) -> pa.Schema:
    """Return the Arrow schema of a table, from the annotations of its row, a dataclass."""
    import pyarrow as pa

    types = {"str": pa.string(), "Case": pa.string(), "float": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}
    return pa.schema([(f.name, types[str(f.type).removesuffix(" | None")]) for f in fields(kind)])


def _expected(kind: type[Row], names: Collection[str]) -> pa.Schema:
    """Return the schema that a table with columns of these names has: those that some runs lack only where named."""
    import pyarrow as pa

    optional = {column for _, columns in OPTIONAL for column in columns}
    return pa.schema([column for column in schema(kind) if column.name in names or column.name not in optional])


def of_one_form(paths: list[Path]) -> list[list[Path]]:
    """Sort Parquet files by their columns: some may have optional ones, and others not."""
    import pyarrow.parquet as pq

    found: dict[tuple[str, ...], list[Path]] = {}
    for path in paths:
        with path.open("rb") as held:
            found.setdefault(tuple(pq.read_schema(held).names), []).append(path)
    return list(found.values())


def parquet(folder: Path, name: str) -> Path:
    """The file of one table."""
    return folder / f"{name}.parquet"


def write(folder: Path, tables: dict[str, pa.Table]) -> None:
    """Write the tables, each whole or not at all, with checksums of their pages; OSError where that fails."""
    import pyarrow.parquet as pq

    stated = {VERSION: str(versions.TABLES.version)}
    for name, table in tables.items():
        fresh = beside(parquet(folder, name))
        try:
            with fresh.open("xb") as out:  # by handle: Arrow takes no name that is not UTF-8
                pq.write_table(table.replace_schema_metadata(stated), out, compression="zstd", write_page_checksum=True)
            fresh.replace(parquet(folder, name))
        except OSError:
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise


def unreadable(folder: Path) -> str | None:
    """Why the Parquet tables of a run cannot be used; None where each can be read to its end.

    InputError where a newer Assay wrote them: they are not made again, for they may hold more.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, kind in TABLES.items():
        path = parquet(folder, name)
        if not path.is_file():
            return f"{path.name} is missing"
        try:
            with path.open("rb") as held, pq.ParquetFile(held, page_checksum_verification=True) as file:
                _check_version(path, file.schema_arrow.metadata or {})
                if not file.schema_arrow.equals(_expected(kind, file.schema_arrow.names)):
                    return f"{path.name} has other columns"
                for _ in file.iter_batches():
                    pass
        except (OSError, pa.ArrowException, UnicodeDecodeError, MemoryError) as error:
            return f"{path.name} cannot be read ({str(error).splitlines()[0] if str(error) else type(error).__name__})"
    return None


def _check_version(path: Path, metadata: dict[bytes, bytes]) -> None:
    stated = metadata.get(VERSION.encode())
    if stated is not None:
        version = versions.written(stated.decode("utf-8", "replace"))
        versions.checked(versions.TABLES, version, versions.in_file(path))


def dataset(paths: list[Path]) -> Any:
    """Open Parquet files as one Arrow dataset, read on use; no character of their names is special."""
    import pyarrow as pa
    import pyarrow.dataset as arrow
    import pyarrow.parquet as pq
    from pyarrow.fs import LocalFileSystem

    if not all(_is_unicode(str(path)) for path in paths):  # which Arrow opens by handle only
        read = []
        for path in paths:
            with path.open("rb") as held:
                read.append(pq.ParquetFile(held, page_checksum_verification=True).read())
        return pa.concat_tables(read)

    checked = arrow.ParquetFragmentScanOptions(page_checksum_verification=True)
    form = arrow.ParquetFileFormat(default_fragment_scan_options=checked)
    return arrow.dataset([str(path) for path in paths], format=form, filesystem=LocalFileSystem())


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
