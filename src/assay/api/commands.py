"""A command run in this process: Python's arguments become its words, its JSON document is the answer."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from assay.errors import InputError


@dataclass(frozen=True)
class CommandDocument:
    """A command's exit status and its JSON document."""

    status: int
    document: dict[str, Any]


def answer(verb: str, arguments: Iterable[object], options: Mapping[str, object]) -> CommandDocument:
    """Run `assay VERB ARGUMENT… --OPTION VALUE… --json`.

    `options`: by the option's name without dashes, `-` as `_`; True for a flag, a sequence for several values, None for
    what is not given. InputError, MeasurementError as the command line has them.
    """
    from typer.exceptions import TyperException
    from typer.main import get_command

    from assay import cli
    from assay.verbs._usage import usage

    command: Any = vars(get_command(cli.application(verb)))["commands"][verb]
    line = [*map(text, arguments), *_words(command, options), "--json"]
    with cli.answered() as documents, patch.object(sys, "argv", ["assay", verb, *line]):
        try:
            status = command.main(line, prog_name=f"assay {verb}", standalone_mode=False) or 0
        except TyperException as error:
            raise InputError(usage(error).removeprefix("assay: ").rstrip()) from None
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
    if not documents:
        raise InputError(f"assay {verb} gave no document")
    return CommandDocument(status, documents[-1])


def settings(values: Mapping[str, object] | None, prefix: str = "") -> list[str]:
    """Give KEY=VALUE words; of a sequence, an array or a column each value is tried."""
    return [f"{prefix}{key}={_listed(value)}" for key, value in (values or {}).items()]


def _words(command: Any, options: Mapping[str, object]) -> list[str]:
    known = {_name(each): each for each in command.params if each.opts[0].startswith("-")}
    known = {name: each for name, each in known.items() if name not in ("json", "help")}
    line = []
    for name, given in options.items():
        value = _plain(given)
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            accepted = f"{near[0]}?" if near else ", ".join(sorted(known))
            raise InputError("no such option", key=name, accepted=accepted)
        option = max(known[name].opts, key=len)
        if value is None or value is False:
            continue
        if value is True:
            line.append(option)
        elif known[name].multiple:
            for each in values_of(value):
                line += [option, text(each)]
        else:
            line += [option, _listed(value)]
    return line


def _name(parameter: Any) -> str:
    """The option's name in Python: that of its longest form; `ranks` of `-n`, which has no other."""
    longest = max(parameter.opts, key=len)
    return str(parameter.name) if len(longest) == 2 else longest.lstrip("-").replace("-", "_")


def values_of(value: object) -> list[object]:
    """The values of a sequence, an array or a column of a DataFrame; of anything else, the value itself."""
    value = _plain(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return [_plain(each) for each in value]
    return [value]


def text(value: object) -> str:
    """A value as a word of the command line."""
    value = _plain(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(value: object) -> str:
    return ",".join(map(text, values_of(value)))


def _plain(value: object) -> object:
    """Python's own value of what numpy and pandas have."""
    return value.tolist() if hasattr(value, "tolist") else value
