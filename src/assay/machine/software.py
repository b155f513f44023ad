"""Software that measuring needs: compilers and whether they take C++20, MPI, BLAS, LAPACK, FFTW, MPFR, hwloc.

Each compiler must check ten lines with a coroutine in them; a version number alone proves nothing. All queries
run at once, each with a limit on its time.
"""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from pydantic import Field

from assay.errors import AssayError
from assay.machine import reading
from assay.machine.program_query import answer

COMPILERS = ("g++", "clang++", "c++", "icpx", "nvc++", "amdclang++", "armclang++", "FCC")
PROBE = """#include <concepts>
#include <coroutine>
template <std::integral T> constexpr T twice(T x) { return x + x; }
static_assert(twice(2) == 4);
std::suspend_never nothing() { return {}; }
"""
BLAS = {
    "libopenblas": "OpenBLAS",
    "libmkl_rt": "Intel MKL",
    "libblis": "BLIS",
    "libarmpl": "Arm Performance Libraries",
    "libnvpl_blas": "NVPL",
    "libsci_": "Cray LibSci",
    "libcblas": "CBLAS",
    "libblas": "reference BLAS",
}

Answer = Callable[[Sequence[str], str | None], tuple[int, str]]
"""Runs a command with text on its standard input; its status (127 not there, 124 too slow) and its output."""


class InstalledCompiler(reading.HostPart):
    """A C++ compiler; `cxx20` is whether it accepts concepts and coroutines."""

    command: str
    path: str | None = None
    version: str | None = None
    cxx20: bool = False
    chosen_by: str | None = None


class FoundMpi(Protocol):
    """What `execute.mpi` finds; this room may not import that one, so the finder is handed in."""

    @property
    def mpicxx(self) -> str:
        """The compiler wrapper."""

    @property
    def mpiexec(self) -> str:
        """The starter."""

    @property
    def implementation(self) -> str:
        """Its name."""

    @property
    def version(self) -> str:
        """Its version."""

    @property
    def embedded(self) -> bool:
        """Whether it is the wheel in this environment."""


FindMpi = Callable[[], FoundMpi | None]


class LinkedLibrary(Protocol):
    """What `execute.libraries` finds: a library that programs would be linked with."""

    @property
    def origin(self) -> str:
        """Where it was found."""


FindLibrary = Callable[[str], LinkedLibrary | None]
"""Finds `lapack` or `fftw`, as builds do; AssayError where that is unknown."""
LIBRARIES = {"lapack": "LAPACK", "fftw": "FFTW", "mpfr": "MPFR"}
LOADED = {"mpfr": "libmpfr.so.6"}  # opened by the programs that use it, under this name; the others are linked


class InstalledMpi(reading.HostPart):
    """The MPI that programs would be compiled and started with; all None, and a note, where it does not answer."""

    mpicxx: str | None = None
    mpiexec: str | None = None
    implementation: str | None = None
    version: str | None = None
    embedded: bool = False


class Library(reading.HostPart):
    """A library found, and where: a path of the site or a package of this Python."""

    name: str
    where: str
    headers: bool | None = None


class Software(reading.HostPart):
    """What is installed here; `libraries` has lapack, fftw and mpfr where these were looked for, None for none here."""

    compilers: tuple[InstalledCompiler, ...] = ()
    mpi: InstalledMpi | None = None
    blas: tuple[Library, ...] = ()
    libraries: dict[str, Library | None] = Field(default_factory=dict)
    hwloc: str | None = None
    tools: tuple[str, ...] = ()

    @property
    def compiler(self) -> InstalledCompiler | None:
        """The compiler that programs are built with: CXX where it is set, else g++, clang++ or c++; it takes C++20."""
        named = [each for each in self.compilers if each.chosen_by]
        usual = [each for each in self.compilers if each.command in COMPILERS[:3]]
        return next((each for each in named or usual if each.cxx20), None)


