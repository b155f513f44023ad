"""`assay export RUN`: every sample as CSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.verbs._options import Json, Quiet, RunName, named_path

if TYPE_CHECKING:
    import duckdb


class ExportedTable(StrEnum):
    """What can be exported."""

    samples = "samples"
    blocks = "blocks"
    checks = "checks"
    launches = "launches"


class ExportFormat(StrEnum):
    """How it can be written."""

    csv = "csv"
    json = "json"


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def export(
        run: RunName,
        table: Annotated[ExportedTable, typer.Option(help="which rows")] = ExportedTable.samples,
        format: Annotated[ExportFormat | None, typer.Option(help="csv (default) or json")] = None,
        output: Annotated[
            Path | None,
            typer.Option("-o", "--out", parser=named_path, metavar="FILE", help="where to (default: standard output)"),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Write every row of a run."""
        import csv
        import sys

        from assay.errors import InputError
        from assay.store import Run, storage_failed
        from assay.stored.lines import whole
        from assay.verbs import _file_names

        rows_named = output is not None and output.suffix.lower() in _file_names.TABLE  # --json is of what is printed
        if format is not None and output is None and (format is ExportFormat.csv if json else quiet):
            accepted = "one of both, or --out FILE, which is written in this format"
            shadowing = "--json" if json else "--quiet"
            raise InputError(f"has no effect with {shadowing}", key="--format", value=format.value, accepted=accepted)
        as_json = format is ExportFormat.json or (json and format is None and not rows_named)
        if as_json:
            form = "JSON, by --format json" if format is ExportFormat.json else "JSON"
            _file_names.named("--out", output, form, _file_names.DOCUMENT)
        else:
            hint = ", or --format json" if output is not None and output.suffix.lower() == ".json" else ""
            _file_names.named("--out", output, "CSV", _file_names.TABLE, hint)
        answer = Run.open(run).connect().execute(f"SELECT * FROM {table.value}")
        names = [column[0] for column in answer.description or []]
        if quiet and output is None and not json:
            print(f"{sum(map(len, fetched(answer))):,} rows of {table.value}")
            return
        if as_json:
            if output is None:
                _json_rows(sys.stdout.write, table, names, answer)
                return
            try:
                with whole(output) as out:
                    count = _json_rows(out.write, table, names, answer)
            except OSError as error:
                storage_failed(error, output)
            _report(table, count, output, json)
            return
        if output is None:
            _rows(csv.writer(sys.stdout), names, answer)
            return
        try:
            with whole(output, newline="") as out:
                count = _rows(csv.writer(out), names, answer)
        except OSError as error:
            storage_failed(error, output)
        _report(table, count, output, json)


def _json_rows(
    write: Callable[[str], object], table: ExportedTable, names: list[str], answer: duckdb.DuckDBPyConnection
) -> int:
    """Write the JSON document, a row a line; how many rows there are."""
    from json import dumps

    from assay import versions

    write(dumps(versions.marked(versions.DOCUMENT, {"table": table.value, "rows": []})).removesuffix("]}"))
    count = 0
    for some in fetched(answer):
        rows = [dumps(dict(zip(names, row, strict=True)), allow_nan=False, default=str) for row in some]
        write((",\n" if count else "\n") + ",\n".join(rows).replace("\x7f", "\\u007f"))
        count += len(some)
    write("\n]}\n")
    return count


def _report(table: ExportedTable, count: int, output: Path, json: bool) -> None:
    """Print what was written into the file, as a line or a JSON document."""
    from assay.cli import emit

    if json:
        emit({"table": table.value, "rows": count, "file": str(output)})
    else:
        print(f"{count:,} rows of {table.value}: {output}")


def fetched(answer: duckdb.DuckDBPyConnection) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of an answer, some thousands at a time: between these a signal is answered."""
    while some := answer.fetchmany(10000):
        yield some


def _rows(writer: Any, names: list[str], answer: duckdb.DuckDBPyConnection) -> int:
    """Write a heading and every row; how many rows there are."""
    from assay.sanitised import csv_row

    writer.writerow(names)
    count = 0
    for some in fetched(answer):
        writer.writerows(map(csv_row, some))
        count += len(some)
    return count
