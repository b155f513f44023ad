"""The Fortran side of MPI over the C interface of the standard ABI: mpif.h, the module `mpi`, and their functions.

mpif.h is written from the constants of mpi.h. The functions (programs/mpi_library/fortran) are an archive that each
program is linked with, so that the program runs over any library with the standard ABI.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assay.benchmark.record import programs_root
from assay.errors import MeasurementError
from assay.execute import cache_content
from assay.execute.compiler import find_compiler
from assay.execute.source_list import mpi_fortran
from assay.execute.units import digest_of, includes, objects_of
from assay.mpi.own_library import COMPILE_WITHIN, made_once

ARCHIVE = "libassay_mpifort.a"
_FLAGS = "-O2 -fPIC -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables"
_HANDLE = re.compile(r"#define (MPI_\w+)\s+\(\(MPI_\w+\)(0x[0-9a-fA-F]+)\)")
_SAME = re.compile(r"#define (MPI_\w+)\s+(MPI_\w+)\s*$", re.MULTILINE)
_NUMBER = re.compile(r"#define (MPI_\w+)\s+(\d+)\b")
_ENUMERATOR = re.compile(r"^\s+(MPI_\w+)\s*=\s*(-?\w+)", re.MULTILINE)
_STRING_SIZE = re.compile(r"MPI_MAX_\w+")
# Constants that are places in memory, by their common block, and how many integers they have.
_PLACES = {
    "MPI_BOTTOM": ("assay_mpi_bottom", ""),
    "MPI_IN_PLACE": ("assay_mpi_in_place", ""),
    "MPI_UNWEIGHTED": ("assay_mpi_unweighted", ""),
    "MPI_WEIGHTS_EMPTY": ("assay_mpi_weights_empty", ""),
    "MPI_STATUS_IGNORE": ("assay_mpi_status_ignore", "(8)"),
    "MPI_STATUSES_IGNORE": ("assay_mpi_statuses_ignore", "(8,1)"),
}
_FORTRAN_ONLY = {
    "MPI_STATUS_SIZE": 8,
    "MPI_SOURCE": 1,
    "MPI_TAG": 2,
    "MPI_ERROR": 3,
    "MPI_ADDRESS_KIND": 8,
    "MPI_OFFSET_KIND": 8,
    "MPI_COUNT_KIND": 8,
    "MPI_INTEGER_KIND": 4,
}
_MODULE = "      module mpi\n      include 'mpif.h'\n      end module mpi\n"


def constants(header: str) -> Iterator[tuple[str, int]]:
    """The integer constants of mpif.h, from the text of mpi.h; string sizes have no room for a zero at the end."""
    found: dict[str, int] = {name: int(value, 16) for name, value in _HANDLE.findall(header)}
    found |= {name: int(value) for name, value in _NUMBER.findall(header)}
    for name, value in _ENUMERATOR.findall(header):
        if not name.startswith(("MPI_T_", "MPI_F_")):
            found[name] = int(value, 0)
    for name, same in _SAME.findall(header):
        if same in found:
            found[name] = found[same]
    for name, value in (found | _FORTRAN_ONLY).items():
        yield name, value - 1 if _STRING_SIZE.fullmatch(name) else value


def mpif(header: str) -> str:
    """mpif.h, in lines that both source forms of Fortran read."""
    lines = ["!     MPI's constants by the standard ABI, written by Assay from mpi.h"]
    for name, value in constants(header):
        lines += [f"      integer {name}", f"      parameter ({name}={value})"]
    lines += ["      integer(kind=8) MPI_DISPLACEMENT_CURRENT", "      parameter (MPI_DISPLACEMENT_CURRENT=-1_8)"]
    for name, (block, shape) in _PLACES.items():
        lines += [f"      integer {name}{shape}", f"      common /{block}/ {name}", f"      save /{block}/"]
    for name in ("MPI_WTIME", "MPI_WTICK"):
        lines += [f"      double precision {name}", f"      external {name}"]
    for name in ("MPI_AINT_ADD", "MPI_AINT_DIFF"):
        lines += [f"      integer(kind=8) {name}", f"      external {name}"]
    for name in ("MPI_COMM_NULL_COPY_FN", "MPI_COMM_NULL_DELETE_FN"):
        lines.append(f"      external {name}")
    return "\n".join(lines) + "\n"


def fortran_compiler() -> str:
    """The compiler's name: FC of the environment where it is no MPI wrapper. MeasurementError where there is none."""
    compiler = os.environ.get("ASSAY_FC", "gfortran")
    if shutil.which(compiler) is None:
        raise MeasurementError(f"{compiler}: not found; install gfortran or name a compiler in ASSAY_FC")
    return compiler


def fortran(compiler: str) -> Path:
    """The folder with mpif.h, the module and the archive, made where they are not there yet for this compiler."""
    root, cache = programs_root(), cache_content.binaries("the Fortran functions of MPI")
    native = replace(find_compiler(), flags=_FLAGS, libraries=())
    sources = [root / each for each in mpi_fortran(root)]
    text = mpif((root / "mpi_library" / "abi" / "mpi.h").read_text(encoding="utf-8"))
    own = hashlib.sha256(f"{shutil.which(compiler)}\n{text}{_MODULE}".encode()).hexdigest()[:16]

    def make(folder: Path) -> None:
        objects = objects_of(sources, root, cache / "units", native, native, COMPILE_WITHIN)
        (folder / "mpif.h").write_text(text, encoding="utf-8")
        (folder / "mpi.f").write_text(_MODULE, encoding="utf-8")
        words = (compiler, "-c", f"-I{folder}", f"-J{folder}", str(folder / "mpi.f"), "-o", str(folder / "mpi.o"))
        native.make("mpi.mod", words, folder / "mpi.mod", COMPILE_WITHIN)
        archive = folder / ARCHIVE
        native.make(ARCHIVE, ("ar", "rcs", str(archive), *map(str, objects)), archive, COMPILE_WITHIN)

    return made_once(cache / f"mpifort-{digest_of(native, includes(sources, root), root=root)}-{own}", ARCHIVE, make)
