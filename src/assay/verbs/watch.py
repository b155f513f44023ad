"""`assay watch`: periodic runs, their figures as metrics, and changes in their history."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._options import Budget, Json, Only, Profile, Quiet, Regression, named_path

EVERY, LIMIT = "6h", "5%"


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def watch(
        every: Annotated[
            str | None, typer.Option(metavar="TIME", help=f"time from one round to the next (default: {EVERY})")
        ] = None,
        once: Annotated[bool, typer.Option("--once", help="make one round now")] = False,
        install: Annotated[
            str | None,
            typer.Option(metavar="WAY", help="print the files for systemd, cron or slurm; nothing is installed"),
        ] = None,
        only: Only = None,
        profile: Profile = "quick",
        budget: Budget = None,
        metrics: Annotated[
            Path | None,
            typer.Option(
                parser=named_path, metavar="FILE", help="write the figures to this file as OpenMetrics, each round"
            ),
        ] = None,
        regression: Regression = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Make periodic runs, write their figures as metrics, and report changes since earlier runs.

        The exit status of a round is that of `history --fail-on-regression` (default: 5%), or 1 where a launch failed.
        """
        from assay.cli import emit
        from assay.decide.watch_files import files
        from assay.document.history import WatchFiles
        from assay.document.json_form import to_json
        from assay.errors import InputError
        from assay.execute.run_request import seconds
        from assay.verbs import _watch_round, _watch_rounds
        from assay.verbs._history import limit_of

        period = seconds(every or EVERY, "--every")
        assert period is not None  # as the text is not None
        limit = limit_of(regression or LIMIT)
        if once and install is not None:
            raise InputError(
                "has no effect with --once", key="--install", value=install, accepted="only one of the two"
            )
        if once and every is not None:
            raise InputError("has no effect with --once", key="--every", value=every, accepted="only one of the two")
        options: _watch_round.RoundOptions = {
            "only": only,
            "profile": profile,
            "budget": budget,
            "metrics": metrics,
            "regression": regression,
        }
        if once:
            made, status = _watch_round.round_of(options, limit=limit, quiet=quiet, json=json)
            if json:
                emit(to_json(made))
            if status:
                raise typer.Exit(status)
            return
        words = _watch_rounds.check_options(options)
        if install is not None:
            found = files(install, words, period, Path.cwd(), seconds(budget, "--budget"))
            if json:
                emit(to_json(WatchFiles(install=install, files=found)))
            elif quiet:
                print(", ".join(each.name for each in found))
            else:
                print(
                    "\n".join(each.text if len(found) == 1 else f"# {each.name}\n{each.text}" for each in found), end=""
                )
            return
        if json:
            raise InputError("is one document", key="--json", accepted="with --once, or --install")
        _watch_rounds.rounds(words + ["--quiet"] * quiet, period, sys.stderr)
