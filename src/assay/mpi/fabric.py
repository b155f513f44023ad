"""MPICH as it is, over Assay's libfabric provider: what it is asked to load, and how it is started."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.benchmark.record import programs_root
from assay.errors import InputError
from assay.execute.source_list import fabric_provider
from assay.mpi.needs import OF_MPICH
from assay.mpi.own_library import OwnLibrary, Progress

NAME = "libassay-fi.so"  # libfabric takes what ends in -fi.so for a provider
PLACE = "ASSAY_MPICH"  # the folder of an MPICH: with bin/mpiexec and lib/libmpi_abi.so.1
SEGMENT = "ASSAY_MPI_SEGMENT_PATH"
ACCEPTED = f"the folder of MPICH 5's wheel from PyPI in {PLACE}: bin/mpiexec and lib/libmpi_abi.so.1"


@dataclass(frozen=True)
class Mpich:
    """An MPICH of the standard ABI that brings a libfabric of its own: its folder."""

    folder: Path

    @property
    def mpiexec(self) -> Path:
        """Its launcher."""
        return self.folder / "bin" / "mpiexec"

    @property
    def libraries(self) -> Path:
        """What programs load."""
        return self.folder / "lib"

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Its libraries of other interfaces than the standard ABI's, which programs may be linked to."""
        return tuple(name for name in (OF_MPICH,) if (self.libraries / name).is_file())

    def started(
        self, words: list[str], ranks: int, segment: str, provider: Path, *, tag_output: bool = False
    ) -> tuple[list[str], dict[str, str]]:
        """The words that start a program's ranks, and the environment that they need besides."""
        environment = {
            SEGMENT: segment,
            "FI_PROVIDER": "assay",
            "FI_PROVIDER_PATH": str(provider.parent),
            "MPIR_CVAR_CH4_NETMOD": "ofi",
            "MPIR_CVAR_NOLOCAL": "1",  # no shared memory: all messages go over the machine
            "LD_LIBRARY_PATH": str(self.libraries),
        }
        mpiexec = [str(self.mpiexec), "-n", str(ranks), "-genv", "LD_PRELOAD", str(provider)]
        return [*mpiexec, *(["-l"] if tag_output else []), *words], environment


def find_mpich(environment: Mapping[str, str] | None = None) -> Mpich:
    """The MPICH that ASSAY_MPICH names. InputError where there is none."""
    named = (os.environ if environment is None else environment).get(PLACE)
    if not named:
        raise InputError(f"needs {PLACE}", key="--library", value="mpich", accepted=ACCEPTED)
    found = Mpich(Path(named))
    for part in (found.mpiexec, found.libraries / "libmpi_abi.so.1"):
        if not part.is_file():
            raise InputError(f"has no {part.relative_to(found.folder)}", key=PLACE, value=named, accepted=ACCEPTED)
    return found


def provider(progress: Progress = lambda text: None) -> Path:
    """Compile the provider where it is not there yet; returns its file.

    MeasurementError names the compiler's first errors, or what cannot be written.
    """
    headers = programs_root() / "libfabric"  # of libfabric, which include each other as <rdma/...>
    made = OwnLibrary(
        file=NAME,
        kind="fabric",
        title="the libfabric provider",
        sources=fabric_provider,
        flags=f"-O2 -fPIC -ffp-contract=off -isystem {shlex.quote(str(headers))}",
        linking=("-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL", "-Wl,-z,lazy"),
    )
    return made.compiled(progress) / NAME
