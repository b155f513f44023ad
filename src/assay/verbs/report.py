"""`assay report RUN…`: the report anew, as a page, Markdown or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._completing import run_names


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def report(
        runs: Annotated[
            list[str],
            typer.Argument(help="folders or ids of runs", autocompletion=run_names),
        ],
        output: Annotated[Path | None, typer.Option("-o", help="the page (default: report.html in the run)")] = None,
        markdown: Annotated[bool, typer.Option("--markdown", help="print the tables as Markdown")] = False,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
    ) -> None:
        """Write a run's report again, from its samples."""
        from assay.cli import emit
        from assay.errors import InputError
        from assay.report import page
        from assay.report.document import document
        from assay.report.listed import of_sections
        from assay.report.terminal import show
        from assay.store import Run

        if output is not None and len(runs) > 1:
            raise InputError("names one page", key="-o", value=str(output), accepted="one RUN, or no -o")
        made = []
        for name in runs:
            run = Run.open(name)
            whole = document(run)
            whole["report"] = str(page.write(run, whole, output))
            made.append(whole)
        if json:
            listed = [figure for whole in made for figure in of_sections(whole)]
            emit({"figures": listed} | (made[0] if len(made) == 1 else {"reports": made}))
        elif markdown:
            for whole in made:
                print(page.markdown(whole))
        else:
            for whole in made:
                show(whole)
