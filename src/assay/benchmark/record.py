"""A benchmark's record: what a program says of itself, read from the program's own file without compiling it.

Each program under `programs/` holds one TOML text between `R"record(` and `)record"`, so that adding a benchmark is one
file. It is read here and nowhere else: a compiled program is started with its parameters' values (resolved.py). A
section with `from = "threads/parameters.hpp"` takes what it does not say itself from the section of its name in that
header's fragment, the text between `R"fragment(` and `)fragment"`. A `from` above all sections takes in
the same way the keys that stand above the fragment's sections.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from assay import former_names, input_file
from assay.benchmark import own, peers
from assay.benchmark.decoding import PROFILES, Keys, RecordError, Scalar, decode
from assay.benchmark.model import PARTS, Benchmark, PlainProgram
from assay.benchmark.parameter import REPETITIONS, SCRATCH, Parameter, shortened, spelled, spelled_defaults
from assay.benchmark.programs import programs_root
from assay.benchmark.sections import Figure, Metric, UnitSource
from assay.errors import InputError
from assay.toml import lines
from assay.toml.source import TomlTable, TomlValue, parse_toml

__all__ = ["PARTS", "PROFILES", "REPETITIONS", "SCRATCH", "Benchmark", "Figure", "Metric", "Parameter", "PlainProgram",
           "Scalar", "UnitSource", "programs_root", "shortened", "spelled",
           "spelled_defaults"]  # fmt: skip

_TEXT = re.compile(r'R"record\((.*?)\)record"', re.DOTALL)
_FRAGMENT = re.compile(r'R"fragment\((.*?)\)fragment"', re.DOTALL)
_NAME = re.compile(r'^name *= *"([^"]+)"', re.MULTILINE)
MPI_PROGRAM = "mpi-program"
_ANSWERS = re.compile(r"^answers_for *=", re.MULTILINE)


def read_record(path: Path) -> Benchmark | None:
    """Read one program's record; None where the file holds none. InputError names line, key, value and what is
    accepted.
    """
    found = _text(input_file.text(path))
    return None if found is None else _read(found, path)


class _Text(NamedTuple):
    """A record as it stands in its file, unparsed, and the line on which it begins."""

    toml: str
    line: int


def _text(code: str) -> _Text | None:
    found = _TEXT.search(code)
    return _Text(found.group(1), code.count("\n", 0, found.start(1)) + 1) if found else None


def _read(text: _Text, path: Path) -> Benchmark:
    try:
        return decode(Benchmark, _whole(parse_toml(text.toml, path, text.line), path), path=path)
    except RecordError as error:
        raise _located(error, text, path) from None


def _located(error: RecordError, text: _Text, path: Path) -> InputError:
    """The error with its file and line: where the key is, else where its section opens, else where the record does."""
    line = text.line - 1 + (lines.line_of(text.toml, error.keys) or 1)
    dotted = ".".join(error.keys)
    return InputError(error.problem, file=path, line=line, key=dotted, value=error.value, accepted=error.accepted)


def _whole(table: TomlTable, path: Path) -> TomlTable:
    """Fill in what the record and its sections take from fragments."""
    stated: TomlTable = {
        kind: {name: _taken((kind, name), section, path) for name, section in sections.items()}
        if isinstance(sections, dict)
        else sections
        for kind, sections in table.items()
        if kind != "from"
    }
    if "from" not in table:
        return stated
    shared = {key: value for key, value in _fragment(table["from"], path).items() if not isinstance(value, dict)}
    if not shared:
        raise RecordError("that file shares no keys above its sections", ("from",), table["from"])
    return shared | stated


def _taken(keys: Keys, section: TomlValue, path: Path) -> TomlValue:
    if not isinstance(section, dict) or "from" not in section:
        return section
    kind, name = keys
    of_kind = _fragment(section["from"], path).get(kind)
    shared = of_kind.get(name) if isinstance(of_kind, dict) else None
    if not isinstance(shared, dict):
        raise RecordError("that file shares no section of this name", (*keys, "from"), section["from"])
    return shared | {key: value for key, value in section.items() if key != "from"}


def _fragment(header: object, path: Path) -> TomlTable:
    """What a header beside a program, in a folder above it or below `programs/` shares; nothing if there is none."""
    found = next(
        (root / str(header) for root in (*path.parents, programs_root()) if (root / str(header)).is_file()), None
    )
    return {} if found is None else _shared(found, found.stat().st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _shared(header: Path, changed: int) -> TomlTable:
    """The fragment of a header as it was when it was last changed (ns)."""
    text = _FRAGMENT.search(header.read_text(encoding="utf-8"))
    return parse_toml(text.group(1), header) if text else {}


def _sources() -> Iterator[Path]:
    root = programs_root()
    yield from sorted(p for p in root.rglob("*") if p.suffix in (".cpp", ".hpp") and p.parent.name != "timing")


@functools.cache
def benchmarks() -> dict[str, Benchmark]:
    """All benchmarks by name, in the order of their parts."""
    found: dict[str, Benchmark] = {}
    for record in one_by_one():
        if record.name in found:
            raise InputError(f"two programs are called {record.name}", file=record.path)
        found[record.name] = record
    return dict(sorted(found.items(), key=lambda item: (PARTS.index(item[1].part), item[0])))


def one_by_one() -> Iterator[Benchmark]:
    """All benchmarks in the order of their files; each record is parsed when it is asked for: all of them take long."""
    for path in _texts():
        yield _record(path)


@functools.cache
def _record(path: Path) -> Benchmark:
    return _read(_texts()[path], path)


@functools.cache
def _texts() -> dict[Path, _Text]:
    """The text of each record, unparsed."""
    texts = ((path, _text(path.read_text(encoding="utf-8"))) for path in _sources())
    return {path: text for path, text in texts if text}


@functools.cache
def _places() -> dict[str, Path]:
    """Where the record of each name stands, by the line that says it: nothing is parsed."""
    named = ((path, _NAME.search(text.toml)) for path, text in _texts().items())
    return {name.group(1): path for path, name in named if name}


@functools.cache
def shipped(name: str) -> Benchmark | None:
    """One shipped benchmark by name, or by a former one; the records of the others are not parsed."""
    name = former_names.current(name)
    record = _record(_places()[name]) if name in _places() else None
    return record if record is not None and record.name == name else benchmarks().get(name)


@functools.cache
def mpi_program() -> Benchmark:
    """The record of MPI programs that `assay mpirun` runs: no verb starts it by this name."""
    path = Path(__file__).with_name("mpi_program.toml")
    return _read(_Text(path.read_text(encoding="utf-8"), 1), path)


def _measured(name: str) -> Benchmark | None:
    return mpi_program() if name == MPI_PROGRAM else None


def own_benchmarks() -> dict[str, Benchmark]:
    """A person's own programs by name: those that `assay build FILE` has taken in and whose record is right."""
    found: dict[str, Benchmark] = {}
    for path in own.paths():
        with contextlib.suppress(InputError):
            record = read_own(path)
            if shipped(record.name) is None:
                found[record.name] = record
    return found


