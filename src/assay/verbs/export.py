"""`assay export RUN`: every row of a run in one of the forms of exporters/."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from assay import exporters
from assay.verbs._options import Json, Quiet, RunName, named_path


class ExportedTable(StrEnum):
    """What can be exported."""

    samples = "samples"
    blocks = "blocks"
    checks = "checks"
    launches = "launches"
    figures = exporters.TABLE


ExportFormat = StrEnum("ExportFormat", {name: name for name in exporters.names()})  # type: ignore[misc]


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def export(
        run: RunName,
        table: Annotated[
            ExportedTable | None,
            typer.Option(help="table to export (default: samples; of openmetrics and junit: figures)"),
        ] = None,
        format: Annotated[
            ExportFormat | None,
            typer.Option(
                help="csv (default), json, parquet; openmetrics or junit: the figures as monitoring or CI read them"
            ),
        ] = None,
        output: Annotated[
            Path | None,
            typer.Option(
                "-o", "--out", parser=named_path, metavar="FILE", help="output file (default: standard output)"
            ),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Write every row of a run."""
        import sys

        from assay.cli import emit
        from assay.errors import InputError
        from assay.store import Run, storage_failed
        from assay.stored.lines import whole
        from assay.verbs import _file_names
        from assay.verbs._compared_document import whole as whole_document

        rows_named = output is not None and output.suffix.lower() in _file_names.TABLE  # --json is of what is printed
        if format is not None and output is None and (format != "json" if json else quiet):
            accepted = "only one of the two, or --out FILE, which is written in this format"
            shadowing = "--json" if json else "--quiet"
            raise InputError(f"has no effect with {shadowing}", key="--format", value=format.value, accepted=accepted)
        chosen = exporters.exporter(format or ("json" if json and not rows_named else "csv"))
        form = chosen.title if format in (None, "csv") else f"{chosen.title}, by --format {format}"
        suffix = "" if output is None else output.suffix.lower()
        other = [name for name in exporters.names() if name != "csv" and suffix in exporters.exporter(name).suffixes]
        hint = f", or --format {' or '.join(other)}" if other and format is None and suffix else ""
        _file_names.check_suffix("--out", output, form, chosen.suffixes, hint)
        if chosen.binary and output is None:
            raise InputError("is written into a file", key="--format", value=chosen.name, accepted="--out FILE too")
        if chosen.of_figures and table not in (None, ExportedTable.figures):
            accepted = f"figures with --format {chosen.name}"
            raise InputError("has no such form", key="--table", value=table.value, accepted=accepted)
        rows = table or (ExportedTable.figures if chosen.of_figures else ExportedTable.samples)
        source = exporters.ExportSource(Run.open(run), rows.value, whole_document)
        if quiet and output is None and not json:
            print(f"{sum(map(len, source.fetched())):,} rows of {rows}")
            return
        if output is None:
            chosen.write(source, sys.stdout)
            return
        try:
            with whole(output, newline="") as out:
                count = chosen.write(source, out)
        except OSError as error:
            storage_failed(error, output)
        if json:
            emit({"table": rows.value, "rows": count, "file": str(output)})
        else:
            print(f"{count:,} rows of {rows}: {output}")
