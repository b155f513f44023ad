"""Fitted numbers put back into a description's text; everything else, comments too, stays as it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping

_HEADER = re.compile(r"\s*\[(\[?)([^\[\]]+)\]\]?")
_VALUE = re.compile(r"(\s*)([\w-]+)(\s*=\s*)(\"[^\"]*\"|[^#\s]+)(.*)$")


def rewritten(text: str, values: Mapping[str, str]) -> str:
    """The text with other values (as written: `"63.9 us"`, `35`) at dotted keys; lists' entries count from 0."""
    counts: dict[str, int] = {}
    place, lines = "", []
    for line in text.splitlines():
        header = _HEADER.match(line)
        if header and "=" not in line.split("]")[0]:
            name = header[2].strip()
            if header[1]:
                counts[name] = counts.get(name, -1) + 1
                place = f"{name}.{counts[name]}."
            else:
                place = f"{name}."
        elif (found := _VALUE.match(line)) and place + found[2] in values:
            line = f"{found[1]}{found[2]}{found[3]}{values[place + found[2]]}{found[5]}"
        lines.append(line)
    return "\n".join(lines) + "\n"
