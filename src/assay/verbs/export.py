"""`assay export RUN`: every sample as CSV or JSON."""

from __future__ import annotations

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
        format: Annotated[ExportFormat, typer.Option(help="csv or json")] = ExportFormat.csv,
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
        from json import dumps

        from assay import versions
        from assay.cli import emit
        from assay.store import Run, storage_failed

        answer = Run.open(run).connect().execute(f"SELECT * FROM {table.value}")
        names = [column[0] for column in answer.description or []]
        if quiet and output is None and not json:
            print(f"{len(answer.fetchall()):,} rows of {table.value}")
            return
        if json or format is ExportFormat.json:
            rows = [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
            if output is None:
                emit({"table": table.value, "rows": rows})
                return
            text = dumps(versions.marked(versions.DOCUMENT, {"table": table.value, "rows": rows})) + "\n"
            try:
                output.write_text(text, encoding="utf-8")
            except OSError as error:
                storage_failed(error, output)
            if json:
                emit({"table": table.value, "rows": len(rows), "file": str(output)})
            else:
                print(f"{len(rows):,} rows of {table.value}: {output}")
            return
        if output is None:
            _rows(csv.writer(sys.stdout), names, answer)
            return
        try:
            with output.open("w", newline="", encoding="utf-8") as out:
                count = _rows(csv.writer(out), names, answer)
        except OSError as error:
            storage_failed(error, output)
        print(f"{count:,} rows of {table.value}: {output}")


def _rows(writer: Any, names: list[str], answer: duckdb.DuckDBPyConnection) -> int:
    """Write a heading and every row, some thousands at a time; how many rows there are."""
    writer.writerow(names)
    count = 0
    while some := answer.fetchmany(10000):
        writer.writerows(some)
        count += len(some)
    return count