def software(
    root: Path = Path("/"),
    environment: Mapping[str, str] = os.environ,
    ask: Answer = answer,
    which: Callable[[str], str | None] = shutil.which,
    find_mpi: FindMpi | None = None,
    find_library: FindLibrary | None = None,
    loads: Callable[[str], bool] | None = None,
) -> Software:
    """Find compilers, MPI, BLAS, other libraries and hwloc, all at once.

    Without `find_mpi` there is no MPI in the result, without `find_library` no library other than BLAS; `loads`
    is whether the dynamic linker knows a library.
    """
    notes = []
    chosen = environment.get("CXX", "").strip()
    commands = {name: "" for name in COMPILERS if which(name)}
    if chosen:
        commands = {chosen: "CXX", **{name: "" for name in commands if name != chosen}}
    with ThreadPoolExecutor(max_workers=8) as pool:
        compilers = [pool.submit(_compiler, name, why, ask, which) for name, why in commands.items()]
        message_passing = pool.submit(_mpi, find_mpi)
        blas = pool.submit(_blas, root, environment, ask)
        libraries = pool.submit(_libraries, find_library, loads or _loads)
        hwloc = pool.submit(_hwloc, ask, which)
        found = tuple(each.result() for each in compilers)
        if chosen and not found[0].cxx20:
            notes.append(f"CXX={chosen} is not a compiler that takes C++20")
        return Software(
            compilers=_distinct(found),
            mpi=message_passing.result(),
            blas=blas.result(),
            libraries=libraries.result(),
            hwloc=hwloc.result(),
            tools=tuple(name for name in ("perf", "numactl", "taskset", "ssh", "git") if which(name)),
            notes=tuple(notes),
        )


def _distinct(found: tuple[InstalledCompiler, ...]) -> tuple[InstalledCompiler, ...]:
    """Without `c++` where it is another name of one already there."""
    real: dict[str, InstalledCompiler] = {}
    for each in found:
        real.setdefault(os.path.realpath(each.path) if each.path else each.command, each)
    return tuple(real.values())


def _compiler(command: str, why: str, ask: Answer, which: Callable[[str], str | None]) -> InstalledCompiler:
    try:
        words = shlex.split(command)
    except ValueError:
        words = [command]
    path = which(words[0]) if words else None
    if path is None:
        return InstalledCompiler(command=command, chosen_by=why or None, notes=("not found",))
    _, output = ask([*words, "--version"], None)
    status, complaint = ask([*words, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"], PROBE)
    return InstalledCompiler(
        command=command,
        path=path,
        version=next((line.strip() for line in output.splitlines() if line.strip()), None),
        cxx20=status == 0,
        chosen_by=why or None,
        notes=() if status == 0 else ("C++20 fails: " + (complaint.strip().splitlines() or ["no answer"])[0][:160],),
    )


def _mpi(find: FindMpi | None) -> InstalledMpi | None:
    if find is None:
        return None
    try:
        found = find()
    except (AssayError, OSError) as error:
        return InstalledMpi(notes=(str(error),))
    if found is None:
        return None
    return InstalledMpi(
        mpicxx=found.mpicxx,
        mpiexec=found.mpiexec,
        implementation=found.implementation,
        version=found.version,
        embedded=found.embedded,
    )


def _blas(root: Path, environment: Mapping[str, str], ask: Answer) -> tuple[Library, ...]:
    found: dict[str, Library] = {}
    _, output = ask(["/sbin/ldconfig", "-p"], None) if root == Path("/") else (127, "")
    headers = any((root / folder).exists() for folder in ("usr/include/cblas.h", "usr/include/openblas/cblas.h"))
    headers = headers or any((root / "usr/include").glob("*-linux-gnu/cblas.h"))
    for line in output.splitlines():
        name, arrow, path = line.strip().partition(" => ")
        for stem, called in BLAS.items():
            if arrow and re.match(re.escape(stem) + r"[\w-]*\.so", name) and called not in found:
                found[called] = Library(name=called, where=path, headers=headers)
    if (home := environment.get("MKLROOT")) and "Intel MKL" not in found:
        found["Intel MKL"] = Library(name="Intel MKL", where=home, headers=True)
    for package in ("scipy_openblas64", "scipy_openblas32"):
        if (spec := find_spec(package)) and spec.submodule_search_locations:
            where = spec.submodule_search_locations[0]
            found[package] = Library(name=f"OpenBLAS ({package} wheel)", where=where, headers=True)
    return tuple(found.values())


def _libraries(find: FindLibrary | None, loads: Callable[[str], bool]) -> dict[str, Library | None]:
    """Those that are looked for; one whose presence is unknown is left out."""
    if find is None:
        return {}
    found: dict[str, Library | None] = {}
    for key, name in LIBRARIES.items():
        if file := LOADED.get(key):
            found[key] = Library(name=name, where=file) if loads(file) else None
            continue
        try:
            library = find(key)
        except (AssayError, OSError):  # no compiler to link with
            continue
        found[key] = None if library is None else Library(name=name, where=library.origin)
    return found


def _loads(file: str) -> bool:
    try:
        ctypes.CDLL(file)
    except OSError:
        return False
    return True


def _hwloc(ask: Answer, which: Callable[[str], str | None]) -> str | None:
    command = which("lstopo-no-graphics") or which("hwloc-ls") or which("lstopo")
    if command is None:
        return None
    match = re.search(r"([\d.]+\w*)\s*$", ask([command, "--version"], None)[1].strip())
    return match[1] if match else "version unknown"
