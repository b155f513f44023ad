"""The sources below programs/ that belong to a program: one list, for runs and for the core.

Runs link a source to each program that includes the header of its name (units.py). The core is linked with those of its
rank programs; CMakeLists.txt runs this file as a script for them: `python source_list.py PROGRAMS OUT` writes a CMake
file. It uses the standard library only, for nothing is installed then.
"""

from __future__ import annotations

import functools
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
UNTIMED = "untimed.toml"  # next to the sources
_RECORD = re.compile(r'R"record\((.*?)\)record"', re.DOTALL)
_MAIN = re.compile(r'^int main\(|^extern "C" ', re.MULTILINE)  # a program, or a library that is loaded before one
_RANKS = ("ranks", "applications")  # folders of message-passing programs


class Untimed(NamedTuple):
    """Sources (below the programs) in which nothing is timed: one object, `name`, compiled at `level`."""

    name: str
    level: str
    sources: tuple[str, ...]


def untimed(root: Path) -> tuple[Untimed, ...]:
    """Read what is listed of the sources below `root`: nothing where there is no list.

    ValueError where the list names a file that is missing, or one twice, or a level other than -O1 and -Og.
    """
    listed = root / UNTIMED
    if not listed.is_file():
        return ()
    now = listed.stat()
    return _read(listed, now.st_mtime_ns, now.st_size)


@functools.lru_cache(maxsize=16)
def _read(listed: Path, changed: int, size: int) -> tuple[Untimed, ...]:
    table = tomllib.loads(listed.read_text(encoding="utf-8"))
    groups = tuple(Untimed(name, each["level"], tuple(each["sources"])) for name, each in table.items())
    seen = set[str]()
    for group in groups:
        if group.level not in ("-O1", "-Og"):
            raise ValueError(f"{listed}: {group.name}.level: no such level; got {group.level!r}, expected -O1 or -Og")
        for source in group.sources:
            if source in seen:
                raise ValueError(f"{listed}: {group.name}.sources: listed twice; got {source!r}, expected it once")
            if not (listed.parent / source).is_file():
                raise ValueError(f"{listed}: {group.name}.sources: no such file; got {source!r}, expected a source")
            seen.add(source)
    return groups


def rank_programs(root: Path) -> list[str]:
    """The headers of message-passing programs, below `root`: those with a record."""
    headers = sorted(path for folder in _RANKS for path in (root / folder).glob("*.hpp"))
    return [str(path.relative_to(root)) for path in headers if _RECORD.search(path.read_text(encoding="utf-8"))]


def mpi_library(root: Path) -> list[str]:
    """The sources of the MPI library of described machines, below `root`: its folders, and what
    takes the place of the functions that it lacks.
    """
    sources = [*(root / "mpi_library").glob("*/**/*.cpp"), *(root / "mpi_library").glob("missing.cpp")]
    return sorted({str(path.relative_to(root)) for path in sources} - set(mpi_fortran(root)))


def mpi_fortran(root: Path) -> list[str]:
    """The sources of MPI's Fortran functions over the C interface, below `root`."""
    return sorted(str(path.relative_to(root)) for path in (root / "mpi_library" / "fortran").glob("*.cpp"))


def fabric_provider(root: Path) -> list[str]:
    """The sources of the libfabric provider of described machines, below `root`."""
    shared = [root / "mpi_library" / "transport" / name for name in ("arena.cpp", "process.cpp", "transport.cpp")]
    return sorted(str(path.relative_to(root)) for path in (*(root / "libfabric").glob("*.cpp"), *shared))


def linked_sources(files: Iterable[Path], root: Path) -> list[str]:
    """The sources below `root` that belong to `files`: those next to the headers they include, directly or not."""
    seen, queue, found = set[Path](), [path.resolve() for path in files], list[str]()
    while queue:
        path = queue.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        if path.suffix == ".cpp" and root in path.parents:
            found.append(str(path.relative_to(root)))
        text = path.read_text(encoding="utf-8")
        for header in included(path, text, root):
            queue += [header, header.with_suffix(".cpp")]
        queue += [each.resolve() for each in _units(path, text, root)]
    return sorted(found)


def included(path: Path, text: str, root: Path) -> Iterator[Path]:
    """The files that `path`, of this text, includes: each in its own folder, else below `root`."""
    for name in INCLUDE.findall(text):
        there = next((each for each in (path.parent / name, root / name) if each.is_file()), None)
        if there is not None:
            yield there.resolve()


def unused_sources(root: Path) -> list[str]:
    """The sources below `root` that no program is linked with.

    A source is used that is a program (it has a record or a main function), that a record's `[unit.NAME]` names, that
    is next to a header of its name which another file includes, or that is of the MPI library or its provider.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.[ch]pp"))}
    used = {root / each for each in [*mpi_library(root), *mpi_fortran(root), *fabric_provider(root)]}
    for path, text in texts.items():
        wanted = (place / name for name in INCLUDE.findall(text) for place in (path.parent, root))
        used.update(source for each in wanted if (source := each.with_suffix(".cpp")) != path)
        used.update(_units(path, text, root))
        if _RECORD.search(text) or _MAIN.search(text):
            used.add(path)
    return [str(path.relative_to(root)) for path in texts if path.suffix == ".cpp" and path not in used]


def _units(path: Path, text: str, root: Path) -> list[Path]:
    """Where the sources of the record's `[unit.NAME]` may lie (units.unit_source)."""
    record = _RECORD.search(text)
    about = tomllib.loads(record[1]).get("unit", {}) if record else {}
    return [place / each["source"] for each in about.values() for place in (root, path.parent)]


def main(programs: str, out: str) -> None:
    """Write the list for CMake; a line on standard error and status 1 where a source has no user."""
    root = Path(programs).resolve()
    if unused := unused_sources(root):
        sys.exit(
            f"{root / unused[0]}: no program is linked with it; expected a record, a main function, a record's "
            f"[unit.NAME] with this source, or an included header of its name"
        )
    untimed(root)
    ranks = rank_programs(root)
    core = sorted((root.parent / "core").rglob("*.[ch]pp"))
    units = linked_sources([*core, *(root / each for each in ranks)], root)
    tests = linked_sources((root.parent / "tests" / "native").glob("*.test.cpp"), root)
    lists = {
        "RANK_FILES": ranks,
        "UNIT_SOURCES": [str(root / each) for each in units],
        "TEST_SOURCES": [str(root / each) for each in tests if each not in units],
    }
    text = "".join(f"set({name}\n{''.join(f'  {each}{chr(10)}' for each in files)})\n" for name, files in lists.items())
    Path(out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
