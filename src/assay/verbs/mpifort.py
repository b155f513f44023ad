"""`assay mpifort`: compile Fortran programs for `assay mpirun`."""

from __future__ import annotations

import typer

from assay.verbs._mpi_compiler import add_compiler


def register(app: typer.Typer) -> None:
    """Add the verb."""
    text = "Compile a Fortran program with mpif.h or `use mpi` against MPI's standard ABI."
    add_compiler(app, "mpifort", "fortran", text)
