"""MPICH as it is, over Assay's libfabric provider: what it is asked to load, and how it is started."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from assay import left_names, trusted
from assay.benchmark.own import cache_root, is_ours
from assay.benchmark.record import programs_root
from assay.errors import InputError, MeasurementError
from assay.execute import cache_content
from assay.execute.compiler import Compiler, find_compiler
from assay.execute.source_list import fabric_provider
from assay.execute.units import digest_of, includes

NAME = "libassay-fi.so"  # libfabric takes what ends in -fi.so for a provider
PLACE = "ASSAY_MPICH"  # the folder of an MPICH: with bin/mpiexec and lib/libmpi_abi.so.1
SEGMENT = "ASSAY_MPI_SEGMENT_PATH"
COMPILE_WITHIN = 300.0  # s
FLAGS = "-O2 -fPIC -ffp-contract=off"
LINKING = ("-shared", "-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL", "-Wl,-z,lazy")
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

    def started(self, words: list[str], ranks: int, segment: str, provider: Path) -> tuple[list[str], dict[str, str]]:
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
        return [*mpiexec, *words], environment


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


def provider(progress: Callable[[str], None] = lambda text: None) -> Path:
    """Compile the provider where it is not there yet; returns its file.

    MeasurementError names the compiler's first errors, or what cannot be written.
    """
    root, cache = programs_root(), cache_root() / "programs"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        trusted.check(cache)
        cache_content.mark_in_use(cache)
    except OSError as error:
        raise MeasurementError(f"the provider cannot be stored in {cache}: {error.strerror}; set ASSAY_CACHE") from None
    compiler = replace(find_compiler(), flags=FLAGS, libraries=())
    sources = [root / each for each in fabric_provider(root)]
    folder = cache / f"fabric-{digest_of(compiler, includes(sources, root), root=root)}"
    if not is_ours(folder / NAME):
        progress(f"compiling the libfabric provider for described machines ({compiler.identity})")
        _make(folder, compiler, sources, root)
    return folder / NAME


def _make(folder: Path, compiler: Compiler, sources: list[Path], root: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=left_names.marked(".fabric-"), dir=folder.parent) as scratch:
        fresh = Path(scratch) / "fabric"
        fresh.mkdir()
        made = fresh / NAME
        headers = ("-std=c++20", "-I", str(root), "-isystem", str(root / "libfabric"))
        flags = shlex.split(compiler.flags)
        words = (*compiler.words, *flags, *headers, *LINKING, *map(str, sources), "-o", str(made))
        compiler.make(NAME, words, made, COMPILE_WITHIN)
        try:
            fresh.rename(folder)
        except OSError:  # another process made it meanwhile
            if not is_ours(folder / NAME):
                raise
            shutil.rmtree(fresh, ignore_errors=True)
