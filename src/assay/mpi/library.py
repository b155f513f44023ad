"""Assay's own MPI library, `libmpi_abi.so.1`, compiled on this machine like the benchmark programs."""

from __future__ import annotations

from pathlib import Path

from assay.execute.source_list import mpi_library
from assay.mpi.own_library import OwnLibrary, Progress

NAME = "libmpi_abi.so.1"
# -static-libstdc++: programs in C and Fortran need not load another library, which each rank would have to itself.
LIBRARY = OwnLibrary(
    file=NAME,
    kind="mpi",
    title="the MPI library",
    sources=mpi_library,
    flags="-O2 -fPIC -ffp-contract=off -fno-semantic-interposition",
    linking=(f"-Wl,-soname,{NAME}", "-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL"),
    linked="libmpi_abi.so",  # what `-lmpi_abi` finds
)


def library(progress: Progress = lambda text: None) -> Path:
    """Compile it where it is not there yet; returns its folder, for LD_LIBRARY_PATH and for linking.

    MeasurementError names the compiler's first errors, or what cannot be written.
    """
    return LIBRARY.compiled(progress)
