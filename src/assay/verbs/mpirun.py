"""`assay mpirun`: an unmodified MPI program on a described machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._options import Json, On, PerNode, Placement, Quiet, RunFolder, Seed, Timeline, named_path

INTERLEAVED = {"allow_interspersed_args": False}  # what follows PROGRAM is its own


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(context_settings=INTERLEAVED)
    def mpirun(
        words: Annotated[list[str], typer.Argument(metavar="PROGRAM [ARGS]…", help="the program and its arguments")],
        on: On = None,
        ranks: Annotated[int, typer.Option("-n", "-np", metavar="N", min=1, help="number of ranks")] = 1,
        ppn: PerNode = None,
        placement: Placement = None,
        seed: Seed = 1,
        compute: Annotated[
            str,
            typer.Option(
                metavar="none|cpu:FACTOR", help="what computing between calls takes: nothing, or its CPU time"
            ),
        ] = "none",
        settings: Annotated[
            list[str] | None, typer.Option("--set", metavar="machine.KEY=VALUE", help="a value of the machine's file")
        ] = None,
        timeline: Timeline = None,
        matrix: Annotated[
            Path | None,
            typer.Option(parser=named_path, metavar="PATH", help="messages and bytes between ranks (CSV)"),
        ] = None,
        out: RunFolder = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Run an MPI program, as it is, on a described machine."""
        from assay.described.shipped import open_described
        from assay.errors import InputError, MeasurementError
        from assay.mpi import launch, library, request

        if on is None:
            raise InputError("is missing", key="--on", accepted="a described machine: `assay catalogue --described`")
        description = open_described(on, {})
        machine, places, processors = request.places_of(description, ranks, None, None)
        folder = library.library(lambda text: None if quiet else print(text, file=sys.stderr))
        asked = launch.Request(
            request.program(words),
            machine,
            places,
            processors,
            request.factor_of(compute),
            output=2 if json else 1,
        )
        made = launch.launch(asked, folder)
        served = made.served
        if made.missing:
            raise InputError(f"cannot be started: {made.missing}", key="PROGRAM", value=words[0], accepted="a program")
        if served.waiting:
            from assay.execute.simulated import deadlock

            raise MeasurementError(f"{words[0]}: {deadlock(served.makespan * 1e-12, served.waiting)}")
        if served.failure:
            print(f"assay: {words[0]}: {served.failure}", file=sys.stderr)
            raise typer.Exit(made.exit_status or 1)
        if not quiet:
            print(f"assay: {served.makespan * 1e-12:.9g} s on {description.name}", file=sys.stderr)
        if made.exit_status:
            raise typer.Exit(made.exit_status)
