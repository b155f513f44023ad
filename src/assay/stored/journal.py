"""The journal of a run: which tasks were begun, in which file, and how they ended.

A line that was cut short by a kill or a full disk was never finished and is ignored. A line that is not what was
written, or with impossible content, is not used either, and is reported.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

from assay import former_names, versions
from assay.samples import Circumstance, fault
from assay.stored import seal
from assay.stored.journal_entries import BegunEntry, JournalEntry
from assay.stored.lines import (
    MISSING,
    TORN,
    LostLinesError,
    append,
    next_place,
    numbered_lines,
    signature,
    unicode,
)


class Journal:
    """A run's journal: read once, and what this process appends is added to what was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: tuple[list[JournalEntry], list[str]] | None = None
        self._signature = MISSING
        self._place: int | None = None  # of the next line

    def read(self) -> tuple[list[JournalEntry], list[str]]:
        """Return entries and faults, as `read` does, anew where another process has changed the file."""
        if self._read is None or self._signature != signature(self.path):
            self._signature = signature(self.path)
            self._read = read(self.path)
        return self._read

    def append(self, entry: Mapping[str, object]) -> None:
        """Append one line and sync it to disk before going on; OSError where that fails."""
        line = json.dumps(versions.marked(versions.JOURNAL, entry), default=str)
        known = self._read is not None and self._signature == signature(self.path)
        if not known or self._place is None:
            self._place = next_place(self.path)
        sealed = seal.sealed(line, self._place)
        append(self.path, sealed)
        self._place += 1
        if self._read is not None and known:
            self._signature = signature(self.path)
            _take(json.loads(line), self.path, None, *self._read)
        else:
            self._read = None


def read(path: Path) -> tuple[list[JournalEntry], list[str]]:
    """Return the entries that can be used, in order, and one text for each that cannot; OSError as of any file.

    InputError where a line is of a newer version.
    """
    used: list[JournalEntry] = []
    faults: list[str] = []
    for number, line, entry in numbered_lines(path):
        if isinstance(entry, LostLinesError):
            faults.append(f"{path.name}:{number}: {entry}")
        elif isinstance(entry, ValueError):
            if not line.endswith(TORN.encode()):
                faults.append(f"{path.name}:{number}: {entry}; this line is not used")
        else:
            _take(entry, path, number, used, faults)
    return used, faults


def _take(entry: Any, path: Path, number: int | None, used: list[JournalEntry], faults: list[str]) -> None:
    """Add an entry to those that can be used, or report why it cannot."""
    entry = unicode(entry, json.dumps(entry).encode())
    if isinstance(entry, dict):
        entry = versions.current(versions.JOURNAL, entry, versions.in_file(path, number))
        if isinstance(name := entry.get("benchmark"), str):
            entry["benchmark"] = former_names.current(name)
    wrong = _fault(entry, used)
    if wrong:
        faults.append(f"{path.name}{'' if number is None else f':{number}'}: {wrong}; this line is not used")
    else:
        used.append(cast(JournalEntry, entry))


def circumstance(data: object) -> Circumstance:
    """Return what all rows of a task share, from a line. ValueError with key and value; unknown keys are newer ones."""
    if not isinstance(data, dict):
        raise ValueError(f"about: got {data!r}, expected an object")
    known = {field.name for field in fields(Circumstance)}
    try:
        made = Circumstance(**{key: value for key, value in data.items() if key in known})
        made = replace(made, benchmark=former_names.current(made.benchmark))
    except TypeError as error:  # an older one, or damaged
        raise ValueError(f"about: {str(error).partition(' ')[2]}") from None
    wrong = fault(made)
    if wrong:
        raise ValueError(f"about.{wrong}")
    return made


def last_attempts(entries: list[JournalEntry]) -> dict[str, str]:
    """Return the file of each task's last attempt, which is the one that counts."""
    last: dict[str, BegunEntry] = {}
    for entry in entries:
        if entry["event"] == "begun":
            held = last.get(entry["task"])
            if held is None or entry["about"]["attempt"] >= held["about"]["attempt"]:
                last[entry["task"]] = entry
    return {task: begun["file"] for task, begun in last.items()}


def _finite(value: object) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e6


def _was_begun(task: str, before: list[JournalEntry]) -> bool:
    return any(each["event"] == "begun" and each["task"] == task for each in reversed(before))


def _fault(entry: Any, before: list[JournalEntry]) -> str | None:
    """The fault of one line, if any; `before`: the entries before it."""
    if not isinstance(entry, dict) or not isinstance(entry.get("event"), str):
        seen = entry.get("event") if isinstance(entry, dict) else entry
        return f"event: got {seen!r}, expected {', '.join(_KEYS)}"
    if entry["event"] not in _KEYS:
        return None  # of a newer Assay
    for key, kinds in _KEYS[entry["event"]].items():
        value = entry.get(key)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds) or not _finite(value):
            return f"{key}: got {value!r}, expected {' or '.join(_NAMES[kind] for kind in kinds)}"
    if entry["event"] == "begun":
        if not entry["file"].endswith(".jsonl") or "/" in entry["file"] or "\0" in entry["file"]:
            return f"file: got {entry['file']!r}, expected the name of a file in launches/"
        try:
            circumstance(entry.get("about"))
        except ValueError as error:
            return str(error)
        return None
    if entry["event"] == "ended" and not _was_begun(entry["task"], before):
        return f"task: got {entry['task']!r}, expected one that was begun"
    for each in entry.get("beside") or ():
        if not (isinstance(each, dict) and isinstance(each.get("name"), str) and _is_share(each.get("share"))):
            return f"beside: got {each!r}, expected name and share of a process"
    if not all(isinstance(text, str) for text in entry.get("warnings") or ()):
        return f"warnings: got {entry['warnings']!r}, expected a list of texts"
    return None


_NONE = type(None)
_NAMES: dict[type, str] = {
    **{str: "text", int: "a whole number", float: "a number", bool: "true or false"},
    **{dict: "an object", list: "a list", _NONE: "null"},
}
_KEYS: dict[str, dict[str, tuple[type, ...]]] = {
    "begun": {"task": (str,), "file": (str,), "about": (dict,)},
    "ended": {
        "task": (str,),
        "status": (int,),
        "file": (str, _NONE),
        "reason": (str, _NONE),
        "seconds": (int, float, _NONE),
        "binding": (str, _NONE),
        "warnings": (list, _NONE),
        "hosts": (list, _NONE),
        "files": (dict, _NONE),
        "checksums": (dict, _NONE),
        "beside": (list, _NONE),
    },
    "allocation": {"mark": (str,)},
    "compiled": {
        "benchmark": (str,),
        "compiler": (str,),
        "flags": (str,),
        "isa": (str,),
        "vectorised": (list, _NONE),
    },
    "look": {
        "benchmark": (str,),
        "launches": (int,),
        "stop": (bool,),
        "reached": (bool, _NONE),
        "reason": (str, _NONE),
        "level": (int, float, _NONE),
    },
}
