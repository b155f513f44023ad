"""Compiles benchmark programs with the user's own compiler, only those that a run needs, in parallel, and keeps them.

The key of a cached binary is a hash of its source and of all files of ours that it includes or links (units.py), of the
compiler and its version, the flags, the processor and the MPI. A binary comes to its place by a rename, so two builds
at once are safe.
"""

from __future__ import annotations

import functools
import os
import secrets
import shlex
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from assay import left_names, trusted
from assay.benchmark.own import cache_root, is_ours
from assay.benchmark.record import UnitSource, programs_root
from assay.benchmark.variants import Variant
from assay.errors import MeasurementError
from assay.execute import cache_content, process_tree
from assay.execute.compiler import Compiler, find_compiler, first_errors
from assay.execute.libraries import FoundLibrary, with_libraries
from assay.execute.mpi import Mpi, launch_environment
from assay.execute.units import (
    SharedUnit,
    digest_of,
    includes,
    make,
    objects_of,
    own_units,
    shared,
    unit_source,
    units_of,
)
from assay.execute.variants import compiler_of
from assay.execute.vectorised import Kernel, list_kernels

COMPILE_WITHIN = 300.0  # s, one program
OWN_FLAGS = "-Werror=unused-result -Werror=unused-value"  # a person's own: a forgotten co_await is no warning
_MPI_MAIN = Path("mpi") / "main.cpp"  # includes the program that ASSAY_PROGRAM names

Progress = Callable[[str], None]


class ProgramSource(Protocol):
    """What building needs of a benchmark: name, file, whether it passes messages (`ranks` or `node`).

    A `variant` (VariedProgram) gives by which compiler and with which flags its units are compiled.
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

    @property
    def flags(self) -> tuple[str, ...]:
        """Of the program itself, such as -fopenmp: each is used where the compiler has it."""

    @property
    def libraries(self) -> Sequence[str]:
        """What is linked where it is found (libraries.py), such as `blas`."""

    @property
    def units(self) -> Mapping[str, UnitSource]:
        """Further sources, which are compiled by themselves and linked (units.py, own_units)."""

    @property
    def machine(self) -> str | None:
        """The header with the communicator that a message-passing program needs on a real machine, such as
        `mpi/files.hpp` (programs/mpi/main.cpp).
        """


@dataclass(frozen=True)
class BuiltVariant:
    """What a program's kernels were made by: the compiler and the command of each."""

    compiler: str
    version: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Built:
    """A binary and what it was made by; `cached`: it was there before, `seconds` of compiling otherwise.

    `vectorised`: the vector widths of separately compiled kernels, where there is a disassembler.
    """

    path: Path
    compiler: str
    flags: str
    key: str
    cached: bool
    seconds: float
    libraries: tuple[FoundLibrary, ...] = ()
    variant: BuiltVariant | None = None
    vectorised: tuple[Kernel, ...] | None = None


def build(
    benchmarks: Sequence[ProgramSource],
    *,
    mpi: Mpi | None,
    progress: Progress = lambda text: None,
    root: Path | None = None,
    timeout: float = COMPILE_WITHIN,
    cache: Path | None = None,
    by: Compiler | None = None,
) -> dict[str, Built]:
    """Compile what is not there yet; `mpi` compiles those of kind `ranks`, where given with the compiler `by` behind
    its wrapper. Returns the binaries by benchmark.

    MeasurementError names the compiler's first errors and its command, or what is missing or hangs.
    """
    root = root or programs_root()
    if mpi is None and any(b.kind == "ranks" for b in benchmarks):
        names = ", ".join(b.name for b in benchmarks if b.kind == "ranks")
        raise MeasurementError(
            f"{names}: message-passing programs need an MPI: load the site's module, or put its mpicxx and mpiexec on "
            "PATH, or `pip install 'assay[mpi]'` for one node"
        )
    folder = cache_content.binaries("binaries", cache)
    left_names.clear(folder, ".")
    left_names.clear(folder / "units", ".")
    compilers = {kind: find_compiler(mpi=mpi if kind == "ranks" else None) for kind in {b.kind for b in benchmarks}}
    plain = {kind: _plain(compiler) for kind, compiler in compilers.items()}
    compilers |= {} if by is None else {"ranks": by}
    plans, units = list[_Plan](), dict[Path, Future[None]]()
    with ThreadPoolExecutor(max_workers=max(1, len(os.sched_getaffinity(0)))) as pool:
        # Units come first in the queue: a program that waits for one waits for another worker, never for itself. They
        # are compiled while flags and libraries of the next programs are tried, one after another.
        try:
            for each in benchmarks:
                plans.append(_plan(each, compilers[each.kind], plain[each.kind], root, folder))
                for unit in _missing(plans[-1], units):
                    if not units:
                        by = unit.compiler
                        progress(f"compiling what programs share ({by.identity}, {by.flags})")
                    units[unit.object] = pool.submit(make, unit, root, timeout)
            longest_first = sorted(plans, key=lambda plan: plan.bytes, reverse=True)  # or the last is compiled alone
            made = pool.map(lambda plan: _one(plan, units, root, folder, timeout, progress), longest_first)
            # A disassembler reads the kernels of one program while the next ones are compiled.
            widths = [(plan.name, pool.submit(_widths, plan, units)) for plan in longest_first if plan.apart]
            by_name = dict(zip([plan.name for plan in longest_first], made, strict=True))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    built = {benchmark.name: by_name[benchmark.name] for benchmark in benchmarks}
    for name, found in widths:
        built[name] = replace(built[name], vectorised=found.result())
    for plan in plans:
        if plan.variant is not None:
            built[plan.name] = replace(built[plan.name], variant=_by_variant(plan, root))
    return built


