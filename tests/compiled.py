"""Programs compiled for tests as a run compiles them; what they share, and our own programs, is kept between tests."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.benchmark.own import cache_root
from assay.benchmark.record import PlainProgram, programs_root, read_record
from assay.execute.build import build
from assay.execute.compiler import DEFAULT_FLAGS, Compiler, find_compiler
from assay.execute.mpi import Mpi, launch_environment
from assay.execute.units import SharedUnit, digest_of, includes, make, objects_of, shared

WARNINGS = ("-Wall", "-Wextra", "-Werror")
SANITIZERS = "-O0 -fsanitize=address,undefined -fno-sanitize-recover=all"
_WORLD = ("world", "world_jobs", "world_messages", "world_notes", "world_polling", "world_queues", "world_synchronous")
_WORLD += ("exposed", "groups", "mpich_1_2", "own_barrier", "recorder")
# What a native test of simulated ranks is compiled with.
WORLD_SOURCES = [Path(__file__).resolve().parent.parent / "core" / "ranks" / f"{name}.cpp" for name in _WORLD]


def kept(name: str, *flags: str, own: bool = True) -> Path:
    """Our node program `name` ("memory/latency") with its record's `own` flags, as a run has it, and `flags`."""
    record = read_record(programs_root() / f"{name.replace('-', '_')}.cpp")
    assert record is not None
    wished = (*(record.flags if own else ("-Wno-unknown-pragmas",)), *flags)
    units = {name: unit._replace(flags=(*unit.flags, *flags)) for name, unit in record.units.items()}
    program = PlainProgram(record.name, record.path, record.kind, flags=wished, libraries=record.libraries, units=units)
    return build([program], mpi=None)[record.name].path


def compile_to(
    out: Path, source: Path, *flags: str, base: str = DEFAULT_FLAGS, mpi: Mpi | None = None, more: Sequence[Path] = ()
) -> Path:
    """Compile `source`, which may lie anywhere, to `out`, with `flags` of its own beside `base`; `more`: other sources.

    Only what it shares with other programs, which is compiled with `base` alone, is kept.
    """
    root = programs_root()
    compiler, plain = (replace(find_compiler(mpi=each), flags=base) for each in (mpi, None))
    named = [Path(flag.split('"')[1]) for flag in flags if flag.startswith("-DASSAY_PROGRAM=")]
    _, sources = shared(includes([source, *more, *(root / each for each in named)], root), root)
    objects = objects_of(sources, root, cache_root() / "programs" / "units", compiler, plain, timeout=300)
    world = [
        each for each in more if each in WORLD_SOURCES
    ]  # as one: half of the time goes into headers that they share
    groups = [*([world] if world else []), *([each] for each in more if each not in world)]
    further = [_object(each, compiler, flags) for each in groups]
    command = compiler.command(source, out, root, {}, [*further, *objects])
    subprocess.run([*command, *flags], check=True, env=launch_environment(os.environ))
    return out


def _object(sources: Sequence[Path], compiler: Compiler, flags: Sequence[str]) -> Path:
    """The object of sources of the core, compiled once while nothing of the core or of the programs changes."""
    root, (*before, source) = programs_root(), sources
    own = [flag for flag in flags if not flag.startswith(("-D", "-I"))]  # those are of the test alone
    by = replace(compiler, flags=" ".join([compiler.flags, *own, f"-I{root.parent / 'core'}"]))
    key = digest_of(by, {*sources, *_sources()}, [each.stem for each in sources])
    unit = SharedUnit(source, by, cache_root() / "tests" / f"{source.stem}-{key}.o", before=tuple(before))
    make(unit, root, timeout=300)
    return unit.object


@functools.cache
def _sources() -> frozenset[Path]:
    root = programs_root()
    return frozenset(path for folder in (root, root.parent / "core") for path in folder.rglob("*.[ch]pp"))


def own_cache(folder: Path) -> Path:
    """`folder` as a cache of a test's own (ASSAY_CACHE) in which only what programs share is there already."""
    units = cache_root() / "programs" / "units"
    units.mkdir(parents=True, exist_ok=True)
    (folder / "programs").mkdir(parents=True)
    (folder / "programs" / "units").symlink_to(units)
    return folder
