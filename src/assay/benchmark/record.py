"""A benchmark's record: what a program says of itself, read from the program's own file without compiling it.

Each program under `programs/` holds one TOML text between `R"record(` and `)record"`, so that adding a benchmark is one
file. It is read here and nowhere else: a compiled program is started with its parameters' values (resolved.py). A
section with `from = "threads/parameters.hpp"` takes what it does not say itself from the section of its name in that
header's fragment, the text between `R"fragment(` and `)fragment"`. A `from` above all sections takes in
the same way the keys that stand above the fragment's sections.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import input_file
from assay.benchmark import own, peers, strict
from assay.errors import InputError
from assay.toml.source import parse_toml

PARTS = ("processor", "memory", "threads", "kernels", "devices", "messages", "files", "applications")
PROFILES = ("quick", "standard", "full")
Scalar = int | float | str
_TEXT = re.compile(r'R"record\((.*?)\)record"', re.DOTALL)
_FRAGMENT = re.compile(r'R"fragment\((.*?)\)fragment"', re.DOTALL)
_NAME = re.compile(r'^name *= *"([^"]+)"', re.MULTILINE)
_ANSWERS = re.compile(r"^answers_for *=", re.MULTILINE)
_INTEGER = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")
_PREFIXES = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}  # of a parameter whose unit is "B"
_INT64 = 1 << 63
SCRATCH = "scratch"  # of a parameter of kind `path`: the folder that Assay chooses (machine/filesystems.py)


@dataclass(frozen=True)
class Parameter:
    """One parameter: `kind` is integer, real, choice or path; a list as default is a sweep, each value a case.

    A path is a folder, and no factor: it is in no case, and is recorded with the circumstances of each launch.
    `words` name lists of values that only the machine can fill (`processors`: counts of threads up to all of its own).
    `simulated` is the default on a simulated machine, where the record has one (its key `described`).
    """

    name: str
    kind: str
    default: Scalar | tuple[Scalar, ...]
    help: str
    unit: str = "1"
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Scalar, ...] = ()
    numbered: bool = False  # a choice may have a number behind a colon: one of several things of its kind
    words: tuple[str, ...] = ()
    sweep: bool = False
    profiles: Mapping[str, Scalar | tuple[Scalar, ...]] = field(default_factory=dict)
    simulated: Scalar | tuple[Scalar, ...] | None = None

    def accepted(self) -> str:
        """Say in words what may be given."""
        if self.kind == "path":
            return f"a folder that you may write in; {SCRATCH}: the first that `assay doctor` names for scratch files"
        if self.choices:
            text = ", ".join(str(choice) for choice in self.choices) + (
                ", each also as NAME:N" if self.numbered else ""
            )
        else:
            digits = ".0f" if self.kind == "integer" else "g"  # 16777216, which 1.67772e+07 is not
            low = "" if self.minimum is None else f" from {self.minimum:{digits}}"
            high = "" if self.maximum is None else f" to {self.maximum:{digits}}"
            text = f"{self.kind}{low}{high}{'' if self.unit == '1' else ' ' + self.unit}"
        text = ", or ".join((text, *self.words))
        return text + (", or several with commas between" if self.sweep else "")

    def parse(self, text: str) -> Scalar | tuple[Scalar, ...]:
        """Read `text` as a person typed it behind `--set NAME=`; InputError when it is not accepted."""
        if self.kind == "path":  # a comma is part of it; whether it is there is asked where it is used
            if not text or not text.isprintable():
                raise self._refused("is no name of a folder", text)
            return text
        words = text.split(",")
        if len(words) > 1 and not self.sweep:
            raise self._refused("takes one value", text)
        values = tuple(self._one(word.strip()) for word in words)
        for value, word in zip(values, words, strict=True):
            if values.count(value) > 1:
                raise InputError("is given twice", key=f"parameter {self.name}", value=word, accepted="each value once")
        return values if len(values) > 1 else values[0]

    def _one(self, word: str) -> Scalar:
        if word in self.words:
            return word
        if self.kind == "choice":
            for choice in self.choices:
                if word == str(choice):
                    return choice
                if self.numbered and re.fullmatch(rf"{re.escape(str(choice))}:[0-9]{{1,4}}", word):
                    return word
            raise self._refused("is none of its choices", word)
        digits, scale = self._scaled(word)
        if not (_INTEGER if self.kind == "integer" else _REAL).fullmatch(digits):
            if digits.lower().lstrip("+-") in ("inf", "infinity", "nan") and self.kind == "real":
                raise self._refused("must be finite", word)
            raise self._refused(f"is no {self.kind}", word)
        try:
            number: int | float = scale * int(digits) if self.kind == "integer" else scale * float(digits)
        except ValueError:  # 1.2.3, or more digits than any number of a program has
            raise self._refused(f"is no {self.kind}", word) from None
        if not math.isfinite(number):
            raise self._refused("must be finite", word)
        if self.choices and number not in self.choices:
            raise self._refused("is none of its choices", word)
        below = self.minimum is not None and number < self.minimum
        beyond = isinstance(number, int) and not -_INT64 <= number < _INT64
        if below or beyond or (self.maximum is not None and number > self.maximum):
            raise self._refused("is out of bounds", word)
        return number

    def _scaled(self, word: str) -> tuple[str, int]:
        """Split `64KiB` into its digits and 1024, where the parameter is in bytes."""
        prefix = next((each for each in _PREFIXES if self.unit == "B" and word.endswith(each)), "")
        return word.removesuffix(prefix), _PREFIXES.get(prefix, 1)

    def _refused(self, problem: str, value: str) -> InputError:
        return InputError(problem, key=f"parameter {self.name}", value=value, accepted=self.accepted())


def spelled_defaults(parameter: Mapping[str, Any]) -> str:
    """Spell what is measured where nothing is set: the default, and what profiles and described machines take instead.

    `parameter`: as a benchmark describes it. `assay run` is of profile quick unless told otherwise.
    """
    others = [f"with profile {profile} {spelled(value)}" for profile, value in parameter.get("profiles", {}).items()]
    others += [f"on a described machine {spelled(parameter['described'])}"] if "described" in parameter else []
    return "; ".join([spelled(parameter["default"]), *others])


def spelled(value: Scalar | tuple[Scalar, ...]) -> str:
    """Spell a parameter's value, or its several, as `--set NAME=` takes them."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


