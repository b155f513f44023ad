"""Compiles benchmark programs with the user's own compiler, only those that a run needs, in parallel, and keeps them.

The key of a kept binary is a hash of its source and of every header of ours that it includes, of the compiler and its
version, the flags, the processor and the MPI. A binary comes to its place by a rename, so two builds at once are safe.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shlex
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from assay.benchmark.own import cache_root
from assay.benchmark.record import programs_root
from assay.errors import MeasurementError
from assay.execute import leash
from assay.execute.compiler import Compiler, find_compiler, first_errors
from assay.execute.mpi import Mpi, launch_environment

COMPILE_WITHIN = 300.0  # s, one program
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
_MPI_MAIN = Path("mpi") / "main.cpp"  # includes the program that ASSAY_PROGRAM names

Progress = Callable[[str], None]


class Source(Protocol):
    """What building needs of a benchmark: name, file, whether it passes messages (`ranks` or `node`).

    A record may say `flags = ["-fopenmp"]` (`Benchmark.extra`): each is used where the compiler has it.
    """

    @property
    def name(self) -> str:
        """The benchmark's name."""

    @property
    def path(self) -> Path:
        """The file that holds it."""

    @property
    def kind(self) -> str:
        """`node` or `ranks`."""


@dataclass(frozen=True)
class Built:
    """A binary and what it was made by; `cached`: it was there before, `seconds` of compiling otherwise."""

    path: Path
    compiler: str
    flags: str
    key: str
    cached: bool
    seconds: float


def build(
    benchmarks: Sequence[Source],
    *,
    mpi: Mpi | None,
    progress: Progress = lambda text: None,
    root: Path | None = None,
    timeout: float = COMPILE_WITHIN,
    cache: Path | None = None,
) -> dict[str, Built]:
    """Compile what is not there yet; `mpi` compiles those of kind `ranks`. Returns the binaries by benchmark.

    MeasurementError names the compiler's first errors and its command, or what is missing or hangs.
    """
    root, folder = root or programs_root(), (cache or cache_root()) / "programs"
    if mpi is None and any(b.kind == "ranks" for b in benchmarks):
        names = ", ".join(b.name for b in benchmarks if b.kind == "ranks")
        raise MeasurementError(
            f"{names}: message-passing programs need an MPI: load the site's module, or put its mpicxx and mpiexec on "
            "PATH, or `pip install 'assay[mpi]'` for one node"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MeasurementError(f"binaries cannot be kept in {folder}: {error.strerror}; set ASSAY_CACHE") from None
    compilers = {kind: find_compiler(mpi=mpi if kind == "ranks" else None) for kind in {b.kind for b in benchmarks}}

    def one(benchmark: Source) -> Built:
        return _one(benchmark, compilers[benchmark.kind], root, folder, timeout, progress)

    with ThreadPoolExecutor(max_workers=max(1, len(os.sched_getaffinity(0)))) as pool:
        return dict(zip([b.name for b in benchmarks], pool.map(one, benchmarks), strict=True))


def build_for_simulator(benchmark: Source, progress: Progress = lambda text: None) -> Path:
    """Compile a person's own program for described machines, against the simulator's headers; returns the library.

    MeasurementError names the compiler's first errors.
    """
    root, folder = programs_root(), cache_root() / "programs"
    core = next((each for each in (root.parent / "core", root.parent.parent / "core") if each.is_dir()), None)
    if core is None:
        raise MeasurementError(f"{benchmark.name}: the simulator's headers are missing from this installation")
    folder.mkdir(parents=True, exist_ok=True)
    compiler = find_compiler()
    digest = hashlib.sha256(compiler.key().encode())
    for path in sorted(
        includes([benchmark.path, core / "ranks" / "registry.hpp"], root) | set(core.glob("ranks/*.hpp"))
    ):
        digest.update(f"\n{path}\n".encode() + path.read_bytes())
    library = folder / f"{benchmark.name}-{digest.hexdigest()[:20]}.so"
    if library.exists():
        return library
    progress(f"compiling {benchmark.name} for described machines ({compiler.identity})")
    with tempfile.TemporaryDirectory(prefix=f".{benchmark.name}-", dir=folder) as scratch:
        source, fresh = Path(scratch) / "described.cpp", Path(scratch) / library.name
        source.write_text(
            f'#include "{benchmark.path}"\n#include "ranks/registry.hpp"\n'
            'extern "C" void assay_program(assay::described::Program* made) {\n'
            "  *made = assay::described::describe<assay::ranks::Program>();\n}\n"
        )
        flags = f"-O2 -shared -fPIC -ffp-contract=off -I{shlex.quote(str(core))}"
        command = replace(compiler, flags=flags).command(source, fresh, root, {})
        ended, said = leash.ask(command, timeout=COMPILE_WITHIN, environment=launch_environment(os.environ))
        if ended.missing or ended.timed_out or any(ended.statuses) or not fresh.exists():
            raise MeasurementError(
                f"{benchmark.name} does not compile for described machines: {first_errors(said)}; the command: "
                f"{shlex.join(command)}"
            )
        fresh.rename(library)
    return library


def _one(benchmark: Source, compiler: Compiler, root: Path, folder: Path, timeout: float, progress: Progress) -> Built:
    ranks = benchmark.kind == "ranks"
    source = root / _MPI_MAIN if ranks else benchmark.path
    named = benchmark.path.relative_to(root) if root in benchmark.path.parents else benchmark.path
    defines = {"ASSAY_PROGRAM": f'"{named}"'} if ranks else {}
    wanted = tuple(getattr(benchmark, "extra", {}).get("flags", ()))
    if wanted:
        had = [flag for flag in wanted if _has(compiler, flag)]
        compiler = replace(compiler, flags=" ".join([compiler.flags, *had]))
    digest = hashlib.sha256(compiler.key().encode())
    for path in sorted(includes([source, benchmark.path], root)):
        digest.update(f"\n{path}\n".encode() + path.read_bytes())
    key = digest.hexdigest()[:20]
    program = folder / f"{benchmark.name}-{key}"
    if program.exists():
        return Built(program, compiler.identity, compiler.flags, key, True, 0.0)
    progress(f"compiling {benchmark.name} ({compiler.identity}, {compiler.flags})")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f".{benchmark.name}-", dir=folder) as scratch:
        fresh = Path(scratch) / benchmark.name
        command = compiler.command(source, fresh, root, defines)
        environment = launch_environment(os.environ) | dict(compiler.environment)
        ended, said = leash.ask(command, timeout=timeout, environment=environment)
        shown = shlex.join(command)
        if ended.missing:
            raise MeasurementError(f"{benchmark.name}: `{command[0]}` could not be started: {ended.missing}")
        if ended.timed_out:
            raise MeasurementError(f"{benchmark.name}: the compiler gave no end in {timeout:g} s: {shown}")
        if any(ended.statuses) or not fresh.exists():
            raise MeasurementError(f"{benchmark.name} does not compile: {first_errors(said)}; the command: {shown}")
        fresh.rename(program)
    return Built(program, compiler.identity, compiler.flags, key, False, time.monotonic() - began)


