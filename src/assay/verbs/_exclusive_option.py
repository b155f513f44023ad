"""Exclusive options: other options would have no effect, and are refused."""

from __future__ import annotations

from collections.abc import Collection

import typer

from assay.errors import InputError


def refuse_others(context: typer.Context, option: str, beside: Collection[str], why: str = "") -> None:
    """InputError where the command line gives an option other than `option` (with its value) and those `beside` it.

    An argument is named in `beside` by its parameter's name, where it may be given; `why`: what the option does.
    """
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        named = max(parameter.opts, key=len)
        shown = [each for each in beside if each.startswith("-")]
        if source is not None and source.name == "COMMANDLINE" and named not in (option.split()[0], *beside):
            seen = context.params[parameter.name or ""]
            raise InputError(
                f"has no effect with {option}{why and f', {why}'}",
                key=named,
                value=" ".join(seen) if isinstance(seen, list) else str(seen),
                accepted=f"{option} with {', '.join(shown)} and no other option",
            )
