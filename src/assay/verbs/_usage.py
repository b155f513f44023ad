"""A command line that typer refuses: one line on standard error, as for every other wrong input."""

from __future__ import annotations

import pkgutil
import re
from typing import TYPE_CHECKING, Any

from typer.exceptions import TyperException

from assay.benchmark import peers

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_WANTED = "Input should be "  # how pydantic, which reads options' values for typer, begins what is accepted
_REFUSED = "Value error, "  # and the text of a parser's or a choice's ValueError
_KINDS = {"int": "a whole number", "float": "a number"}  # by how its errors of what is no number begin
_BOUNDS = ("greater_than_equal", "greater_than", "less_than_equal", "less_than")
_ANY = 2**31 - 1  # a bound from here on is that of a type, and not of what an option means


def usage(error: TyperException) -> str:
    """Return what to print: one line with option, value and what is accepted."""
    given: Any = error
    if hasattr(given, "possibilities"):
        known = [option for each in given.ctx.command.params for option in each.opts if option.startswith("-")]
        ours = peers.nearest_option(given.option_name, known)
        given.possibilities = [ours] if ours else None
    message = " ".join(error.format_message().split())
    cause: Any = error.__cause__
    parameter: Any = getattr(error, "param", None)
    if parameter is not None and hasattr(cause, "errors"):
        first = cause.errors()[0]
        name = parameter.opts[-1] if parameter.opts[0].startswith("-") else parameter.human_readable_name
        accepted = _accepted(first, getattr(parameter, "min", None), getattr(parameter, "max", None))
        problem = "is out of bounds" if first["type"] in _BOUNDS else "is wrong"
        message = f"{name}: {problem}; got {str(first['input'])!r}, expected {accepted}"
    message = message.removesuffix(".")
    verb = re.search("^No such command '([^']+)'", message)
    if verb:
        from assay import verbs
        from assay.verbs._first_words import MEANT

        names = [each.name for each in pkgutil.iter_modules(verbs.__path__) if not each.name.startswith("_")]
        typed = verb[1].lower()
        begun = [each for each in names if each.startswith(typed)]
        ours = begun[0] if len(begun) == 1 else peers.nearest(typed, [*names, *MEANT], {})
        near = peers.COMMANDS.get(typed) or (f"assay {ours}" if ours else None)
        message = f"no such command {verb[1]!r}{f' (did you mean `{near}`?)' if near else ''}"
    context: Any = getattr(error, "ctx", None)
    hint = "" if context is None else f"; `{context.command_path} -h` lists what is accepted"
    return f"assay: {message[:1].lower()}{message[1:]}{hint}\n"


def _accepted(error: ErrorDetails, least: float | None, most: float | None) -> str:
    """What an option or argument takes: its kind and its bounds; of choices by pydantic's text."""
    kind = _KINDS.get(error["type"].partition("_")[0])
    if error["type"] in _BOUNDS:
        kind = _KINDS["float" if isinstance(least, float) or isinstance(most, float) else "int"]
    if kind is None:
        message = str(error["msg"]).removeprefix(_WANTED).removeprefix(_REFUSED)
        _, choice, names = message.partition(" is not one of ")
        return names.replace("'", "") if choice else message
    passed = error["type"].startswith("less")
    upper = None if most is None or (most >= _ANY and not passed) else f"{most:,}"
    if least is None:
        return kind if upper is None else f"{kind} up to {upper}"
    return f"{kind} from {least:,} on" if upper is None else f"{kind} from {least:,} to {upper}"
