"""What programs say in their lines, as a person reads it: notes, and the remarks that decide something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay import remarks


def texts(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """The texts of notes, skips, doubts and cuts, each once, in their order."""
    found = []
    for line in lines:
        if line["event"] == "note":
            found.append(str(line["text"]))
        elif (remark := remarks.of_event(line)) is not None:
            found.append(str(remark))
    return list(dict.fromkeys(found))
