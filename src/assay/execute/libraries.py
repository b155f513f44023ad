"""Libraries that a program may use beside its own code: BLAS with LAPACK, FFTW. Which there are, found by trial links.

A record names them (`libraries = ["blas"]`). A program compiled with one has the define that its entry here states and
leaves the cases of the library out otherwise. The site's own come first (pkg-config, then what the linker finds), then
OpenBLAS as the Python package scipy-openblas64 brings it, whose whole numbers have 64 bits and whose names are its own.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import secrets
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.benchmark.record import Benchmark
from assay.errors import InputError
from assay.execute import leash
from assay.execute.compiler import Compiler, find_compiler
from assay.execute.mpi import launch_environment

_ANSWERS_WITHIN = 60.0  # s, pkg-config and a trial link
_WHEEL = "scipy_openblas64"


@dataclass(frozen=True)
class FoundLibrary:
    """A library that was found: what to compile (`flags`) and to link (`links`) with, and where it was found."""

    name: str
    flags: tuple[str, ...]
    links: tuple[str, ...]
    origin: str


@dataclass(frozen=True)
class _Kind:
    """A kind of library: its title, functions that a trial calls, the define, how it is found and how installed."""

    title: str
    functions: tuple[str, ...]
    define: str
    packages: tuple[str, ...]
    links: tuple[str, ...]
    install: str
    wheel: bool = False


KINDS: Mapping[str, _Kind] = {
    "blas": _Kind(
        title="BLAS with LAPACK",
        functions=("cblas_dgemm", "cblas_sgemm", "dgesv_"),
        define="ASSAY_BLAS",
        packages=("openblas",),
        links=("-lopenblas", "-llapack -lblas", "-llapack -lcblas -lblas"),
        install="apt-get install libopenblas-dev, or pip install scipy-openblas64",
        wheel=True,
    ),
    "fftw": _Kind(
        title="FFTW",
        functions=("fftw_plan_dft_1d", "fftw_execute"),
        define="ASSAY_FFTW",
        packages=("fftw3",),
        links=("-lfftw3 -lm",),
        install="apt-get install libfftw3-dev",
    ),
}


def missing(name: str) -> str:
    """Say in a line that a library is not here, and what to install."""
    kind = KINDS[name]
    return f"no {kind.title} library was found: {kind.install}"


def refuse_missing(record: Benchmark, settings: Mapping[str, str], compiler: Compiler | None = None) -> None:
    """Refuse `--set code=library` where the record's library is not here: InputError says what to install."""
    if "library" not in [word.strip() for word in settings.get("code", "").split(",")]:
        return
    for name in record.extra.get("libraries", ()):
        if find(name, compiler or find_compiler()) is None:
            raise InputError(missing(name), key="parameter code", value=settings["code"], accepted="ours")


def with_libraries(compiler: Compiler, names: Sequence[str]) -> tuple[Compiler, tuple[FoundLibrary, ...]]:
    """The compiler with the flags and links of those of `names` that are here, and these."""
    found = tuple(library for name in names if (library := find(name, compiler)) is not None)
    if not found:
        return compiler, ()
    flags = " ".join([compiler.flags, *(shlex.join(library.flags) for library in found)])
    links = tuple(word for library in found for word in library.links)
    return replace(compiler, flags=flags, libraries=(*compiler.libraries, *links)), found


@functools.lru_cache(maxsize=16)
def find(name: str, compiler: Compiler) -> FoundLibrary | None:
    """Find a library that a trial program of `compiler` can be linked with; None where there is none."""
    kind = KINDS[name]
    for library, functions in _candidates(name, kind):
        if _links(compiler, library, functions):
            return library
    return None


def _candidates(name: str, kind: _Kind) -> Iterator[tuple[FoundLibrary, Sequence[str]]]:
    """Where a library may be, the site's own first, and the functions that it must have."""
    own = f"-D{kind.define}=1"
    for package in kind.packages:
        ended, said = leash.ask(["pkg-config", "--cflags", "--libs", package], timeout=_ANSWERS_WITHIN)
        if not ended.missing and not ended.timed_out and not any(ended.statuses):
            words = shlex.split(said)
            flags = [word for word in words if word.startswith(("-I", "-D"))]
            links = [word for word in words if word not in flags]
            yield FoundLibrary(name, (own, *flags), tuple(links), f"pkg-config {package}"), kind.functions
    for text in kind.links:
        yield FoundLibrary(name, (own,), tuple(text.split()), text), kind.functions
    spec = importlib.util.find_spec(_WHEEL) if kind.wheel else None
    if spec is not None and spec.origin:
        folder = Path(spec.origin).parent / "lib"  # what the package's get_lib_dir() gives, without importing it
        links = [f"-L{folder}", f"-Wl,-rpath,{folder}", "-lscipy_openblas64_"]
        functions = [f"scipy_{each}64_" for each in kind.functions]
        yield FoundLibrary(name, (own, "-DASSAY_BLAS_64=1"), tuple(links), f"Python package {_WHEEL}"), functions


def _links(compiler: Compiler, library: FoundLibrary, functions: Sequence[str]) -> bool:
    """Whether a program that takes the addresses of `functions` can be linked."""
    folder = Path(tempfile.gettempdir()) / f"assay-library-{secrets.token_hex(8)}"  # the keeper's: gone in any case
    source, made = folder / "trial.cpp", folder / "trial"
    declared = "".join(f'extern "C" void {each}();' for each in functions)
    text = f"{declared} void (*volatile all[])() = {{{', '.join(functions)}}}; int main() {{ return !all[0]; }}"
    trial = replace(compiler, flags="-O0", libraries=library.links)
    words = ("sh", "-c", 'printf %s "$0" >"$1" && shift && exec "$@"', text, str(source))
    with leash.OutputFile() as said:
        ended = leash.run(
            [leash.Command((*words, *trial.command(source, made, folder, {})), said.path, said.path)],
            timeout=_ANSWERS_WITHIN,
            environment=launch_environment(os.environ) | dict(compiler.environment),
            scratch=[folder],
        )
    return not ended.missing and not ended.timed_out and not any(ended.statuses)