@functools.lru_cache(maxsize=64)
def _has(compiler: Compiler, flag: str) -> bool:
    """Whether a whole program can be made with `flag`; a program without it says itself what it must leave out."""
    with tempfile.TemporaryDirectory(prefix="assay-flag-") as scratch:
        source = Path(scratch) / "empty.cpp"
        source.write_text("int main() {}\n")
        command = replace(compiler, flags=f"{compiler.flags} {flag}").command(
            source, Path(scratch) / "empty", Path(scratch), {}
        )
        environment = launch_environment(os.environ) | dict(compiler.environment)
        ended, _ = leash.ask(command, timeout=COMPILE_WITHIN, environment=environment)
        return not ended.missing and not ended.timed_out and not any(ended.statuses)


def includes(sources: Sequence[Path], root: Path) -> set[Path]:
    """`sources` and every file that they include, directly or not, beside themselves or below `root`.

    What a conditional leaves out is counted too: a needless rebuild is cheaper than a stale binary.
    """
    found: set[Path] = set()
    queue = [path.resolve() for path in sources]
    while queue:
        path = queue.pop()
        if path in found:
            continue
        if not path.is_file():
            raise MeasurementError(f"{path}: the program's source is missing")
        found.add(path)
        queue.extend(_included(path, root))
    return found


def _included(path: Path, root: Path) -> Iterator[Path]:
    for name in _INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
        for candidate in (path.parent / name, root / name):
            if candidate.is_file():
                yield candidate.resolve()
                break