# What every benchmark takes beside its own parameters, and what is no part of its cases.
REPETITIONS = Parameter(
    "repetitions",
    "integer",
    1,
    "readings of a block; else as many as its time allows, one on a described machine",
    minimum=1,
    maximum=1e6,
)


@dataclass(frozen=True)
class Metric:
    """What a program samples, in an SI base unit; a `difference` of two readings may come out below zero.

    `error_of`: the metric whose readings may be off by this one's.
    """

    name: str
    unit: str
    help: str
    difference: bool = False
    error_of: str | None = None


@dataclass(frozen=True)
class Figure:
    """What is derived from a metric: `formula` over `value` (the metric's statistic) and the case's parameters.

    One that is `positive` by nature is not given where a difference of readings puts it at nothing or below, for the
    reason that `positive` names.
    """

    name: str
    metric: str
    unit: str
    help: str
    formula: str = "value"
    better: str = "lower"
    headline: bool = False
    positive: str = ""


@dataclass(frozen=True)
class Benchmark:
    """One program: its record, and the file it was read from."""

    name: str
    title: str
    part: str
    kind: str
    summary: str
    cost: str
    check: str
    source: str
    path: Path
    published: tuple[str, ...] = ()
    historical: bool = False
    first_look: bool = False  # part of a quick evaluation: what a buyer asks first, in little time
    model: str | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def units(self) -> tuple[str, ...]:
        """Sources that are compiled apart, by their names: the kernels that a build variant may change."""
        return tuple(self.extra.get("unit", ()))

    @property
    def errors(self) -> frozenset[str]:
        """The metrics that say how far others' readings may be off: no subject of their own."""
        return frozenset(name for name, metric in self.metrics.items() if metric.error_of)

    @property
    def exact(self) -> frozenset[str]:
        """The metrics that have no error: counts, sizes, and the error of a result, each launch alike."""
        return frozenset(self.extra.get("exact", ()))

    @property
    def unmoved(self) -> frozenset[str]:
        """The metrics that no other process can change: those that are exact, and others that vary by themselves."""
        return self.exact | frozenset(self.extra.get("unmoved", ()))

    @property
    def outcomes(self) -> frozenset[str]:
        """What cases are labelled with and only their results say: no two runs are told apart by it."""
        return frozenset(self.extra.get("outcomes", ()))

    @property
    def paths(self) -> tuple[str, ...]:
        """The parameters that name folders: part of no case."""
        return tuple(name for name, parameter in self.parameters.items() if parameter.kind == "path")

    def constants(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """What the record says of a case's choices: `[constants.PARAMETER] CHOICE = { NAME = number }`, by NAME."""
        found: dict[str, Any] = {}
        for parameter, choices in self.extra.get("constants", {}).items():
            found |= choices.get(case.get(parameter), {})
        return found

    def settings(self, given: Mapping[str, str]) -> dict[str, Scalar | tuple[Scalar, ...]]:
        """Check what a person set (`key=value` texts) against the record; returns parsed values by key."""
        parsed = {}
        known = {REPETITIONS.name: REPETITIONS, **self.parameters}
        for key, text in given.items():
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = f" (did you mean {near[0]}?)" if near else ""
                raise InputError(
                    f"{self.name} has no such parameter{hint}",
                    key=f"--set {key}",
                    value=text,
                    accepted=", ".join([*sorted(self.parameters), REPETITIONS.name]),
                )
            parsed[key] = known[key].parse(text)
        return parsed

    def describe(self) -> dict[str, Any]:
        """Give the record as plain data, for JSON and tables."""
        return {
            "name": self.name,
            "title": self.title,
            "part": self.part,
            "kind": self.kind,
            "summary": self.summary,
            "cost": self.cost,
            "check": self.check,
            "source": self.source,
            "published": list(self.published),
            "historical": self.historical,
            "first_look": self.first_look,
            "model": self.model,
            "program": str(self.path.relative_to(programs_root())) if programs_root() in self.path.parents else None,
            "parameters": {
                p.name: {
                    "kind": p.kind,
                    "unit": p.unit,
                    "default": p.default,
                    **({"profiles": dict(p.profiles)} if p.profiles else {}),
                    **({} if p.simulated is None else {"described": p.simulated}),
                    "accepted": p.accepted(),
                    "help": p.help,
                }
                for p in self.parameters.values()
            },
            "metrics": {m.name: {"unit": m.unit, "help": m.help} for m in self.metrics.values()},
            "figures": {
                f.name: {"metric": f.metric, "unit": f.unit, "formula": f.formula, "better": f.better, "help": f.help}
                for f in self.figures.values()
            },
        }


def programs_root() -> Path:
    """Return the folder of the programs' sources: the checkout's, or what was installed with the package."""
    package = Path(__file__).resolve().parent.parent
    for candidate in (package.parent.parent / "programs", package / "_source" / "programs"):
        if candidate.is_dir():
            return candidate
    import assay

    for place in assay.__path__:  # an editable install spreads one package over several folders
        installed = Path(place) / "_source" / "programs"
        if installed.is_dir():
            return installed
    raise InputError("the programs' sources are missing from this installation", file=package)


def read_table(path: Path) -> dict[str, Any] | None:
    """Read one program's record as it stands in the file, with what it takes from fragments; None without one.

    InputError names what is wrong with it.
    """
    text = input_file.text(path)
    found = _TEXT.search(text)
    if not found:
        return None
    try:
        return _whole(parse_toml(found.group(1), path, text.count("\n", 0, found.start(1)) + 1), path)
    except ValueError as error:
        raise InputError(f"the record lacks or misuses {error}", file=path) from None


def read_record(path: Path) -> Benchmark | None:
    """Read one program's record; None where the file holds none. InputError names what is wrong with it."""
    table = read_table(path)
    return None if table is None else _made(table, path)


def _made(table: dict[str, Any], path: Path) -> Benchmark:
    try:
        return _benchmark(table, path)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"the record lacks or misuses {error}", file=path) from None


