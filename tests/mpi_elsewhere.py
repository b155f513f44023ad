"""The MPI programs of the tests under the MPI of this machine, for comparison."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
from pathlib import Path

from assay.benchmark.own import cache_root
from mpi_programs import SOURCES, written
from mpis_here import MPI, start_ranks


@functools.cache
def compiled_there(name: str) -> Path:
    """The program tests/mpi/NAME.c, compiled by that MPI; kept while it does not change."""
    assert MPI is not None
    source = SOURCES / f"{name}.c"
    key = hashlib.sha256(written(name) + f"{MPI.mpicxx} {MPI}".encode()).hexdigest()[:20]
    made = cache_root() / "tests" / f"{name}-there-{key}"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        own = made.with_suffix(f".{os.getpid()}")
        subprocess.run([MPI.mpicxx.replace("mpicxx", "mpicc"), "-w", "-O1", str(source), "-o", str(own)], check=True)
        own.replace(made)
    return made


@functools.cache
def elsewhere(ranks: int, name: str, *arguments: str) -> list[str]:
    """The lines of its standard output, without the transport's own."""
    assert MPI is not None
    there = start_ranks(MPI, ranks, compiled_there(name), *arguments)
    assert there.returncode == 0, there.stderr
    return [line for line in there.stdout.splitlines() if "UCX" not in line]
