"""What a program reports with its readings, by kind: a note is for people and decides nothing, the others decide.

The kinds are those of programs/timing/output.hpp, and `placed`, which only a described machine reports. Up to version 2
of a launch's lines all of them were notes that began in a certain way: from_note() is the one step from these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.case import Case

Kind = Literal["doubt", "skip", "cut", "placed"]
KINDS: tuple[Kind, ...] = ("doubt", "skip", "cut", "placed")
SINCE = 3  # the version of a launch's lines that has these events
# How each begins where a person reads it.
_SHOWN: Mapping[Kind, str] = {"doubt": "doubted: ", "skip": "left out: ", "cut": "", "placed": ""}
_IN_NOTES: Mapping[Kind, str] = {**_SHOWN, "cut": "cut short", "placed": "placed on nodes "}
_SKIPPED = ": left out: "  # of a whole program, behind its name


@dataclass(frozen=True, slots=True)
class Remark:
    """One of them: why a program does not trust a result, left a case out, or had no time; where ranks were placed.

    `case`: the JSON text of the case that it is about, None of all or several.
    """

    kind: Kind
    text: str
    case: str | None = None

    def __str__(self) -> str:
        """As a person reads it."""
        return shown(self.kind, self.text)


def shown(kind: Kind, text: str) -> str:
    """A remark as a person reads it."""
    return f"{_SHOWN[kind]}{text}"


def of_event(event: Mapping[str, Any]) -> Remark | None:
    """Read a line of a program; None of another kind. ValueError for a text or a case that is none."""
    kind = event.get("event")
    if kind not in KINDS:
        return None
    text, case = event.get("text"), event.get("case")
    if not isinstance(text, str):
        raise ValueError(f"text: got {text!r}, expected text")
    if not isinstance(case, dict | None):
        raise ValueError(f"case: got {str(case)[:40]!r}, expected an object")
    return Remark(kind, text, None if case is None else Case(case).text)


def from_note(text: str) -> Remark | None:
    """What a note of an older version reports, by its beginning; None of a note for people."""
    for kind, begin in _IN_NOTES.items():
        if text.startswith(begin):
            return Remark(kind, text.removeprefix(_SHOWN[kind]))
    return Remark("skip", text.partition(_SKIPPED)[2]) if _SKIPPED in text else None


def written(remarks: Iterable[Remark]) -> str | None:
    """Remarks as a column of a table holds them, each kind, text and case once; None without any."""
    once = dict.fromkeys(remarks)
    return json.dumps([[each.kind, each.text, each.case] for each in once]) if once else None


def read(column: str | None) -> list[Remark]:
    """The remarks of a column."""
    return [Remark(*each) for each in json.loads(column)] if column else []
