"""`assay accept CONTRACT.toml`: does a machine meet a contract, by measuring it or by a run that is there?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._completing import run_names
from assay.verbs._options import Json, Quiet

STATUS = {"accepted": 0, "rejected": 3, "not shown": 4}


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def accept(
        context: typer.Context,
        contract: Annotated[
            Path | None, typer.Argument(metavar="CONTRACT.toml", help="requirements, with the risks of both sides")
        ] = None,
        runs: Annotated[
            list[str] | None,
            typer.Option(
                "--run",
                metavar="RUN",
                help="judge this run and measure nothing; several times: one run of each benchmark",
                autocompletion=run_names,
            ),
        ] = None,
        template: Annotated[bool, typer.Option("--template", help="print a contract to begin with")] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Judge a machine by a contract: each requirement is accepted, rejected or not shown.

        Exit status: 0 accepted, 3 rejected, 4 neither, 1 where a launch failed.
        """
        from assay.errors import InputError
        from assay.verbs import _accepting
        from assay.verbs._alone import alone

        if template:
            alone(context, "--template", ("--json",))
            _accepting.print_template(json)
            return
        if contract is None:
            raise InputError("which contract is missing", key="accept", accepted="CONTRACT.toml, or --template")
        found = _accepting.of_runs(contract, runs or [])
        _accepting.show(found, quiet=quiet, json=json)
        if STATUS[found.verdict]:
            raise typer.Exit(STATUS[found.verdict])
