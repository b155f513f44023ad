"""What a person's own program must say in its record, checked when it is built and again when it runs.

A record is read leniently elsewhere: the shipped ones are held to the same by a test. Here each fault is one line with
file, line, key, value and what is accepted: a key that does not exist, a default of another type, a unit that does not
exist, a figure of no metric, a formula with a name that is neither `value` nor a parameter nor written by the program.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.machine import units
from assay.toml import lines

_TEXTS = ("name", "title", "part", "kind", "summary", "cost", "check", "source")
_NUMBERS = tuple(f"{what}_{profile}" for what in ("slice", "blocks") for profile in ("quick", "standard", "full"))
_TOP = {
    *_TEXTS,
    *_NUMBERS,
    *(
        "published",
        "model",
        "statistics",
        "historical",
        "matrix",
        "apart",
        "or_nothing",
        "with_data",
        "traces",
        "unjudged",
        "flags",
        "libraries",
    ),
    *("ranks", "least_ranks", "most_ranks", "host", "needs", "computes"),
    *("parameter", "metric", "figure", "headline", "roof", "shares", "accuracy", "choice", "row", "constants"),
    *("peak_share", "convergence", "first_launch", "constants_mean", "unlike", "unit"),
}
NEEDS = (
    "storage",
    "self",
    "host",
    "progress",
    "forwarding",
    "forced",
)  # tables of a description that a benchmark cannot do without
LIBRARIES = ("blas", "lapack", "fftw")  # that a program may use where they are (execute/libraries.py)
_VALUES = ("default", "quick", "standard", "full", "described")
_KEYS = {
    "parameter": {"type", *_VALUES, "min", "max", "unit", "sweep", "help", "choices", "words", "from"},
    "metric": {"unit", "help", "difference", "error_of", "from"},
    "figure": {"metric", "unit", "help", "formula", "better", "headline", "positive", "from"},
    "headline": {"figure", "title", "says", "where", "bound", "most", "statistic"},
}
_RECORD = re.compile(r'R"record\((.*?)\)record"', re.DOTALL)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_FUNCTIONS = {"log2", "min", "max", "ceil"}
_TYPES: dict[str, tuple[type, ...]] = {"integer": (int,), "real": (int, float)}


def check(path: Path, table: Mapping[str, Any], programs: Path) -> None:
    """Refuse a record (as `record.read_table` gives it) that could not be built, run or reported. InputError.

    `programs` is the folder of the shipped programs, whose headers the file may include.
    """
    _Record(path, table, programs).check()


class _Record:
    def __init__(self, path: Path, table: Mapping[str, Any], programs: Path) -> None:
        self.path, self.table, self.programs = path, table, programs
        self.code = path.read_text(encoding="utf-8")

    def check(self) -> None:
        self._top()
        for kind, keys in _KEYS.items():
            sections = self.table.get(kind, {})
            if not isinstance(sections, dict) or not all(isinstance(each, dict) for each in sections.values()):
                raise self._refused("takes sections", (kind,), accepted=f"[{kind}.NAME]")
            for name, section in sections.items():
                self._known(section, keys, (kind, name))
        for name, parameter in self.table.get("parameter", {}).items():
            self._parameter(name, parameter)
        if not self.table.get("metric"):
            raise self._refused("missing: nothing would be sampled", ("metric",), accepted="[metric.NAME] with a unit")
        for name, metric in self.table["metric"].items():
            self._unit(metric, ("metric", name), base=True)
        for name, figure in self.table.get("figure", {}).items():
            self._figure(name, figure)
        for name, headline in self.table.get("headline", {}).items():
            self._among(headline, "figure", ("headline", name), self.table.get("figure", {}))

    def _top(self) -> None:
        self._known(self.table, _TOP, ())
        for key in (*_TEXTS, *(key for key in ("constants_mean",) if key in self.table)):
            if not isinstance(self.table.get(key), str) or not self.table[key].strip():
                raise self._refused("must be a text", (key,), self.table.get(key), "a text in quotes")
        if not _NAME.fullmatch(self.table["name"]):
            accepted = "small letters, digits, - and _"
            raise self._refused("is no name for a program", ("name",), self.table["name"], accepted)
        for key in ("ranks", "least_ranks", "most_ranks"):
            value = self.table.get(key, 1)
            if (isinstance(value, bool) or not isinstance(value, int) or value < 1) and (key, value) != (
                "ranks",
                "all",
            ):
                accepted = "a whole number from 1" + (', or "all"' if key == "ranks" else "")
                raise self._refused("is no number of ranks", (key,), value, accepted)
        for key, known in (("needs", NEEDS), ("libraries", LIBRARIES), ("computes", None)):
            value = self.table.get(key, [])
            names = value if isinstance(value, list) else [value]
            wrong = [each for each in names if not isinstance(each, str) or (known and each not in known)]
            if wrong or not isinstance(value, list):
                accepted = f"a list of {', '.join(known)}" if known else "a list of kernels' names"
                raise self._refused("is none of them", (key,), value, accepted)
        for key in _NUMBERS:
            value = self.table.get(key, 1)
            if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
                raise self._refused("is no number above 0", (key,), value, "a number")

    def _known(self, section: Mapping[str, Any], keys: Collection[str], where: tuple[str, ...]) -> None:
        for key in section:
            if key not in keys and not self._shipped_says(key, where[0] if where else ""):
                near = difflib.get_close_matches(key, keys, 1)
                hint = f" (did you mean {near[0]}?)" if near else ""
                raise self._refused(f"no such key{hint}", (*where, key), accepted=", ".join(sorted(keys)))

    def _shipped_says(self, key: str, kind: str) -> bool:
        """Whether a shipped program's record has this key at its top, or in a section of this kind."""
        wanted = re.compile(rf"^{re.escape(key)} *=", re.MULTILINE)
        for path in self.programs.rglob("*.[ch]pp"):
            found = _RECORD.search(path.read_text(encoding="utf-8"))
            for at, section in enumerate(("\n" + found.group(1)).split("\n[") if found else ()):
                if (section.startswith(f"{kind}.") if kind else at == 0) and wanted.search(section):
                    return True
        return False

    def _parameter(self, name: str, section: Mapping[str, Any]) -> None:
        where = ("parameter", name)
        kind = section.get("type")
        if kind not in ("integer", "real", "choice", "path"):
            raise self._refused("is no type", (*where, "type"), kind, "integer, real, choice, path")
        if "default" not in section:
            raise self._refused("missing", (*where, "default"), accepted="a value, or a list where sweep = true")
        self._unit(section, where)
        for bound in ("min", "max"):
            value = section.get(bound, 0)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise self._refused("is no number", (*where, bound), value, "a number")
        if kind == "path":
            self._path(section, where)
            return
        if kind == "choice" and not section.get("choices"):
            raise self._refused("missing", (*where, "choices"), accepted="a list of what may be chosen")
        for key in _VALUES:
            given = section.get(key, [])
            for value in given if isinstance(given, list) else [given]:
                self._value(value, kind, section, (*where, key))
        if isinstance(section["default"], list) and section.get("sweep") is not True:
            raise self._refused("is a list of one parameter's values", (*where, "default"), accepted="sweep = true")

    def _path(self, section: Mapping[str, Any], where: tuple[str, ...]) -> None:
        """A folder is no factor: it has one default, and neither bounds nor choices."""
        if not isinstance(section["default"], str) or not section["default"]:
            raise self._refused("is no folder", (*where, "default"), section["default"], '"scratch", or a folder')
        for key in section:
            if key not in ("type", "default", "help", "from"):
                raise self._refused("a parameter of type path takes no such key", (*where, key), section[key],
                                    "type, default, help")  # fmt: skip

    def _value(self, value: Any, kind: str, section: Mapping[str, Any], where: tuple[str, ...]) -> None:
        if value in section.get("words", ()):
            return
        if kind == "choice":
            if value not in section["choices"]:
                accepted = ", ".join(str(choice) for choice in section["choices"])
                raise self._refused("is none of the choices", where, value, accepted)
            return
        if isinstance(value, bool) or not isinstance(value, _TYPES[kind]):
            raise self._refused(f"is no {kind}, the parameter's type", where, value, f"{kind} numbers")
        low, high = section.get("min"), section.get("max")
        if (low is not None and value < low) or (high is not None and value > high):
            accepted = f"from {low if low is not None else '-inf'} to {high if high is not None else 'inf'}"
            raise self._refused("is out of the parameter's bounds", where, value, accepted)

    def _unit(self, section: Mapping[str, Any], where: tuple[str, ...], *, base: bool = False) -> None:
        text = section.get("unit", None if base else "1")
        accepted = "s, B, B/s, s/B, 1/s, flop/s or 1: samples and figures are kept in SI base units"
        try:
            factor = units.unit(text)[1] if isinstance(text, str) else None
        except ValueError:
            factor = None
        if factor is None or (base and factor != 1):
            problem = "no such unit" if factor is None else "is no base unit"
            raise self._refused(problem, (*where, "unit"), text, accepted if base else 'such as "s", "B", "1"')

    def _figure(self, name: str, section: Mapping[str, Any]) -> None:
        where = ("figure", name)
        self._among(section, "metric", where, self.table["metric"])
        self._unit(section, where, base=True)
        if section.get("better", "lower") not in ("lower", "higher"):
            raise self._refused("is neither", (*where, "better"), section["better"], "lower, higher")
        formula = section.get("formula", "value")
        try:
            tree = ast.parse(formula, mode="eval") if isinstance(formula, str) else None
        except SyntaxError:
            tree = None
        accepted = "numbers, value, parameters, + - * / ** and log2, min, max, ceil"
        if tree is None:
            raise self._refused("is no formula", (*where, "formula"), formula, accepted)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and not self._names(node.id):
                raise self._refused(f"names {node.id}, which is neither value nor a parameter nor in the cases' label",
                                    (*where, "formula"), formula, accepted)  # fmt: skip

    def _names(self, name: str) -> bool:
        known = {"value", *_FUNCTIONS, *self.table.get("parameter", {})}
        for choices in self.table.get("constants", {}).values():
            known |= {key for constants in choices.values() for key in constants}
        return name in known or f'"{name}"' in self.code or any(f'"{name}"' in text for text in self._headers())

    def _headers(self) -> list[str]:
        """Texts of our headers that the file includes, which may write a label's keys."""
        named = re.findall(r'#\s*include\s*"(ranks/[^"]+)"', self.code)
        found = [self.programs / name for name in named]
        return [path.read_text(encoding="utf-8") for path in found if path.is_file()]

    def _among(self, section: Mapping[str, Any], key: str, where: tuple[str, ...], known: Mapping[str, Any]) -> None:
        if section.get(key) not in known:
            accepted = ", ".join(known) or f"none: the record has no [{key}.NAME]"
            raise self._refused(f"the record names no such {key}", (*where, key), section.get(key), accepted)

    def _refused(
        self, problem: str, keys: tuple[str, ...], value: object = None, accepted: str | None = None
    ) -> InputError:
        line = self._line(keys)
        return InputError(problem, file=self.path, line=line, key=".".join(keys), value=value, accepted=accepted)

    def _line(self, keys: tuple[str, ...]) -> int | None:
        """Line of the file where a key stands, else where its section opens, else where the record does."""
        record = _RECORD.search(self.code)
        if record is None:
            return None
        before = self.code.count("\n", 0, record.start(1))
        return before + (lines.line_of(record[1], keys) or 1)
