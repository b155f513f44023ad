"""Programs compiled for tests as a run compiles them; each is kept while its sources and its compiler stay the same."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
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

    What it shares with other programs is compiled with `base` alone.
    """
    root = programs_root()
    compiler, plain = (replace(find_compiler(mpi=each), flags=base) for each in (mpi, None))
    named = [Path(flag.split('"')[1]) for flag in flags if flag.startswith("-DASSAY_PROGRAM=")]
    files, sources = shared(includes([source, *more, *(root / each for each in named)], root), root)
    for folder in (Path(flag.removeprefix("-I")) for flag in flags if flag.startswith("-I")):
        files |= includes(sorted(_sources(folder)), root)
    words = [flag for flag in flags if not flag.startswith("-DASSAY_PROGRAM=")] + [each.name for each in named]

    def make_it(fresh: Path) -> None:
        objects = objects_of(sources, root, cache_root() / "programs" / "units", compiler, plain, timeout=300)
        # those of the world as one: half of the time goes into headers that they share
        world = [each for each in more if each in WORLD_SOURCES]
        groups = [*([world] if world else []), *([each] for each in more if each not in world)]
        further = [_object(each, compiler, flags) for each in groups]
        command = compiler.command(source, fresh, root, {}, [*further, *objects])
        subprocess.run([*command, *flags], check=True, env=launch_environment(os.environ))

    return Path(shutil.copy(made_once(source.stem, _key(compiler, words, files), make_it), out))


def made_once(name: str, key: str, make_it: Callable[[Path], object]) -> Path:
    """The program NAME-KEY that tests compiled before; `make_it` writes it where there is none."""
    made = cache_root() / "tests" / f"{name}-{key}"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=made.parent) as scratch:
            make_it(Path(scratch) / name)
            Path(scratch, name).replace(made)
    return made


def _key(compiler: Compiler, flags: Sequence[str], files: set[Path]) -> str:
    """What a program depends on, as 20 hexadecimal digits: not where a test wrote its own sources."""
    checkout = programs_root().parent
    named = [(path.relative_to(checkout) if checkout in path.parents else Path(path.name), path) for path in files]
    digest = hashlib.sha256("\n".join([compiler.key(), *flags]).encode())
    for name, path in sorted(named):
        digest.update(f"\n{name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:20]


def _object(sources: Sequence[Path], compiler: Compiler, flags: Sequence[str]) -> Path:
    """The object of sources of the core, compiled once while nothing of the core or of the programs changes."""
    root, (*before, source) = programs_root(), sources
    own = [flag for flag in flags if not flag.startswith(("-D", "-I"))]  # those are of the test alone
    by = replace(compiler, flags=" ".join([compiler.flags, *own, f"-I{root.parent / 'core'}"]))
    every = {*sources, *_sources(root), *_sources(root.parent / "core")}
    key = digest_of(by, every, [each.stem for each in sources])
    unit = SharedUnit(source, by, cache_root() / "tests" / f"{source.stem}-{key}.o", before=tuple(before))
    make(unit, root, timeout=300)
    return unit.object


@functools.cache
def _sources(folder: Path) -> frozenset[Path]:
    return frozenset(folder.rglob("*.[ch]pp"))


def own_cache(folder: Path) -> Path:
    """`folder` as a cache of a test's own (ASSAY_CACHE) in which only what programs share is there already."""
    units = cache_root() / "programs" / "units"
    units.mkdir(parents=True, exist_ok=True)
    (folder / "programs").mkdir(parents=True)
    (folder / "programs" / "units").symlink_to(units)
    return folder
