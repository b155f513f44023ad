"""Optional libraries of a program: BLAS, LAPACK, FFTW, found by trial links.

A record names them (`libraries = ["blas"]`). A program compiled with one has the defines that its entry here states and
skips the cases of the library otherwise. The site's own come first (MKL where MKLROOT is set,
pkg-config, then what the linker finds: OpenBLAS, MKL, BLIS, the reference), then OpenBLAS as the Python package
scipy-openblas64 brings it, whose whole numbers have 64 bits and whose names are its own. A BLAS without LAPACK, as BLIS
alone, serves records with `blas` only.
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
from assay.execute import process_tree
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
    """A kind of library: its title, functions that a trial calls, the defines, how it is found and how installed."""

    title: str
    functions: tuple[str, ...]
    defines: tuple[str, ...]
    packages: tuple[str, ...]
    links: tuple[str, ...]
    install: str
    root: tuple[str, str] | None = None  # a variable that a site's module sets to a library's folder, and its link
    wheel: bool = False


_BLAS = (
    *("cblas_dgemm", "cblas_sgemm", "cblas_dgemv"),
    *("cblas_ddot", "cblas_sdot", "cblas_daxpy", "cblas_dscal"),
)
_BLAS_INSTALL = "apt-get install libopenblas-dev, or pip install scipy-openblas64"

KINDS: Mapping[str, _Kind] = {
    "blas": _Kind(
        title="BLAS",
        functions=_BLAS,
        defines=("-DASSAY_BLAS=1",),
        packages=("openblas",),
        links=("-lopenblas", "-lmkl_rt", "-lblis", "-lcblas -lblas", "-lblas"),
        install=_BLAS_INSTALL,
        root=("MKLROOT", "-lmkl_rt"),
        wheel=True,
    ),
    "lapack": _Kind(
        title="BLAS with LAPACK",
        functions=(*_BLAS, "dgesv_", "dsyev_"),
        defines=("-DASSAY_BLAS=1", "-DASSAY_LAPACK=1"),
        packages=("openblas",),
        links=(
            *("-lopenblas", "-lmkl_rt", "-llapack -lblis", "-lflame -lblis"),
            *("-llapack -lcblas -lblas", "-llapack -lblas"),
        ),
        install=_BLAS_INSTALL,
        root=("MKLROOT", "-lmkl_rt"),
        wheel=True,
    ),
    "fftw": _Kind(
        title="FFTW",
        functions=("fftw_plan_dft_1d", "fftw_execute"),
        defines=("-DASSAY_FFTW=1",),
        packages=("fftw3",),
        links=("-lfftw3 -lm",),
        install="apt-get install libfftw3-dev",
    ),
}


def missing_message(name: str) -> str:
    """A line: a library is not installed, and what to install."""
    kind = KINDS[name]
    return f"no {kind.title} library was found: {kind.install}"


def refuse_missing(record: Benchmark, settings: Mapping[str, str], compiler: Compiler | None = None) -> None:
    """Refuse `--set code=library` where the record's library is not installed: InputError names the package."""
    if "library" not in [word.strip() for word in settings.get("code", "").split(",")]:
        return
    for name in record.libraries:
        if find(name, compiler or find_compiler()) is None:
            raise InputError(missing_message(name), key="parameter code", value=settings["code"], accepted="ours")


def with_libraries(compiler: Compiler, names: Sequence[str]) -> tuple[Compiler, tuple[FoundLibrary, ...]]:
    """The compiler with the flags and links of those of `names` that are here, and these."""
    tried = replace(compiler, flags="")  # no trial uses them: one answer for programs of different flags
    found = tuple(library for name in names if (library := find(name, tried)) is not None)
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


def find_here(name: str) -> FoundLibrary | None:
    """Find it for the compiler that is used where no other is named; MeasurementError where there is none."""
    return find(name, find_compiler())


def _candidates(name: str, kind: _Kind) -> Iterator[tuple[FoundLibrary, Sequence[str]]]:
    """Where a library may be, the site's own first, and the functions that it must have."""
    if kind.root and (chosen := os.environ.get(kind.root[0])):
        places = [str(place) for each in ("lib", "lib/intel64") if (place := Path(chosen) / each).is_dir()]
        where = tuple(word for place in places for word in (f"-L{place}", f"-Wl,-rpath,{place}"))
        yield FoundLibrary(name, kind.defines, (*where, kind.root[1]), f"{kind.root[0]}={chosen}"), kind.functions
    for package in kind.packages:
        ended, output = process_tree.ask(["pkg-config", "--cflags", "--libs", package], timeout=_ANSWERS_WITHIN)
        if not ended.missing and not ended.timed_out and not any(ended.statuses):
            words = shlex.split(output)
            flags = [word for word in words if word.startswith(("-I", "-D"))]
            links = tuple(word for word in words if word not in flags)
            yield FoundLibrary(name, (*kind.defines, *flags), links, f"pkg-config {package}"), kind.functions
    for text in kind.links:
        yield FoundLibrary(name, kind.defines, tuple(text.split()), text), kind.functions
    spec = importlib.util.find_spec(_WHEEL) if kind.wheel else None
    if spec is not None and spec.origin:
        wheel = Path(spec.origin).parent
        folder = wheel / "lib"  # what the package's get_lib_dir() gives, without importing it
        where = (f"-L{folder}", f"-Wl,-rpath,{folder}", "-lscipy_openblas64_")
        own = (*kind.defines, "-DASSAY_BLAS_64=1", f"-I{wheel / 'include'}")
        functions = [f"scipy_{each}64_" for each in kind.functions]
        yield FoundLibrary(name, own, where, f"Python package {_WHEEL}"), functions


def _links(compiler: Compiler, library: FoundLibrary, functions: Sequence[str]) -> bool:
    """Whether a program that takes the addresses of `functions` can be linked."""
    folder = Path(tempfile.gettempdir()) / f"assay-library-{secrets.token_hex(8)}"  # the supervisor's: gone in any case
    source, made = folder / "trial.cpp", folder / "trial"
    declared = "".join(f'extern "C" void {each}();' for each in functions)
    text = f"{declared} void (*volatile all[])() = {{{', '.join(functions)}}}; int main() {{ return !all[0]; }}"
    trial = replace(compiler, flags="-O0", libraries=library.links)
    words = ("sh", "-c", 'printf %s "$0" >"$1" && shift && exec "$@"', text, str(source))
    with process_tree.OutputFile() as output:
        ended = process_tree.run(
            [process_tree.Command((*words, *trial.command(source, made, folder, {})), output.path, output.path)],
            timeout=_ANSWERS_WITHIN,
            environment=launch_environment(os.environ) | dict(compiler.environment) | {"TMPDIR": str(folder)},
            scratch=[folder],
        )
    return not ended.missing and not ended.timed_out and not any(ended.statuses)
