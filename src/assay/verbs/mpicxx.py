"""`assay mpicxx`: compile C++ programs for `assay mpirun`."""

from __future__ import annotations

from typing import Annotated

import typer

# All words but --help are the compiler's, options too.
PASSED_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(context_settings=PASSED_ON)
    def mpicxx(
        words: Annotated[
            list[str] | None, typer.Argument(metavar="WORDS…", help="the compiler's own words, all passed on")
        ] = None,
    ) -> None:
        """Compile a C++ program against MPI's standard ABI (-show prints the command)."""
        from assay.mpi import wrappers

        if status := wrappers.run("c++", words or []):
            raise typer.Exit(status)