def _whole(table: dict[str, Any], path: Path) -> dict[str, Any]:
    """Fill in what the record and its sections take from fragments."""
    stated = {
        kind: {name: _taken(kind, name, section, path) for name, section in sections.items()}
        if isinstance(sections, dict)
        else sections
        for kind, sections in table.items()
        if kind != "from"
    }
    if "from" not in table:
        return stated
    shared = {key: value for key, value in _fragment(table["from"], path).items() if not isinstance(value, dict)}
    if not shared:
        raise ValueError(f"from = {table['from']!r}: that file shares no keys above its sections")
    return shared | stated


def _taken(kind: str, name: str, section: Any, path: Path) -> Any:
    if not isinstance(section, dict) or "from" not in section:
        return section
    shared = _fragment(section["from"], path).get(kind, {}).get(name)
    if shared is None:
        raise ValueError(f"from = {section['from']!r} in [{kind}.{name}]: that file shares no section of this name")
    return shared | {key: value for key, value in section.items() if key != "from"}


def _fragment(header: object, path: Path) -> dict[str, Any]:
    """What a header beside a program, in a folder above it or below `programs/` shares; nothing if there is none."""
    found = next(
        (root / str(header) for root in (*path.parents, programs_root()) if (root / str(header)).is_file()), None
    )
    text = None if found is None else _FRAGMENT.search(found.read_text(encoding="utf-8"))
    return parse_toml(text.group(1), found) if found and text else {}


