"""Which MPI functions a program needs, and which of them Assay's library has: before anything runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from assay.mpi.elf import Dynamic, read_dynamic
from assay.mpi.library import NAME

_FUNCTION = re.compile(r"P?MPIX?_[A-Z]\w*")
_OTHER = re.compile(r"lib(?:p?mpi|mpich|mpi_cxx|mpi_mpifh|mpifort|mpichfort|mpi_usempi\w*)\.so(?:\.(\d+))?")
_WHOSE = {"12": "MPICH's own interface", "40": "Open MPI's own interface", "20": "Open MPI's own interface"}
AGAIN = "compile it again with `assay mpicc`, `assay mpicxx` or `assay mpifort`"


@dataclass(frozen=True)
class Needs:
    """Functions by name (MPI_X; PMPI_X counts as that), those the library has and those that it lacks.

    `other`: another MPI library that the program names, and whose it is.
    """

    there: tuple[str, ...]
    missing: tuple[str, ...]
    other: str | None
    standard: bool  # it names libmpi_abi.so.1

    def line(self, program: str) -> str:
        """The verdict in one line."""
        if self.other:
            return f"{program}: needs {self.other}; {AGAIN}"
        if not (self.there or self.missing):
            return f"{program}: needs no MPI function"
        count = len(self.there) + len(self.missing)
        functions = "1 MPI function" if count == 1 else f"{count} MPI functions"
        if not self.missing:
            return f"{program}: needs {functions}; Assay's library has all of them"
        return f"{program}: needs {functions}; not available in Assay's library: {', '.join(self.missing)}"


def needs_of(program: Path, library: Path) -> Needs:
    """What `program` needs of the library in the folder `library`. InputError where it is no program."""
    try:
        wanted = read_dynamic(program)
    except (ValueError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(reason or "cannot be read", key="PROGRAM", value=str(program), accepted="a program") from None
    has = available(library)
    names = sorted({name.removeprefix("P") for name in wanted.undefined if _FUNCTION.fullmatch(name)})
    return Needs(
        tuple(name for name in names if name in has),
        tuple(name for name in names if name not in has),
        other_library(wanted),
        NAME in wanted.needed,
    )


def available(library: Path) -> frozenset[str]:
    """The functions that the library in this folder carries out: its strong symbols; the weak ones only report."""
    return frozenset(name for name in read_dynamic(library / NAME).strong if name.startswith("MPI"))


def other_library(wanted: Dynamic) -> str | None:
    """Another MPI library than the standard ABI's that a program names, with whose it is."""
    for name in wanted.needed:
        if found := _OTHER.fullmatch(name):
            whose = _WHOSE.get(found[1] or "")
            return f"{name} ({whose})" if whose else name
    return None
