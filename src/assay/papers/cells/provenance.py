"""What a published cell, or a claim, says of a description: it is evidence only where nothing in the file rests on it.

`fitted`     a number of the description was fitted on the cell;
`input`      the description took the cell's (or the claim's) very value, or was chosen by it;
`restated`   the source makes it a function of other cells, all of which were fitted on, taken, or have no twin and are
             taken from print: once those are given, so is this;
`predicted`  none of these: evidence;
`quoted`     nothing is simulated for it.

Two sources decide, neither by hand: `[origin]` of the described machine's file (`assay.papers.cells.origins`), and
`restates` of a table, a result or a claim in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal

from assay.described.shipped import shipped
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.machine.published import Claim
from assay.papers.cells import origins
from assay.papers.cells.clauses import Named, named
from assay.papers.cells.described_file import read

Mark = Literal["fitted", "input", "restated", "predicted", "quoted"]
MARKS: tuple[Mark, ...] = ("fitted", "input", "restated", "predicted", "quoted")
Origins = Mapping[str, Mapping[str, Mapping[str, str]]]


@cache
def _shipped() -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = {}
    for name, path in shipped().items():
        one = read(path)
        found.setdefault(one.published, {})[name] = one.origin
    return found


class Provenance:
    """Marks of cells and claims; `origin` is the description at hand of `published`, the others are the shipped ones.

    `simulated(cell)`: whether the cell has a twin.
    """

    def __init__(
        self,
        simulated: Callable[[PublishedCell], bool],
        published: str | None = None,
        origin: Mapping[str, str] | None = None,
    ) -> None:
        self.simulated = simulated
        known: dict[str, Mapping[str, Mapping[str, str]]] = dict(_shipped())
        if published is not None and origin is not None:
            known[published] = {published: origin}
        files = [(machine, each) for machine, of in known.items() for each in of.values()]

        def own(read: Callable[[Mapping[str, str], str], tuple[Named, ...]]) -> tuple[Named, ...]:
            """Cells of a machine that its own description used, and all that the one at hand did."""
            of = [(machine, each) for machine, origin in files for each in read(origin, machine)]
            return tuple(each for machine, each in of if machine in (each.machine, published))

        self._fitted, self._taken = own(origins.fitted_on), own(origins.taken_from)
        self._claims = frozenset(claim for machine, each in files for claim in origins.claims_used(each, machine))
        self._marks: dict[int, Mark] = {}

    def cell(self, cell: PublishedCell) -> Mark:
        """The mark of a cell of the catalogue."""
        if id(cell) not in self._marks:
            self._marks[id(cell)] = "predicted"  # while it is worked out: a circle of restatements is no support
            self._marks[id(cell)] = self._found(cell)
        return self._marks[id(cell)]

    def _found(self, cell: PublishedCell) -> Mark:
        if not self.simulated(cell):
            return "quoted"
        if cell.restates and self._settled([named(text, cell.machine or "") for text in cell.restates]):
            return "restated"
        if any(each.holds(cell) for each in self._fitted):
            return "fitted"
        return "input" if any(each.holds(cell) for each in self._taken) else "predicted"

    def _settled(self, clauses: list[Named]) -> bool:
        """Whether every cell that is named counts for nothing; a clause without cells settles nothing."""
        for clause in clauses:
            found = [cell for cell in catalogue.load().cells if clause.holds(cell)]
            if not found or any(self.cell(cell) == "predicted" for cell in found):
                return False
        return True

    def claim(self, claim: Claim) -> Mark:
        """The mark of a claim that is judged by simulation: input, restated or predicted."""
        if claim.id in self._claims:
            return "input"
        clauses = [named(text, machine) for machine in claim.about or ("",) for text in claim.restates]
        return "restated" if clauses and self._settled(clauses) else "predicted"