def _benchmark(table: dict[str, Any], path: Path) -> Benchmark:
    known = {"name", "title", "part", "kind", "summary", "cost", "check", "source", "published", "model"}
    known |= {"historical", "first_look"}
    if table["part"] not in PARTS:
        raise ValueError(f"part = {table['part']!r} (expected {', '.join(PARTS)})")
    if table["kind"] not in ("node", "ranks"):
        raise ValueError(f"kind = {table['kind']!r} (expected node, ranks)")
    metrics = {
        n: Metric(n, m["unit"], m.get("help", ""), bool(m.get("difference")), m.get("error_of"))
        for n, m in table.get("metric", {}).items()
    }
    for name, metric in metrics.items():
        if metric.error_of is not None and (metric.error_of == name or metric.error_of not in metrics):
            others = ", ".join(other for other in metrics if other != name)
            raise ValueError(f"[metric.{name}] error_of = {metric.error_of!r} (expected {others})")
    for name, headline in table.get("headline", {}).items():
        for key, form in (("where", ", KEY=VALUE KEY=VALUE"), ("advice", ""), ("described_advice", "")):
            if not isinstance(seen := headline.get(key, ""), str):  # of `where` every case would be taken
                raise ValueError(f"[headline.{name}] {key} = {seen!r} (expected a text{form})")
    for name, unit in table.get("unit", {}).items():
        seen = unit.get("source") if isinstance(unit, dict) else unit
        if not isinstance(seen, str) or not seen:
            raise ValueError(f"[unit.{name}] source = {seen!r} (expected a C++ file below programs/, or beside this)")
    return Benchmark(
        name=table["name"],
        title=table["title"],
        part=table["part"],
        kind=table["kind"],
        summary=table["summary"],
        cost=table["cost"],
        check=table["check"],
        source=table["source"],
        path=path,
        published=tuple(table.get("published", ())),
        historical=bool(table.get("historical", False)),
        first_look=bool(table.get("first_look", False)),
        model=table.get("model"),
        parameters={n: _parameter(n, p) for n, p in table.get("parameter", {}).items()},
        metrics=metrics,
        figures={
            n: Figure(
                name=n,
                metric=f["metric"],
                unit=f["unit"],
                help=f.get("help", ""),
                formula=f.get("formula", "value"),
                better=f.get("better", "lower"),
                headline=bool(f.get("headline", False)),
                positive=f.get("positive", ""),
            )
            for n, f in table.get("figure", {}).items()
        },
        extra={k: v for k, v in table.items() if k not in known | {"parameter", "metric", "figure"}},
    )


def _parameter(name: str, table: dict[str, Any]) -> Parameter:
    def frozen(value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    return Parameter(
        name=name,
        kind=table["type"],
        default=frozen(table["default"]),
        help=table.get("help", ""),
        unit=table.get("unit", "1"),
        minimum=table.get("min"),
        maximum=table.get("max"),
        choices=tuple(table.get("choices", ())),
        numbered=bool(table.get("numbered", False)),
        words=tuple(table.get("words", ())),
        sweep=bool(table.get("sweep", isinstance(table["default"], list))),
        profiles={p: frozen(table[p]) for p in PROFILES if p in table},
        simulated=frozen(table["described"]) if "described" in table else None,
    )


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
        record = _record(path)
        if record is not None:
            yield record


@functools.cache
def _record(path: Path) -> Benchmark | None:
    return read_record(path)


@functools.cache
def _texts() -> dict[Path, str]:
    """The text of each record, unparsed."""
    texts = ((path, _TEXT.search(path.read_text(encoding="utf-8"))) for path in _sources())
    return {path: text.group(1) for path, text in texts if text}


@functools.cache
def _places() -> dict[str, Path]:
    """Where the record of each name stands, by the line that says it: nothing is parsed."""
    named = ((path, _NAME.search(text)) for path, text in _texts().items())
    return {name.group(1): path for path, name in named if name}


@functools.cache
def shipped(name: str) -> Benchmark | None:
    """One shipped benchmark by name; the records of the others are not parsed."""
    record = _record(_places()[name]) if name in _places() else None
    return record if record is not None and record.name == name else benchmarks().get(name)


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
    """Read the record of a person's own program, strictly; InputError names line, key, value and what is accepted."""
    table = read_table(path)
    if table is None:
        raise InputError('holds no record: a TOML text between R"record( and )record"', file=path)
    strict.check(path, table, programs_root())
    return _made(table, path)


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
    ours = {name: record for name in sorted(names) if (record := shipped(name)) is not None}
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
        if _ANSWERS.search(text):  # the other records are not parsed
            record = _record(path)
            if record is not None and name in record.extra.get("answers_for", ()):
                return record.name
    return name


def benchmark(name: str) -> Benchmark:
    """One benchmark by name, a person's own ones too; InputError with near matches otherwise."""
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