def _widths(plan: _Plan, units: Mapping[Path, Future[None]]) -> tuple[Kernel, ...] | None:
    for unit in plan.apart:
        if unit.object in units:
            units[unit.object].result()
    return list_kernels({unit.name: unit.object for unit in plan.apart})


def _missing(plan: _Plan, begun: Mapping[Path, Future[None]]) -> Iterator[SharedUnit]:
    """What a program needs that is not there and not being compiled; nothing where the program is there."""
    for unit in plan.units if not is_ours(plan.program) else ():
        if unit.object not in begun and not is_ours(unit.object):
            yield unit


def _by_variant(plan: _Plan, root: Path) -> BuiltVariant:
    compiler = plan.apart[0].compiler
    commands = [unit.compiler.object_command(unit.source.relative_to(root), Path(unit.object.name), Path("programs"))
                if root in unit.source.parents else unit.compiler.object_command(unit.source, unit.object, root)
                for unit in plan.apart]  # fmt: skip
    version = compiler.version.partition("\n")[0]
    return BuiltVariant(compiler.identity, version, tuple(map(shlex.join, commands)))


def build_for_simulator(benchmark: ProgramSource, progress: Progress = lambda text: None) -> Path:
    """Compile a person's own program for described machines, against the simulator's headers; returns the library.

    MeasurementError names the compiler's first errors.
    """
    root, folder = programs_root(), cache_root() / "programs"
    core = next((each for each in (root.parent / "core", root.parent.parent / "core") if each.is_dir()), None)
    if core is None:
        raise MeasurementError(f"{benchmark.name}: the simulator's headers are missing from this installation")
    folder.mkdir(parents=True, exist_ok=True)
    trusted.check(folder)
    cache_content.mark_in_use(folder)
    compiler = find_compiler()
    compiler = replace(compiler, flags=f"-O2 -fPIC -ffp-contract=off {OWN_FLAGS} -I{shlex.quote(str(core))}")
    files, sources = shared(includes([benchmark.path, *sorted(core.glob("ranks/*.hpp"))], root), root)
    library = folder / f"{benchmark.name}-{digest_of(compiler, files)}.so"
    if is_ours(library):
        return library
    progress(f"compiling {benchmark.name} for described machines ({compiler.identity})")
    with tempfile.TemporaryDirectory(prefix=left_names.marked(f".{benchmark.name}-"), dir=folder) as scratch:
        source, fresh = Path(scratch) / "described.cpp", Path(scratch) / library.name
        source.write_text(
            f'#include "{benchmark.path}"\n#include "ranks/registry.hpp"\n'
            'extern "C" void assay_program(assay::described::Program* made) {\n'
            "  *made = assay::described::describe<assay::ranks::Program>();\n}\n"
        )
        objects = objects_of(sources, root, folder / "units", compiler, compiler, COMPILE_WITHIN)
        command = replace(compiler, flags=f"-shared {compiler.flags}").command(source, fresh, root, {}, objects)
        environment = launch_environment(os.environ) | {"TMPDIR": scratch}
        ended, log = process_tree.ask(command, timeout=COMPILE_WITHIN, environment=environment)
        if ended.missing or ended.timed_out or any(ended.statuses) or not fresh.exists():
            raise MeasurementError(
                f"{benchmark.name} does not compile for described machines: {first_errors(log)}; the command: "
                f"{shlex.join(command)}"
            )
        fresh.rename(library)
    return library


