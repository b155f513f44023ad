"""`assay history`: a machine's figures over its runs, where they changed, and what else changed there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._completion import run_names
from assay.verbs._options import Json, Machine, Quiet, Regression, named_path


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def history(
        figures: Annotated[
            list[str] | None,
            typer.Argument(metavar="[FIGURE]…", help="BENCHMARK, FIGURE or BENCHMARK.FIGURE (default: the headlines)"),
        ] = None,
        machine: Machine = None,
        since: Annotated[
            str | None,
            typer.Option(
                metavar="RUN",
                help="ignore the runs before this one, such as after an accepted change",
                autocompletion=run_names,
            ),
        ] = None,
        regression: Regression = None,
        enter: Annotated[
            list[Path] | None,
            typer.Option(
                "--import",
                parser=named_path,
                metavar="FOLDER",
                help="first import the runs of this folder, such as another host's store (repeatable)",
            ),
        ] = None,
        confirm: Annotated[
            bool,
            typer.Option(
                "--confirm",
                help="measure the newest change again, the older build or MPI and the newer one in turn",
            ),
        ] = False,
        html: Annotated[
            Path | None,
            typer.Option(
                "--html", parser=named_path, metavar="FILE", help="also write a page with all figures as sparklines"
            ),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Show figures over all runs of a machine: where they changed, by how much, and what else changed there.

        At most one false alarm per 200 runs is expected, over all figures together.
        """
        from assay.cli import emit
        from assay.decide.history import after_confirmation, status
        from assay.decide.history_import import enter_runs
        from assay.decide.history_page import write_page
        from assay.document.json_form import to_json
        from assay.store import Run
        from assay.verbs._confirm import confirm_change, proposal
        from assay.verbs._file_names import check_suffix
        from assay.verbs._history import history_of, limit_of
        from assay.verbs._history_shown import show

        limit = limit_of(regression)
        check_suffix("--html", html, "HTML", (".html", ".htm"))
        entered = enter_runs(enter or ())
        first = None if since is None else str(Run.open(since).about["id"])
        found = history_of(figures, machine, first, limit=limit, entered=entered, quiet=quiet or json)
        found = replace(found, confirmation=proposal(found))
        if confirm:
            found = after_confirmation(replace(found, confirmation=confirm_change(found, quiet or json)), limit)
        if html is not None:
            found = replace(found, page=str(write_page(found, html)))
        if json:
            emit(to_json(found))
        else:
            show(found, quiet)
        if code := status(found):
            raise typer.Exit(code)
