"""Assay's own MPI library, `libmpi_abi.so.1`, compiled on this machine like the benchmark programs."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assay import left_names, trusted
from assay.benchmark.own import cache_root, is_ours
from assay.benchmark.record import programs_root
from assay.errors import MeasurementError
from assay.execute import cache_content
from assay.execute.compiler import Compiler, find_compiler
from assay.execute.source_list import mpi_library
from assay.execute.units import digest_of, includes, objects_of

NAME = "libmpi_abi.so.1"
LINKED = "libmpi_abi.so"  # what `-lmpi_abi` finds
COMPILE_WITHIN = 300.0  # s
# -static-libstdc++: programs in C and Fortran need not load another library, which each rank would have to itself.
FLAGS = "-O2 -fPIC -ffp-contract=off -fno-semantic-interposition"
LINKING = ("-shared", f"-Wl,-soname,{NAME}", "-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL")


def library(progress: Callable[[str], None] = lambda text: None) -> Path:
    """Compile it where it is not there yet; returns its folder, for LD_LIBRARY_PATH and for linking.

    MeasurementError names the compiler's first errors, or what cannot be written.
    """
    root, cache = programs_root(), cache_root() / "programs"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        trusted.check(cache)
        cache_content.mark_in_use(cache)
    except OSError as error:
        raise MeasurementError(
            f"the MPI library cannot be stored in {cache}: {error.strerror}; set ASSAY_CACHE"
        ) from None
    compiler = replace(find_compiler(), flags=FLAGS, libraries=())
    sources = [root / each for each in mpi_library(root)]
    folder = cache / f"mpi-{digest_of(compiler, includes(sources, root), root=root)}"
    if not is_ours(folder / NAME):
        progress(f"compiling the MPI library for described machines ({compiler.identity})")
        _make(folder, compiler, sources, root)
    return folder


def _make(folder: Path, compiler: Compiler, sources: list[Path], root: Path) -> None:
    objects = objects_of(sources, root, folder.parent / "units", compiler, compiler, COMPILE_WITHIN)
    with tempfile.TemporaryDirectory(prefix=left_names.marked(".mpi-"), dir=folder.parent) as scratch:
        fresh = Path(scratch) / "mpi"
        fresh.mkdir()
        made = fresh / NAME
        words = (*compiler.words, *shlex.split(compiler.flags), *LINKING, *map(str, objects), "-o", str(made))
        compiler.make(NAME, words, made, COMPILE_WITHIN)
        (fresh / LINKED).symlink_to(NAME)
        try:
            fresh.rename(folder)
        except OSError:  # another process made it meanwhile
            if not is_ours(folder / NAME):
                raise
