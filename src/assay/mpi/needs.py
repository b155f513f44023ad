"""Which MPI functions a program needs, and which of them Assay's library has: before anything runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from assay.mpi.elf import Dynamic, read_dynamic
from assay.mpi.library import NAME

_FUNCTION = re.compile(r"P?MPIX?_[A-Z]\w*")
_OTHER = re.compile(r"lib(?:p?mpi|mpich|mpi_cxx|mpi_mpifh|mpi(?:ch)?cxx|mpi(?:ch)?fort|mpi_usempi\w*)\.so(?:\.(\d+))?")
_WHOSE = {"12": "MPICH's own interface", "40": "Open MPI's own interface", "20": "Open MPI's own interface"}
AGAIN = "compile it again with `assay mpicc`, `assay mpicxx` or `assay mpifort`"
OF_MPICH = "libmpi.so.12"  # of MPICH's own interface, which its wheel has beside that of the standard ABI
_CLOCKS = frozenset(
    (
        *("gettimeofday", "clock_gettime", "clock", "omp_get_wtime", "_ZNSt6chrono3_V212steady_clock3nowEv"),
        *("_ZNSt6chrono3_V212system_clock3nowEv", "_gfortran_system_clock_4", "_gfortran_system_clock_8"),
        *("_gfortran_cpu_time_4", "_gfortran_cpu_time_8"),
    )
)
_SHARED_MEMORY = frozenset(("shm_open", "shmget"))


@dataclass(frozen=True)
class Needs:
    """Functions by name (MPI_X; PMPI_X counts as that), those the library has and those that it lacks.

    `other`: another MPI library that the program names, and whose it is. `clocks`, `shared`: functions that tell this
    computer's time, and that share memory beside MPI.
    """

    there: tuple[str, ...]
    missing: tuple[str, ...]
    other: str | None
    standard: bool  # it names libmpi_abi.so.1
    clocks: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    def line(self, program: str, whose: str = "Assay's library") -> str:
        """The verdict in one line."""
        if self.other:
            return f"{program}: needs {self.other}; {AGAIN}"
        if not (self.there or self.missing):
            return f"{program}: needs no MPI function"
        count = len(self.there) + len(self.missing)
        functions = "1 MPI function" if count == 1 else f"{count} MPI functions"
        if not self.missing:
            return f"{program}: needs {functions}; {whose} has all of them"
        return f"{program}: needs {functions}; not available in {whose}: {', '.join(self.missing)}"


def needs_of(program: Path, library: Path, *, weak: bool = False) -> Needs:
    """What `program` needs of the library in the folder `library`. InputError where it is no program.

    `weak`: whether the library's weak symbols are functions that it has, as MPICH's are, and not Assay's.
    """
    wanted = _dynamic(program)
    has = available(library, weak=weak)
    names = sorted({name.removeprefix("P") for name in wanted.undefined if _FUNCTION.fullmatch(name)})
    return Needs(
        tuple(name for name in names if name in has),
        tuple(name for name in names if name not in has),
        _other_library(wanted),
        NAME in wanted.needed,
        tuple(sorted(wanted.undefined & _CLOCKS)),
        tuple(sorted(wanted.undefined & _SHARED_MEMORY)),
    )


def other_mpi(program: Path, *accepted: str) -> str | None:
    """Another MPI library than the standard ABI's, or one of `accepted`, that a program names, with whose it is.

    InputError where it is no program.
    """
    return _other_library(_dynamic(program), *accepted)


def warnings(clocks: Sequence[str], shared: Sequence[str]) -> list[str]:
    """What such functions do not do on a described machine as elsewhere, a line for each kind."""
    found = []
    if clocks:
        found.append(f"{', '.join(clocks)}: this computer's time; only MPI_Wtime is the machine's")
    if shared:
        found.append(f"{', '.join(shared)}: ranks that wait for each other in shared memory hang")
    return found


def warnings_of(program: Path) -> list[str]:
    """The warnings for a program's functions. InputError where it is no program."""
    wanted = _dynamic(program).undefined
    return warnings(sorted(wanted & _CLOCKS), sorted(wanted & _SHARED_MEMORY))


def available(library: Path, *, weak: bool = False) -> frozenset[str]:
    """The functions that the library in this folder carries out: its strong symbols; Assay's weak ones only report."""
    symbols = read_dynamic(library / NAME)
    return frozenset(
        name for name in symbols.strong | (symbols.weak if weak else frozenset()) if name.startswith("MPI")
    )


def _dynamic(program: Path) -> Dynamic:
    try:
        return read_dynamic(program)
    except (ValueError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(reason or "cannot be read", key="PROGRAM", value=str(program), accepted="a program") from None


def _other_library(wanted: Dynamic, *accepted: str) -> str | None:
    for name in wanted.needed:
        if (found := _OTHER.fullmatch(name)) and name not in accepted:
            whose = _WHOSE.get(found[1] or "")
            return f"{name} ({whose})" if whose else name
    return None
