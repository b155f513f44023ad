"""`assay mpirun`: an unmodified MPI program on a described machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._options import (
    Goal,
    Json,
    Label,
    Matrix,
    On,
    PerNode,
    Placement,
    Quiet,
    RunFolder,
    Seed,
    Timeline,
    named_path,
)

INTERLEAVED = {"allow_interspersed_args": False}  # what follows PROGRAM is its own


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(context_settings=INTERLEAVED)
    def mpirun(
        words: Annotated[
            list[str] | None, typer.Argument(metavar="PROGRAM [ARGS]…", help="the program and its arguments")
        ] = None,
        on: On = None,
        ranks: Annotated[int, typer.Option("-n", metavar="N", min=1, max=2**20, help="number of ranks")] = 1,
        ppn: PerNode = None,
        placement: Placement = None,
        seed: Seed = 1,
        library: Annotated[
            str,
            typer.Option(
                metavar="own|mpich", help="the MPI library: Assay's own, compiled here when first used, or MPICH's"
            ),
        ] = "own",
        compute: Annotated[
            str,
            typer.Option(
                metavar="none|cpu:FACTOR|regions:FACTOR",
                help="time of computing between calls: none, or its CPU time times FACTOR, everywhere or only in "
                "regions that the program marks",
            ),
        ] = "none",
        settings: Annotated[
            list[str] | None, typer.Option("--set", metavar="machine.KEY=VALUE", help="a value of the machine's file")
        ] = None,
        variables: Annotated[
            list[str] | None,
            typer.Option("-x", metavar="NAME[=VALUE]", help="a variable of the program's environment (repeatable)"),
        ] = None,
        folder: Annotated[
            Path | None,
            typer.Option("--wdir", parser=named_path, metavar="FOLDER", help="where the program runs (default: here)"),
        ] = None,
        tag_output: Annotated[
            bool, typer.Option("--tag-output", help="begin each line of the program's output with its rank: [3] …")
        ] = False,
        timeline: Timeline = None,
        matrix: Matrix = None,
        goal: Goal = None,
        check: Annotated[
            bool, typer.Option("--check", help="only list which MPI functions the program needs, and which are missing")
        ] = False,
        out: RunFolder = None,
        label: Label = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Run an MPI program, as it is, on a described machine."""
        from assay.verbs import _mpirun

        wish = _mpirun.Wish(
            words=words or [],
            on=on,
            ranks=ranks,
            ppn=ppn,
            placement=placement,
            seed=seed,
            library=library,
            compute=compute,
            settings=settings or [],
            variables=variables or [],
            folder=folder,
            timeline=timeline,
            matrix=matrix,
            goal=goal,
            out=out,
            label=label,
            tag_output=tag_output,
            quiet=quiet,
            json=json,
        )
        status = _mpirun.check(wish) if check else _mpirun.run(wish)
        if status:
            raise typer.Exit(status)
