"""`assay history`: a machine's figures over its runs, where they changed, and what else changed there."""

from __future__ import annotations

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
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Show figures over all runs of a machine: where they changed, by how much, and what else changed there.

        At most one false alarm per 200 runs is expected, over all figures together.
        """
        from assay.cli import emit
        from assay.decide.history import status
        from assay.decide.history_import import enter_runs
        from assay.document.json_form import to_json
        from assay.store import Run
        from assay.verbs._history import history_of, limit_of
        from assay.verbs._history_shown import show

        limit = limit_of(regression)
        entered = enter_runs(enter or ())
        first = None if since is None else str(Run.open(since).about["id"])
        found = history_of(figures, machine, first, limit=limit, entered=entered, quiet=quiet or json)
        if json:
            emit(to_json(found))
        else:
            show(found, quiet)
        if code := status(found):
            raise typer.Exit(code)
