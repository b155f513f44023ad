"""`assay query SQL`: ask the samples themselves."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.verbs._options import Json, Quiet


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def query(
        sql: Annotated[str, typer.Argument(help="over the views samples, blocks, checks, launches")],
        runs: Annotated[list[str] | None, typer.Option("--run", help="a folder or an id (default: all runs)")] = None,
        write: Annotated[bool, typer.Option("--write", help="let the SQL read and write files: COPY, ATTACH")] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Ask the samples of one or several runs in SQL (DuckDB), which changes nothing and reaches no file."""
        import duckdb
        import pyarrow as pa

        from assay.cli import emit
        from assay.errors import InputError
        from assay.store import Run, connect, known_runs

        chosen = [Run.open(name) for name in runs] if runs else known_runs()
        connection = connect(chosen, write=write)
        try:
            answer = connection.execute(sql)
            if answer is None or answer.description is None:
                raise InputError("asks nothing", key="SQL", value=sql, accepted="a statement of DuckDB's SQL")
            names = [column[0] for column in answer.description]
            rows = answer.fetchall()
        except (duckdb.Error, pa.ArrowException, ValueError, OverflowError, RuntimeError, UnicodeError) as error:
            message = (str(error).splitlines() or [type(error).__name__])[0]
            accepted = "DuckDB's SQL"
            if isinstance(error, duckdb.PermissionException) and not write:
                accepted = "SQL over the views; with --write also files"
            raise InputError(message, key="SQL", value=sql, accepted=accepted) from None
        if json:
            emit({"columns": names, "rows": [[_plain(value) for value in row] for row in rows]})
            return
        if quiet:
            print(", ".join(map(str, rows[0])) if len(rows) == 1 else f"{len(rows)} rows of {len(names)} columns")
            return
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="bold")
        for name in names:
            table.add_column(Text(name))
        for row in rows:
            table.add_row(*("" if value is None else Text(str(value)) for value in row))
        Console().print(table)


def _plain(value: Any) -> Any:
    """What JSON holds: numbers that are not finite are null, keys are text."""
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(each) for each in value]
    return value
