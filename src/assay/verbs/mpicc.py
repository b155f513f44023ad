"""`assay mpicc`: compile C programs for `assay mpirun`."""

from __future__ import annotations

import typer

from assay.verbs._mpi_compiler import add_compiler


def register(app: typer.Typer) -> None:
    """Add the verb."""
    add_compiler(app, "mpicc", "c", "Compile a C program against MPI's standard ABI (-show prints the command).")
