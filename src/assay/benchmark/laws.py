"""Laws between the keys of a record, which no type says: a figure's metric exists, a default is within its bounds.

A person's own program is checked when it is built and again when it runs, the shipped ones by a test. RecordError for
the first key that breaks one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from assay.benchmark.decoding import PROFILES, Keys, RecordError
from assay.benchmark.model import Benchmark
from assay.benchmark.parameter import Parameter, Value
from assay.benchmark.programs import programs_root
from assay.benchmark.sections import BASE_UNITS, Figure
from assay.machine import units

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_FUNCTIONS = {"log2", "min", "max", "ceil"}
_FORMULA = "numbers, value, parameters, + - * / ** and log2, min, max, ceil"
_OF_FIGURES = ("W", "DMIPS", "MWIPS")  # units that figures have, and no quantity that a person states
_TYPES: dict[str, tuple[type, ...]] = {"integer": (int,), "real": (int, float)}
_NOT_OF_PATHS = {
    **{"min": "minimum", "max": "maximum", "unit": "unit", "choices": "choices", "numbered": "numbered"},
    **{"words": "words", "sweep": "sweep", "described": "simulated", "quick": "profiles"},
}


def check(record: Benchmark) -> None:
    """Refuse a record that could not be built, run or reported. RecordError names the key."""
    if not _NAME.fullmatch(record.name):
        raise RecordError("is no name for a program", ("name",), record.name, "small letters, digits, - and _")
    for name, parameter in record.parameters.items():
        _parameter(parameter, ("parameter", name))
    if not record.metrics:
        raise RecordError("missing: nothing would be sampled", ("metric",), accepted="[metric.NAME] with a unit")
    for name, metric in record.metrics.items():
        _unit(metric.unit, ("metric", name, "unit"), base=True)
        if metric.error_of is not None and (metric.error_of == name or metric.error_of not in record.metrics):
            others = ", ".join(other for other in record.metrics if other != name)
            keys = ("metric", name, "error_of")
            raise RecordError("is no other metric of the record", keys, metric.error_of, others or "no such key")
    for name, figure in record.figures.items():
        _figure(record, figure, ("figure", name))
    for name, headline in record.headlines.items():
        _among(headline.figure, "figure", ("headline", name), record.figures)


def _parameter(parameter: Parameter, where: Keys) -> None:
    if parameter.kind == "path":
        _path(parameter, where)
        return
    _unit(parameter.unit, (*where, "unit"))
    if parameter.kind == "choice" and not parameter.choices:
        raise RecordError("missing", (*where, "choices"), accepted="a list of what may be chosen")
    for key, given in _values(parameter):
        for value in given if isinstance(given, tuple) else (given,):
            _value(value, parameter, (*where, key))
    if isinstance(parameter.default, tuple) and not parameter.sweep:
        problem = "is a list of one parameter's values"
        raise RecordError(problem, (*where, "default"), list(parameter.default), "sweep = true")


def _values(parameter: Parameter) -> Iterator[tuple[str, Value]]:
    """What a parameter has where nothing is set, by the key that says it."""
    yield "default", parameter.default
    yield from ((profile, parameter.profiles[profile]) for profile in PROFILES if profile in parameter.profiles)
    if parameter.simulated is not None:
        yield "described", parameter.simulated


def _path(parameter: Parameter, where: Keys) -> None:
    """A folder is no factor: it has one default, and neither bounds nor choices."""
    if not isinstance(parameter.default, str) or not parameter.default:
        raise RecordError("is no folder", (*where, "default"), parameter.default, '"scratch", or a folder')
    plain = Parameter(parameter.name, "path", parameter.default)
    for key, attribute in _NOT_OF_PATHS.items():
        if getattr(parameter, attribute) != getattr(plain, attribute):
            problem = "a parameter of type path takes no such key"
            raise RecordError(problem, (*where, key), accepted="type, default, help")


def _value(value: object, parameter: Parameter, where: Keys) -> None:
    if value in parameter.words:
        return
    kind = parameter.kind
    if kind == "choice":
        if value not in parameter.choices:
            accepted = ", ".join(str(choice) for choice in parameter.choices)
            raise RecordError("is none of the choices", where, value, accepted)
        return
    if not isinstance(value, int | float) or not isinstance(value, _TYPES[kind]):
        raise RecordError(f"is no {kind}, the parameter's type", where, value, f"{kind} numbers")
    low, high = parameter.minimum, parameter.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        accepted = f"from {low if low is not None else '-inf'} to {high if high is not None else 'inf'}"
        raise RecordError("is out of the parameter's bounds", where, value, accepted)


def _unit(text: str, where: Keys, *, base: bool = False) -> None:
    if base and text in _OF_FIGURES:
        return
    try:
        factor = units.unit(text)[1]
    except ValueError:
        raise RecordError("no such unit", where, text, BASE_UNITS if base else 'such as "s", "B", "1"') from None
    if base and factor != 1:
        raise RecordError("is no base unit", where, text, BASE_UNITS)


def _figure(record: Benchmark, figure: Figure, where: Keys) -> None:
    _among(figure.metric, "metric", where, record.metrics)
    _unit(figure.unit, (*where, "unit"), base=True)
    try:
        tree = ast.parse(figure.formula, mode="eval")
    except SyntaxError:
        raise RecordError("is no formula", (*where, "formula"), figure.formula, _FORMULA) from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not _is_known(record, node.id):
            problem = f"names {node.id}, which is neither value nor a parameter nor in the cases' label"
            raise RecordError(problem, (*where, "formula"), figure.formula, _FORMULA)


def _is_known(record: Benchmark, name: str) -> bool:
    """Whether a formula may use a name: `value`, a function, a parameter, a constant, or a key of the cases' label."""
    known = {"value", *_FUNCTIONS, *record.parameters}
    for choices in record.choice_constants.values():
        known |= {key for constants in choices.values() for key in constants}
    return name in known or any(f'"{name}"' in text for text in _texts(record))


def _texts(record: Benchmark) -> Iterator[str]:
    """The program's text, and those of our headers that it includes, which may write a label's keys."""
    code = record.path.read_text(encoding="utf-8")
    yield code
    for named in re.findall(r'#\s*include\s*"(\w+/[^"]+)"', code):
        if (path := programs_root() / named).is_file():
            yield path.read_text(encoding="utf-8")


def _among(value: str, key: str, where: Keys, known: Collection[str]) -> None:
    if value not in known:
        accepted = ", ".join(known) or f"none: the record has no [{key}.NAME]"
        raise RecordError(f"the record names no such {key}", (*where, key), value, accepted)
