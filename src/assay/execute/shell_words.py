"""Words of an option or a variable, split as a shell would, without its expansions."""

from __future__ import annotations

import shlex

from assay.errors import InputError


def shell_words(text: str, key: str, accepted: str) -> list[str]:
    """Split a text into words; InputError names its option or variable where a quotation does not close."""
    try:
        return shlex.split(text)
    except ValueError as error:
        problem = f"cannot be split into words ({str(error).lower()})"
        raise InputError(problem, key=key, value=text, accepted=accepted) from None
