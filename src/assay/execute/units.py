"""What programs share and need not each compile: a source with a header of its name next to it.

`timing/options.cpp` belongs to every program that includes `timing/options.hpp`, directly or not. It is compiled once
for its sources, the compiler and the flags; the object is stored with the binaries and comes to its place by a rename.
Sources in which nothing is timed are listed in `programs/untimed.toml`: those of one table are compiled together as one
object, at its level instead of -O2 or -O3. That takes a quarter of the time, since most of it goes into headers that
they share.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from assay import left_names, trusted
from assay.benchmark.own import is_ours
from assay.benchmark.sections import UnitSource
from assay.errors import MeasurementError
from assay.execute.compiler import Compiler
from assay.execute.source_list import INCLUDE, Untimed, included, untimed


@dataclass(frozen=True)
class SharedUnit:
    """A shared source, the compiler that makes its object, and its place; `name`: in the program's record.

    `before`: sources that are compiled with it, as if they stood in it before all else.
    """

    source: Path
    compiler: Compiler
    object: Path
    name: str = ""
    before: tuple[Path, ...] = ()


def digest_of(compiler: Compiler, files: set[Path], linked: Sequence[str] = (), root: Path | None = None) -> str:
    """The key of what `compiler` makes of `files`, 20 hexadecimal digits; `linked`: names of objects that join it.

    Files below `root` count by their place in it: another copy of the programs gives the same key.
    """
    digest = hashlib.sha256("\n".join([compiler.key(), *linked]).encode())
    for path in sorted(files):
        place = path.relative_to(root) if root is not None and root in path.parents else path
        digest.update(f"\n{place}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:20]


def shared(files: set[Path], root: Path, apart: Collection[Path] = ()) -> tuple[set[Path], list[Path]]:
    """`files` (a program and all it includes) with the sources linked to it and what those include; those sources.

    `apart`: sources that the program's record has compiled by themselves.
    """
    below, every, units, groups = root.resolve(), set(files), list[Path](), set[Untimed]()
    queue = sorted(files)
    while queue:
        source = queue.pop().with_suffix(".cpp")
        if source in every or source in apart or below not in source.parents or not source.is_file():
            continue
        units.append(source)
        new = includes([source], root) - every
        every |= new
        queue.extend(sorted(new))
        if (group := _group(source, below)) and group not in groups:
            groups.add(group)
            queue.extend(each for each in (below / name for name in group.sources) if each not in apart)
    return every, sorted(units)


def units_of(
    sources: Sequence[Path], root: Path, folder: Path, compiler: Compiler, plain: Compiler
) -> list[SharedUnit]:
    """The units of `sources`, their objects in `folder`; `plain` compiles those that know nothing of MPI.

    Those in which nothing is timed stand last: of an inline function that several objects hold the first one is linked.
    """
    made = []
    timed, together = list[list[Path]](), dict[Untimed, list[Path]]()
    for source in sources:
        if group := _group(source, root.resolve()):
            together.setdefault(group, []).append(source)
        else:
            timed.append([source])
    for listed, joined in (*((None, each) for each in timed), *together.items()):
        files = includes(joined, root)
        mpi = any("mpi.h" in INCLUDE.findall(path.read_text(errors="replace")) for path in files)
        by = _for_objects(compiler if mpi or plain.release != compiler.release else plain)
        *before, last = joined
        name = f"{last.parent.name}-{last.stem}"
        if listed:
            by = replace(by, flags=re.sub(r"(?<!\S)-O[23](?!\S)", _less(by, listed.level), by.flags))
            name = f"{listed.name}-untimed" if before else name
        made.append(
            SharedUnit(last, by, folder / f"{name}-{digest_of(by, files, root=root.resolve())}.o", before=tuple(before))
        )
    return made


def _less(compiler: Compiler, level: str) -> str:
    """Optimisation of what is not timed: of `level`, -O1 or -Og.

    g++ clears the upper halves of vector registers behind its own use of them (vzeroupper) from -O2 on, with this flag
    at -O1 and -Og, too. Left set, they made each call of a C library without AVX, such as exp, 13 times as slow on a
    Granite Rapids, in whatever ran next on that thread, timed or not. clang++ clears them at every level.
    """
    return f"{level} -fexpensive-optimizations" if compiler.identity.startswith("g++") else level


def _group(source: Path, root: Path) -> Untimed | None:
    """The table of `programs/untimed.toml` that lists `source`; None where something in it may be timed."""
    try:
        named = str(source.relative_to(root)) if source.is_relative_to(root) else ""
        return next((group for group in untimed(root) if named in group.sources), None)
    except ValueError as error:
        raise MeasurementError(str(error)) from None


def _for_objects(compiler: Compiler) -> Compiler:
    """The compiler without what only linking depends on: objects are the same whatever is linked to them."""
    kept = tuple((name, value) for name, value in compiler.environment if name != "LDFLAGS")
    return replace(compiler, environment=kept, libraries=())


def own_units(
    wished: Mapping[str, UnitSource],
    program: Path,
    root: Path,
    folder: Path,
    compiler: Compiler,
    has: Callable[[Compiler, str], bool],
) -> list[SharedUnit]:
    """The further sources of one program, from its record's `[unit.NAME]`: each with a `source` and `flags` of its own.

    A measured kernel is compiled separately: its flags affect neither clock, nor sampler, nor check; they
    must stand last where objects are linked: of an inline function that several objects hold the first one is taken.
    One source may have several names; it lies in the program's folder, or below `root`. Flags that the compiler
    lacks are left out, as a program's own are (`has`).
    """
    made = []
    every = list(dict.fromkeys(flag for about in wished.values() for flag in about.flags))
    has_all = not every or has(compiler, " ".join(every))  # one trial instead of one a flag, where it has them all
    for name, about in wished.items():
        source = unit_source(about, program, root)
        flags = [flag for flag in about.flags if has_all or has(compiler, flag)]
        by = replace(compiler, flags=" ".join([compiler.flags, *flags]))
        digest = digest_of(by, includes([source], root))
        made.append(SharedUnit(source, by, folder / f"{source.parent.name}-{source.stem}-{name}-{digest}.o", name))
    return made


def unit_source(about: UnitSource, program: Path, root: Path) -> Path:
    """Where the source of a `[unit.NAME]` lies; MeasurementError where it is missing."""
    for folder in (root, program.parent):
        source = Path(folder, about.source)
        if source.is_file():
            return source.resolve()
    raise MeasurementError(f"{program}: [unit] source = {about.source!r}: no such file by it or below {root}")


def make(unit: SharedUnit, root: Path, timeout: float) -> None:
    """Compile a unit that is not there yet; MeasurementError names the compiler's first errors and its command."""
    if is_ours(unit.object):
        return
    name = f"{unit.source.parent.name}/{unit.source.name}" + (f" and {len(unit.before)} more" if unit.before else "")
    unit.object.parent.mkdir(parents=True, exist_ok=True)
    trusted.check(unit.object.parent)
    with (
        _alone(unit.object),
        tempfile.TemporaryDirectory(prefix=left_names.marked(".unit-"), dir=unit.object.parent) as scratch,
    ):
        if is_ours(unit.object):  # another process made it meanwhile
            return
        fresh = Path(scratch) / unit.object.name
        command = unit.compiler.object_command(unit.source, fresh, root, unit.before)
        unit.compiler.make(name, command, fresh, timeout)
        fresh.rename(unit.object)


