"""A benchmark's parameters: their values, what a person may give, and how both are spelled."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

from assay.benchmark.decoding import Scalar, given, key, mapping
from assay.errors import InputError

_INTEGER = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")
_PREFIXES = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}  # of a parameter whose unit is "B"
_LONG = re.compile(r"[^\s,;=]+(?:,[^\s,;=]+){9,}")  # ten values and more
_INT64 = 1 << 63
SCRATCH = "scratch"  # of a parameter of kind `path`: the folder that Assay chooses (machine/filesystems.py)
Value = Scalar | tuple[Scalar, ...]


@dataclass(frozen=True)
class Parameter:
    """One parameter: `kind` is integer, real, choice or path; a list as default is a sweep, each value a case.

    A path is a folder, and no factor: it is in no case, and is recorded with the circumstances of each launch.
    `words` name lists of values that only the machine can fill (`processors`: counts of threads up to all of its own).
    `simulated` is the default on a simulated machine, where the record has one (its key `described`).
    """

    name: str = given()
    kind: Literal["integer", "real", "choice", "path"] = key(
        "type", problem="is no type", accepted="integer, real, choice, path"
    )
    default: Value = key(accepted="a value, or a list where sweep = true")
    help: str = ""
    unit: str = "1"
    minimum: float | None = key("min", default=None, problem="is no number", accepted="a number")
    maximum: float | None = key("max", default=None, problem="is no number", accepted="a number")
    choices: tuple[Scalar, ...] = ()
    numbered: bool = False  # a choice may have a number behind a colon: one of several things of its kind
    words: tuple[str, ...] = ()
    sweep: bool = False
    profiles: Mapping[str, Value] = mapping("", by_profile=True)
    simulated: Value | None = key("described", default=None)

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


class OtherDefaults(TypedDict):
    """The defaults of a parameter by profile, and on a described machine, where it has some."""

    profiles: NotRequired[dict[str, Value]]
    described: NotRequired[Value]


class ParameterDescribed(OtherDefaults):
    """A parameter."""

    kind: str
    unit: str
    default: Value
    accepted: str
    help: str


def spelled_defaults(parameter: ParameterDescribed) -> str:
    """Spell what is measured where nothing is set: the default, and what profiles and described machines take instead.

    `parameter`: as a benchmark describes it. `assay run` is of profile quick unless told otherwise.
    """
    others = [f"with profile {profile} {spelled(value)}" for profile, value in parameter.get("profiles", {}).items()]
    others += [f"on a described machine {spelled(parameter['described'])}"] if "described" in parameter else []
    return "; ".join([spelled(parameter["default"]), *others])


def shortened(spelled: str) -> str:
    """Give the ends of each list of ten values and more, and their number."""

    def ends(values: re.Match[str]) -> str:
        every = values[0].split(",")
        return f"{','.join(every[:3])},…,{every[-1]} ({len(every)} values)"

    return _LONG.sub(ends, spelled)


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