def read_own(path: Path) -> Benchmark:
    """Read the record of a person's own program, and check it by laws.py; InputError names line, key, value and what is
    accepted.
    """
    from assay.benchmark import laws  # the shipped records keep to them by a test

    text = _text(input_file.text(path))
    if text is None:
        raise InputError('holds no record: a TOML text between R"record( and )record"', file=path)
    record = _read(text, path)
    try:
        laws.check(record)
    except RecordError as error:
        raise _located(error, text, path) from None
    return record


def _broken(name: str) -> Path | None:
    """The file of a person's own program of this name, whether its record is right or not."""
    return next((path for path in own.paths() if name_in_record(path) == name), None)


def name_in_record(path: Path) -> str | None:
    """Give the name that a file's record gives; nothing else of it is read."""
    try:
        text = _TEXT.search(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    found = _NAME.search(text.group(1)) if text else None
    return found.group(1) if found else None


def among(names: Collection[str]) -> dict[str, Benchmark]:
    """Those of these benchmarks that there are, in the order of their parts; a person's own ones last."""
    ours = {name: record for name in sorted(names) if (record := shipped(name) or _measured(name)) is not None}
    ordered = sorted(ours.items(), key=lambda item: PARTS.index(item[1].part))
    rest = {} if len(ours) == len(names) else own_benchmarks()
    return dict(ordered) | {name: record for name, record in rest.items() if name in names}


def take_in(path: Path) -> Benchmark:
    """Take in a person's own program; InputError where the file holds none, or its name is taken."""
    path = path.resolve()
    if not path.exists():
        raise InputError("no such file", file=path)
    record = read_own(path)
    if record.kind != "ranks" or path.suffix != ".hpp":
        raise InputError('is no message-passing program: a .hpp file whose record says kind = "ranks"', file=path)
    others = [each.path for each in own_benchmarks().values() if each.name == record.name and each.path != path]
    if record.name in benchmarks() or others:
        raise InputError("its name is taken", file=path, key="name", value=record.name, accepted="another name")
    own.take_in(path)
    return record


def on_described(name: str) -> str:
    """The program that answers for this benchmark on a described machine, where its record says so (`answers_for`)."""
    for path, text in _texts().items():
        if _ANSWERS.search(text.toml) and name in _record(path).answers_for:  # the other records are not parsed
            return _record(path).name
    return name


def benchmark(name: str) -> Benchmark:
    """One benchmark by name, a person's own ones too; InputError with near matches otherwise.

    Of a former name the new one is said.
    """
    name = former_names.accepted(name)
    found = among({name}).get(name)
    if found is not None:
        return found
    if (broken := _broken(name)) is not None:
        return read_own(broken)  # says what is wrong with it
    known = benchmarks() | own_benchmarks()
    near = peers.nearest(name, known, peers.of_papers((ours, of.published) for ours, of in known.items()))
    hint = f" (did you mean {near}?)" if near else ""
    if name.endswith(".hpp"):
        hint = f" (your own program: `assay build {name}`, then its record's name)"
    raise InputError(f"no such benchmark{hint}", key="benchmark", value=name, accepted=", ".join(known))
