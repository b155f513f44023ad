"""Where a description's numbers are from, read from its `[origin]`: stated, fitted on named cells, or assumed.

    "protocol.0.startup" = "fitted: echo [hops 1, 6] (remark)"       # several: separated by semicolons
    "protocol.0.receive" = "fitted: as protocol.0.startup"           # one number in two places
    "network.cycle"      = "fitted: ipsc860 echo [hops 1, 6]"        # cells of another machine
    "network.dimension"  = "stated: Table 1"
    "node.processors"    = "assumed: …"

What stands behind `fitted:` decides which published cells count as evidence: a cell that a number was fitted on
does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.errors import InputError
from assay.machine.catalogue import Cell

KINDS = ("stated", "fitted", "assumed")
_CLAUSE = re.compile(r"(?:(?P<machine>[\w-]+) )?(?P<benchmark>[\w-]+)(?: \[(?P<key>\w+) (?P<values>[^\]]+)\])?$")


@dataclass(frozen=True)
class Used:
    """Cells that a number was fitted on: a benchmark of a machine, all of it or where `key` is one of `values`."""

    machine: str
    benchmark: str
    key: str | None = None
    values: tuple[float | str, ...] = ()

    def holds(self, cell: Cell) -> bool:
        """Whether this cell was used."""
        if cell.machine != self.machine or cell.benchmark != self.benchmark:
            return False
        if self.key is None:
            return True
        found = cell.metric if self.key == "metric" else cell.params.get(self.key)
        return found in self.values


def kind(text: str) -> str:
    """`stated`, `fitted` or `assumed`. InputError for anything else."""
    found = text.partition(":")[0].strip()
    if found not in KINDS:
        raise InputError("does not say where the number is from", key="origin", value=text, accepted=", ".join(KINDS))
    return found


def used(text: str, machine: str) -> tuple[Used, ...]:
    """The cells behind one origin; none unless it is fitted, or where another key's number is taken."""
    if kind(text) != "fitted" or text.startswith("fitted: as "):
        return ()
    clauses = re.sub(r"\([^)]*\)", "", text.partition(":")[2])
    return tuple(_clause(clause.strip(), machine) for clause in clauses.split(";"))


def _clause(text: str, machine: str) -> Used:
    found = _CLAUSE.match(text)
    if found is None:
        accepted = "fitted: BENCHMARK, or fitted: MACHINE BENCHMARK [KEY VALUE, VALUE]; …"
        raise InputError("names no cells", key="origin", value=text, accepted=accepted)
    words = [word.strip() for word in (found["values"] or "").split(",") if word.strip()]
    values = tuple(float(word) if re.fullmatch(r"[\d.]+", word) else word for word in words)
    return Used(found["machine"] or machine, found["benchmark"], found["key"], values)


def fitted(origin: Mapping[str, str], machine: str) -> tuple[Used, ...]:
    """All cells that any number of a description was fitted on."""
    return tuple(dict.fromkeys(each for text in origin.values() for each in used(text, machine)))


def mark(cell: Cell, behind: Iterable[Used], simulated: bool) -> str:
    """`quoted` where nothing was simulated, `fitted` where the cell stands behind a number, else `predicted`."""
    if not simulated:
        return "quoted"
    return "fitted" if any(each.holds(cell) for each in behind) else "predicted"
