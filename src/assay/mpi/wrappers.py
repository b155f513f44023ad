"""`assay mpicc`, `mpicxx` and `mpifort`: the compiler with what MPI programs need, as the wrappers of MPI libraries."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Literal

from assay.benchmark.record import programs_root
from assay.errors import MeasurementError
from assay.mpi.fortran import ARCHIVE, fortran, fortran_compiler
from assay.mpi.library import library

Language = Literal["c", "c++", "fortran"]
_COMPILERS = {"c": ("ASSAY_CC", ("cc", "gcc", "clang")), "c++": ("ASSAY_CXX", ("c++", "g++", "clang++"))}
_SHOWN = {"-show", "--show", "-showme", "--showme", "-show-compile-info", "-show-link-info", "-showme:compile"}
_NOT_LINKED = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}
_NO_PROGRAM = {"-v", "--version", "-V", "-dumpversion", "-dumpmachine", "-dumpfullversion", "--help"}
# Calls of one function with several types in a file are errors of gfortran from version 10 on.
_FORTRAN_FLAGS = ("-fallow-argument-mismatch", "-fallow-invalid-boz")


def command(language: Language, words: Sequence[str]) -> list[str]:
    """The compiler's whole command. MeasurementError where there is no compiler, or the library does not compile."""
    arguments = [word for word in words if word not in _SHOWN]
    compiler = _compiler(language)
    if set(arguments) <= _NO_PROGRAM and not (set(words) & _SHOWN):
        return [*compiler, *arguments]
    include = [f"-I{programs_root() / 'mpi_library' / folder}" for folder in ("abi", "include")]
    links = not set(arguments) & _NOT_LINKED
    if language == "fortran":
        folder = fortran(compiler[0])
        made = [*compiler, *_FORTRAN_FLAGS, f"-I{folder}", *include, *arguments]
        return [*made, str(folder / ARCHIVE), *_linked()] if links else made
    made = [*compiler, *include, *arguments]
    return [*made, *_linked()] if links else made


def run(language: Language, words: Sequence[str]) -> int:
    """Run the compiler, or show its command; the exit status, as a shell has it."""
    made = command(language, words)
    if set(words) & _SHOWN:
        print(shlex.join(made))
        return 0
    status = subprocess.run(made, check=False).returncode
    return status if status >= 0 else 128 - status


def _linked() -> list[str]:
    return [f"-L{library(lambda text: print(text, file=sys.stderr, flush=True))}", "-lmpi_abi"]


def _compiler(language: Language) -> list[str]:
    if language == "fortran":
        return [fortran_compiler()]
    variable, candidates = _COMPILERS[language]
    if words := os.environ.get(variable):
        return shlex.split(words)
    found = next((name for name in candidates if shutil.which(name)), None)
    if found is None:
        raise MeasurementError(f"no {language} compiler ({', '.join(candidates)}); install one or set {variable}")
    return [found]
