"""`assay query SQL`: ask the samples themselves."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def query(
        sql: Annotated[str, typer.Argument(help="over the views samples, blocks, checks, launches")],
        runs: Annotated[list[str] | None, typer.Option("--run", help="a folder or an id (default: all runs)")] = None,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
    ) -> None:
        """Ask the samples of one or several runs in SQL (DuckDB)."""
        import duckdb

        from assay.cli import emit
        from assay.errors import InputError
        from assay.store import Run, connect, known_runs

        chosen = [Run.open(name) for name in runs] if runs else known_runs()
        try:
            answer = connect(chosen).execute(sql)
            names = [column[0] for column in answer.description or []]
            rows = answer.fetchall()
        except duckdb.Error as error:
            raise InputError(str(error).splitlines()[0], key="SQL", value=sql, accepted="DuckDB's SQL") from None
        if json:
            emit({"columns": names, "rows": [[_plain(value) for value in row] for row in rows]})
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(*names, box=None, header_style="bold")
        for row in rows:
            table.add_row(*("" if value is None else str(value) for value in row))
        Console().print(table)


def _plain(value: object) -> object:
    finite = not isinstance(value, float) or (value == value and abs(value) != float("inf"))
    return value if finite else None
