"""A program's command line, resolved: the one place where a record's defaults, bounds, units and sweeps are applied.

A compiled program knows nothing of its record's language (programs/timing/options.hpp). It is started with every
parameter of its record, each with its type and all its values, and with what else the record decides:

    sieve --profile quick --slice 0.02 --blocks 4 --metrics time --integer size=8190 …

Its cases are the product of the values in the record's order, the last parameter running fastest. A folder (`--path
NAME=FOLDER`) is in no case. A list that only the
machine itself can fill (`processors`) is handed over by its name.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from assay.benchmark.record import PROFILES, Benchmark, Parameter, Scalar, programs_root
from assay.errors import InputError

SAMPLING = {"quick": (0.02, 4), "standard": (0.1, 8), "full": (0.5, 8)}  # s and blocks where the record says nothing


def sampling(record: Benchmark, profile: str) -> tuple[float, int]:
    """Seconds that a case is measured for in a block, and blocks per launch, in a profile."""
    slice_, blocks = SAMPLING[profile]
    return float(record.slices.get(profile, slice_)), int(record.blocks.get(profile, blocks))


def values(
    record: Benchmark,
    given: Mapping[str, str],
    profile: str,
    *,
    simulated: bool = False,
    defaults: Mapping[str, str] | None = None,
) -> dict[str, tuple[Scalar, ...]]:
    """All values of every parameter, in the record's order; InputError for what the record does not accept.

    `given`: what a person set, as text. Where nothing was set, a simulated machine's own `defaults` come first (but
    not for a person's own program), then the record's for simulated machines, the profile's, the default.
    """
    if profile not in PROFILES:
        raise InputError("no such profile", key="--profile", value=profile, accepted=", ".join(PROFILES))
    own = programs_root() not in record.path.parents
    stated = {} if own or not simulated else {k: v for k, v in (defaults or {}).items() if k in record.parameters}
    parsed = record.settings({**{key: text for key, text in stated.items() if text}, **given})
    return {
        name: _tuple(parsed[name]) if name in parsed else _default(parameter, profile, simulated)
        for name, parameter in record.parameters.items()
    }


def task_values(
    record: Benchmark, words: Sequence[str], *, simulated: bool = False, defaults: Mapping[str, str] | None = None
) -> dict[str, tuple[Scalar, ...]]:
    """All values of every parameter for a task's `words`; otherwise as `values`."""
    given, profile, _ = _split(record, words)
    return values(record, given, profile, simulated=simulated, defaults=defaults)


def program_words(
    record: Benchmark,
    words: Sequence[str],
    *,
    simulated: bool = False,
    defaults: Mapping[str, str] | None = None,
    folders: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """What the compiled program is started with, for a task's `words`; InputError for what the record does not accept.

    Of the words, `--profile NAME` and `--set KEY=VALUE[,VALUE...]` are resolved against the record; the others are the
    program's own options (--seed, --blocks, --out ...) and are passed on behind, where they override.
    """
    given, profile, rest = _split(record, words)
    slice_, blocks = sampling(record, profile) if profile in PROFILES else (0.0, 0)
    resolved = values(record, given, profile, simulated=simulated, defaults=defaults)
    found = ["--profile", profile, "--slice", repr(slice_), "--blocks", str(blocks)]
    found += ["--metrics", ",".join(record.metrics)]
    if record.needs:
        found += ["--needs", ",".join(record.needs)]
    found += ["--host"] if record.host else []
    found += ["--or-nothing"] if record.or_nothing else []
    for name, each in resolved.items():
        if record.parameters[name].kind == "path":
            found += [] if simulated else ["--path", f"{name}={(folders or {}).get(name, each[0])}"]
            continue
        found += [f"--{record.parameters[name].kind}", f"{name}={','.join(map(_text, each))}"]
    if "repetitions" in given and "repetitions" not in record.parameters:
        found += ["--repetitions", given["repetitions"]]
    return (*found, *rest)


def cases(
    record: Benchmark,
    words: Sequence[str],
    defaults: Mapping[str, str],
    lists: Mapping[str, tuple[Scalar, ...]],
) -> Iterator[dict[str, Scalar]]:
    """The cases of a task on a described machine, in the order in which a compiled program takes them.

    `lists`: what the names of lists that only a machine can fill (`processors`) mean on this one.
    """
    given, profile, _ = _split(record, words)
    resolved = values(record, given, profile, simulated=True, defaults=defaults)
    filled = {
        name: tuple(value for each in found for value in lists.get(str(each), (each,)))
        for name, found in resolved.items()
        if record.parameters[name].kind != "path"
    }
    for found in itertools.product(*filled.values()):
        yield dict(zip(filled, found, strict=True))


def _split(record: Benchmark, words: Sequence[str]) -> tuple[dict[str, str], str, list[str]]:
    """Take the settings and the profile out of a task's words; returns them and what is left."""
    given: dict[str, str] = {}
    profile, rest, queue = "standard", list[str](), list(words)
    while queue:
        word = queue.pop(0)
        option, equals, text = word.partition("=")
        if option not in ("--set", "--profile"):
            rest.append(word)
            continue
        if not equals:
            if not queue:
                raise InputError("its value is missing", key=f"{record.name} {option}")
            text = queue.pop(0)
        if option == "--profile":
            profile = text
            continue
        key, equals, text = text.partition("=")
        if not equals:
            raise InputError("is not KEY=VALUE", key=f"{record.name} --set", value=key)
        given[key] = text
    return given, profile, rest


def _default(parameter: Parameter, profile: str, simulated: bool) -> tuple[Scalar, ...]:
    found = parameter.profiles.get(profile, parameter.default)
    if simulated and parameter.simulated is not None:
        found = parameter.simulated
    if parameter.kind == "integer":  # a record may write 1e6
        return tuple(int(each) if isinstance(each, float) and each.is_integer() else each for each in _tuple(found))
    return _tuple(found)


def _tuple(value: Scalar | tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)


def _text(value: Scalar) -> str:
    return repr(value) if isinstance(value, float) else str(value)
