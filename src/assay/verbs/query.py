"""`assay query SQL`: query the samples."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay import sanitised, stops
from assay.verbs._options import Json, Quiet, Runs

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from assay.store import Run


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def query(
        sql: Annotated[str, typer.Argument(help="a query over the views samples, blocks, checks, launches, figures")],
        runs: Runs = None,
        write: Annotated[bool, typer.Option("--write", help="allow SQL to read and write files: COPY, ATTACH")] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Query the samples of runs in SQL (DuckDB), read-only and without access to files.

        Without --run it goes over all runs that you made and that are still there, in whatever folder: those that
        `assay runs` lists. In --json, numbers that JSON has no word for are the texts "inf", "-inf" and "nan". Bytes
        are shown in hexadecimal.
        """
        import duckdb
        import pyarrow as pa

        from assay.cli import emit
        from assay.errors import InputError
        from assay.exporters import fetched
        from assay.store import Run, connect, known_runs

        def refused(error: Exception) -> InputError:
            if stops.current().number is not None:  # what DuckDB makes of a signal
                raise KeyboardInterrupt
            message = (str(error).splitlines() or [type(error).__name__])[0]
            accepted = "DuckDB's SQL"
            if isinstance(error, duckdb.PermissionException) and not write:
                accepted = "SQL over the views; with --write also files"
            return InputError(message, key="SQL", value=sql, accepted=accepted)

        wrong = (duckdb.Error, pa.ArrowException, ValueError, OverflowError, RuntimeError, UnicodeError)
        try:
            sql.encode()
        except UnicodeEncodeError:  # bytes of the command line, which DuckDB's parser takes for another type
            raise InputError("is no UTF-8", key="SQL", value=sql, accepted="text in UTF-8") from None
        nothing = InputError("is empty", key="SQL", value=sql, accepted="a statement of DuckDB's SQL")
        try:
            if not _read(sql, write):
                raise nothing
        except wrong as error:
            raise refused(error) from None
        chosen = [Run.open(name) for name in runs] if runs else known_runs()
        connection = connect(chosen, write=write, figures=_figures(chosen, sql))
        try:
            answer = _executed(connection, sql)
            if answer is None or answer.description is None:
                raise nothing
            names = [column[0] for column in answer.description]
            rows = [row for some in fetched(answer) for row in some]
        except wrong as error:
            raise refused(error) from None
        if json:
            emit({"columns": names, "rows": [[_plain(value) for value in row] for row in rows]})
            return
        if quiet:
            print(", ".join(map(_text, rows[0])) if len(rows) == 1 else f"{len(rows)} rows of {len(names)} columns")
            return
        show(names, [["" if value is None else _text(value) for value in row] for row in rows])


def _figures(runs: Sequence[Run], sql: str) -> pa.Table | None:
    """The figures of runs where the text names them: to derive them takes longer than to read all samples."""
    if "figures" not in sql.lower():
        return None
    from assay.report.derive.figure_table import table

    return table(runs)


def _read(sql: str, write: bool) -> int:
    """The number of statements; the first is checked over views without rows.

    Many runs take seconds to open, and what is misspelt needs none of them. DuckDB's errors pass through.
    """
    import duckdb

    from assay.report.derive.figure_table import schema
    from assay.store import connect

    connection = connect([], write=write, figures=schema().empty_table())
    statements = connection.extract_statements(sql)
    if statements and statements[0].type == duckdb.StatementType.SELECT:
        with contextlib.suppress(duckdb.InvalidInputException):  # what EXPLAIN alone does not take
            _executed(connection, f"EXPLAIN {statements[0].query}")
    return len(statements)


def _executed(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyConnection | None:
    """Execute in a thread, so that a signal is answered at once: DuckDB looks for one after tasks of half a minute."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(connection.execute, sql)
        try:
            return answer.result()
        except BaseException:
            while not answer.done():  # an interrupt before it has begun is forgotten
                connection.interrupt()
                time.sleep(0.01)
            raise


def show(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table where it fits the terminal, else each row as a list of its columns."""
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    console = sanitised.console()
    table = Table(box=None, header_style="bold")
    for name in names:
        table.add_column(Text(name))
    for row in rows:
        table.add_row(*map(Text, row))
    if Measurement.get(console, console.options.update(max_width=1 << 30), table).maximum <= console.width:
        console.print(table)
        return
    if not rows:
        console.print(Text(f"no rows; columns: {', '.join(names)}"))
    for number, row in enumerate(rows, 1):
        console.print(Text(f"row {number} of {len(rows)}", style="bold"))
        fields = Table.grid(padding=(0, 2, 0, 0))
        fields.add_column(overflow="fold", max_width=console.width // 2)
        fields.add_column(overflow="fold")
        for name, value in zip(names, row, strict=True):
            fields.add_row(Text(name, style="dim"), Text(value))
        console.print(fields)


def _text(value: Any) -> str:
    """A value in a table."""
    return value.hex() if isinstance(value, bytes) else str(value)


def _plain(value: Any) -> Any:
    """What JSON holds: null is what was NULL, so that numbers that are not finite are text; so are keys and bytes."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(each) for each in value]
    return value