@contextmanager
def _alone(made: Path) -> Iterator[None]:
    """Keep other processes from making the same file; its lock file goes with the lock, and a kill releases it."""
    lock = made.with_name(f".{made.name}.lock")
    with lock.open("w") as held:
        with suppress(OSError):  # a file system without locks: made twice, and the same
            fcntl.flock(held, fcntl.LOCK_EX)
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def objects_of(
    sources: Sequence[Path], root: Path, folder: Path, compiler: Compiler, plain: Compiler, timeout: float
) -> list[Path]:
    """Compile those units of `sources` that are not there yet, several at once; returns the objects of all."""
    units = units_of(sources, root, folder, compiler, plain)
    with ThreadPoolExecutor(max_workers=max(1, len(os.sched_getaffinity(0)))) as pool:
        list(pool.map(lambda unit: make(unit, root, timeout), units))
    return [unit.object for unit in units]


def includes(sources: Sequence[Path], root: Path) -> set[Path]:
    """`sources` and every file that they include, directly or not, in their folders or below `root`.

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


def _included(path: Path, root: Path) -> tuple[Path, ...]:
    stands = path.stat()
    return _read_included(path, root, stands.st_mtime_ns, stands.st_size)


@functools.lru_cache(maxsize=4096)
def _read_included(path: Path, root: Path, changed: int, size: int) -> tuple[Path, ...]:
    """Read what a file includes; once while it is unchanged, for programs share most of what they include."""
    return tuple(included(path, path.read_text(encoding="utf-8", errors="replace"), root))
