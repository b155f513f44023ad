"""An option that decides alone what is done: others beside it would have no effect, and are refused."""

from __future__ import annotations

from collections.abc import Collection

import typer

from assay.errors import InputError


def alone(context: typer.Context, option: str, beside: Collection[str]) -> None:
    """InputError where the command line gives an option other than `option` (with its value) and those `beside` it."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        named = max(parameter.opts, key=len)
        if source is not None and source.name == "COMMANDLINE" and named not in (option.split()[0], *beside):
            seen = context.params[parameter.name or ""]
            raise InputError(
                f"has no effect with {option}",
                key=named,
                value=" ".join(seen) if isinstance(seen, list) else str(seen),
                accepted=f"{option} with {', '.join(beside)} and no other option",
            )
