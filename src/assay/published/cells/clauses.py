"""Published cells named in words, as origins and restatements name them: a benchmark, and what its cells must have.

    echo                                    all its cells of the machine that is spoken of
    echo [hops 1, 6]                        those whose parameter `hops` is 1 or 6
    echo [hops 1] [message_B 8, 16]         those that fit both
    summary [metric time_8_B]               those of a metric
    summary [table table7]                  those of a table of the report
    ipsc860 echo [hops 1, 6]                of another machine

Values are separated by commas; one with a comma is in double quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypedDict

from assay.errors import InputError
from assay.machine.catalogue import PublishedCell

_FILTER = r"\[\w+ [^\]]+\]"
_CLAUSE = re.compile(rf"(?:(?P<machine>[\w-]+) )?(?P<benchmark>[\w.-]+)(?P<filters>(?: {_FILTER})*)$")
_VALUE = re.compile(r'\s*(?:"([^"]*)"|([^,"]+))\s*(?:,|$)')
ACCEPTED = "BENCHMARK, or MACHINE BENCHMARK [KEY VALUE, VALUE] [KEY VALUE]; several are separated by semicolons"

Filter = tuple[str, tuple[float | str, ...]]


class NamedCells(TypedDict):
    """A `Named` as JSON; `key` and `values` are the first filter's."""

    machine: str
    benchmark: str
    key: str | None
    values: tuple[float | str, ...]
    filters: dict[str, tuple[float | str, ...]]


@dataclass(frozen=True)
class Named:
    """Cells of a benchmark of a machine: all of them, or those that every filter (a key, its values) lets through."""

    machine: str
    benchmark: str
    filters: tuple[Filter, ...] = ()

    def holds(self, cell: PublishedCell) -> bool:
        """Whether this cell is one of them."""
        if cell.machine != self.machine or cell.benchmark != self.benchmark:
            return False
        return all(_found(cell, key) in values for key, values in self.filters)

    def document(self) -> NamedCells:
        """As one JSON object; `key` and `values` are the first filter's."""
        key, values = self.filters[0] if self.filters else (None, ())
        return {
            "machine": self.machine,
            "benchmark": self.benchmark,
            "key": key,
            "values": values,
            "filters": dict(self.filters),
        }

    def __str__(self) -> str:
        filters = (
            f"[{key} {', '.join(f'{v:g}' if isinstance(v, float) else v for v in of)}]" for key, of in self.filters
        )
        return " ".join((self.machine, self.benchmark, *filters))


def _found(cell: PublishedCell, key: str) -> object:
    return {"metric": cell.metric, "table": cell.table}.get(key, cell.params.get(key))


def named(text: str, machine: str) -> Named:
    """Read one clause; `machine` is meant where it names none. InputError where it is no clause."""
    found = _CLAUSE.match(text.strip())
    if found is None:
        raise InputError("names no cells", key="origin", value=text, accepted=ACCEPTED)
    filters = tuple(_filter(each) for each in re.findall(_FILTER, found["filters"]))
    return Named(found["machine"] or machine, found["benchmark"], filters)


def _filter(text: str) -> Filter:
    key, _, values = text[1:-1].partition(" ")
    words = [quoted or word.strip() for quoted, word in _VALUE.findall(values)]
    return key, tuple(float(word) if re.fullmatch(r"[\d.]+", word) else word for word in words if word)