@dataclass(frozen=True)
class _Plan:
    """How one program is compiled: its source, what is linked to it, and where the binary goes.

    `bytes`: of its source and of every file of ours that it includes; the time of compiling goes by them.
    """

    name: str
    source: Path
    compiler: Compiler
    defines: dict[str, str]
    units: list[SharedUnit]
    key: str
    program: Path
    libraries: tuple[FoundLibrary, ...]
    apart: list[SharedUnit]
    variant: Variant | None
    bytes: int

    @property
    def title(self) -> str:
        """The program's own name."""
        return self.name if self.variant is None else self.name.partition("-compiler")[0]


def _plain(compiler: Compiler) -> Compiler:
    """The compiler without MPI's wrapper, for what knows nothing of MPI; the wrapper where there is none."""
    try:
        return find_compiler() if compiler.mpi else compiler
    except MeasurementError:
        return compiler


def _plan(benchmark: ProgramSource, compiler: Compiler, plain: Compiler, root: Path, folder: Path) -> _Plan:
    ranks = benchmark.kind == "ranks"
    source = root / _MPI_MAIN if ranks else benchmark.path
    named = benchmark.path.relative_to(root) if root in benchmark.path.parents else benchmark.path
    defines = {"ASSAY_PROGRAM": f'"{named}"'} if ranks else {}
    wished = benchmark.units
    apart = {unit_source(about, benchmark.path, root) for about in wished.values()}
    machine = [root / benchmark.machine] if ranks and benchmark.machine else []
    defines |= {"ASSAY_MACHINE": f'"{benchmark.machine}"'} if machine else {}
    included = includes([source, benchmark.path, *machine], root)
    size = sum(path.stat().st_size for path in included)
    files, sources = shared(included, root, apart)
    units = units_of(sources, root, folder / "units", compiler, plain)
    variant: Variant | None = getattr(benchmark, "variant", None)
    by = plain if variant is None else compiler_of(variant)
    own = own_units(wished, benchmark.path, root, folder / "units", by, _has)
    units += own
    wanted = benchmark.flags
    if wanted:  # for the program alone: what it shares with others was made without
        had = [flag for flag in wanted if _has(compiler, flag)]
        compiler = replace(compiler, flags=" ".join([compiler.flags, *had]))
    if root not in benchmark.path.parents:
        compiler = replace(compiler, flags=f"{compiler.flags} {OWN_FLAGS}")
    compiler, libraries = with_libraries(compiler, benchmark.libraries)
    key = digest_of(compiler, files, [unit.object.name for unit in own])
    program = folder / f"{benchmark.name}-{key}"
    return _Plan(benchmark.name, source, compiler, defines, units, key, program, libraries, own, variant, size)


def _one(
    plan: _Plan, units: Mapping[Path, Future[None]], root: Path, folder: Path, timeout: float, progress: Progress
) -> Built:
    name, compiler, key, program = plan.name, plan.compiler, plan.key, plan.program
    if is_ours(program):
        return Built(program, compiler.identity, compiler.flags, key, True, 0.0, plan.libraries)
    for unit in plan.units:
        if unit.object in units:
            units[unit.object].result()
    by = "" if plan.variant is None else f", its kernels by {plan.variant.compiler} {plan.variant.words}"
    progress(f"compiling {plan.title} ({compiler.identity}, {compiler.flags}{by})")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=left_names.marked(f".{name}-"), dir=folder) as scratch:
        fresh = Path(scratch) / name
        command = compiler.command(plan.source, fresh, root, plan.defines, [unit.object for unit in plan.units])
        compiler.make(name, command, fresh, timeout)
        fresh.rename(program)
    return Built(program, compiler.identity, compiler.flags, key, False, time.monotonic() - began, plan.libraries)


@functools.lru_cache(maxsize=64)
def _has(compiler: Compiler, flag: str) -> bool:
    """Whether a whole program can be made with `flag`; a program without it reports what it skips."""
    folder = (
        Path(tempfile.gettempdir()) / f"assay-flag-{secrets.token_hex(8)}"
    )  # the supervisor's: gone however this ends
    source = folder / "empty.cpp"
    command = replace(compiler, flags=f"{compiler.flags} {flag}").command(source, folder / "empty", folder, {})
    words = ("sh", "-c", 'echo "int main() {}" >"$0" && exec "$@"', str(source), *command)
    with process_tree.OutputFile() as log:
        ended = process_tree.run(
            [process_tree.Command(words, log.path, log.path)],
            timeout=COMPILE_WITHIN,
            environment=launch_environment(os.environ) | dict(compiler.environment) | {"TMPDIR": str(folder)},
            scratch=[folder],
        )
    return not ended.missing and not ended.timed_out and not any(ended.statuses)
