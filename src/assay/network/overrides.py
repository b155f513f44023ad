"""Keys of a network's file that are set from outside, by --set and --sweep, and the words of errors about them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from assay.errors import InputError
from assay.network import network_tables
from assay.toml import overriding
from assay.toml.overriding import Override
from assay.toml.source import Source

TABLES = ("network", "traffic", "io", "method")


@dataclass(frozen=True)
class SweptSource(Source):
    """A file with keys that were set by --sweep: `swept`, their words, which are in `overrides` too.

    `valid`: each key by itself is. What is still wrong comes of incompatible values, so that errors name with
    which values of the sweep.
    """

    swept: tuple[str, ...] = ()
    valid: bool = False

    def error(
        self, keys: Sequence[str | int], problem: str, *, value: object = None, accepted: str | None = None
    ) -> InputError:
        """An error about this key; it names --sweep where that gave the key."""
        error = by_sweep(super().error(keys, problem, value=value, accepted=accepted), self.swept)
        return at_point(error, self.swept) if self.valid else error


def by_sweep(error: InputError, swept: Sequence[str]) -> InputError:
    """The error of a key that was set from outside, as --set has it, with the option that the person typed."""
    text = str(error)
    if any(text.startswith(f"--set {words}: ") for words in swept):
        error.args = (f"--sweep{text.removeprefix('--set')}",)
    return error


def at_point(error: InputError, swept: Sequence[str]) -> InputError:
    """The error of another key than those of the sweep, with the point of the sweep at which it occurs."""
    if swept and not str(error).startswith("--sweep"):
        error.args = (f"{error}; with {' '.join(f'--sweep {words}' for words in swept)}",)
    return error


def override(words: str, option: str, filed: Mapping[str, object]) -> Override:
    """Take `dotted.key=value` as given by an option, --set or --sweep; `filed`: the file's values, for a hint.

    InputError where it is no such words, or has no table.
    """
    dotted, equals, text = words.partition("=")
    given = overriding.override(dotted, text, words)
    if not equals or "" in given.keys:
        raise InputError(
            "is no override", file=option, value=words, accepted="dotted.key=value, such as traffic.load=0.3"
        )
    if len(given.keys) == 1:
        name = str(given.keys[0])
        accepted = "a key inside " + ", ".join(f"{name}." for name in TABLES)
        problem = "names a whole table" if name in TABLES else f"there is no such key{_inside(name, filed)}"
        raise InputError(problem, file=f"{option} {words}", key=name, accepted=accepted)
    return given


def _inside(name: str, filed: Mapping[str, object]) -> str:
    """`; did you mean TABLE.KEY?` of a key that was given without its table, as far as is known without the core."""
    models: dict[str, type[BaseModel]]
    models = {"network": network_tables.NetworkTable, "traffic": network_tables.TrafficTable}
    models |= {"io": network_tables.InputOutput, "method": network_tables.Method}
    known = {
        f"{table}.{each.alias or key}" for table, model in models.items() for key, each in model.model_fields.items()
    }
    for table in TABLES:
        if isinstance(keys := filed.get(table), dict):
            known |= {f"{table}.{key}" for key in keys}
    found = sorted(dotted for dotted in known if dotted.partition(".")[2] == name)
    if not found:
        near = difflib.get_close_matches(name, {dotted.partition(".")[2] for dotted in known}, 2, 0.6)
        found = sorted(dotted for dotted in known if dotted.partition(".")[2] in near)
    return f"; did you mean {' or '.join(found)}?" if found else ""
