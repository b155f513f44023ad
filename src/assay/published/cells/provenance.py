"""The kind of a published cell, or of a claim, with regard to a description, in the words of `assay.kinds`.

Fitted, input: a number of the description was fitted on the cell, or took its very value or was chosen by it.
Restated: the source makes it a function of other cells that were all used (or have no twin and are taken from print).
Interpolated, extrapolated: used cells of the same benchmark and machine have it inside their hull (`hull`), or do not.
Transferred: nothing of its benchmark and machine was used. Quoted: nothing is simulated for it.

Three sources decide, none by hand: `[origin]` of the described machine's file (`assay.published.cells.origins`),
`restates` of a table, a result or a claim in the catalogue, and the cells' coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from assay.described.shipped import shipped
from assay.kinds import EVIDENCE, NumberKind, weakest
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.machine.published import Claim
from assay.published.cells import hull, origins
from assay.published.cells.clauses import Named, named
from assay.published.cells.described_file import read

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
        self._marks: dict[int, NumberKind] = {}
        self._used: dict[str | None, tuple[PublishedCell, ...]] = {}

    def cell(self, cell: PublishedCell) -> NumberKind:
        """The kind of a cell of the catalogue."""
        if id(cell) not in self._marks:
            self._marks[id(cell)] = (
                NumberKind.TRANSFERRED
            )  # while it is worked out: a circle of restatements is no support
            self._marks[id(cell)] = self._found(cell)
        return self._marks[id(cell)]

    def _found(self, cell: PublishedCell) -> NumberKind:
        if not self.simulated(cell):
            return NumberKind.QUOTED
        sources = [named(text, cell.machine or "") for text in cell.restates]
        if sources and (settled := self._settled(sources)) is not None:
            return settled
        if any(each.holds(cell) for each in self._fitted):
            return NumberKind.FITTED
        if any(each.holds(cell) for each in self._taken):
            return NumberKind.INPUT
        beside = [each for each in self.used(cell.machine) if each.benchmark == cell.benchmark]
        if not beside:
            return NumberKind.TRANSFERRED
        return NumberKind.INTERPOLATED if hull.between(cell, beside) else NumberKind.EXTRAPOLATED

    def used(self, machine: str | None = None) -> tuple[PublishedCell, ...]:
        """The cells that were fitted on or taken: of one machine, or all that the description at hand used."""
        if machine not in self._used:
            every = (*self._fitted, *self._taken)
            self._used[machine] = tuple(
                cell
                for cell in catalogue.load().cells
                if machine in (None, cell.machine) and any(each.holds(cell) for each in every)
            )
        return self._used[machine]

    def _settled(self, clauses: list[Named]) -> NumberKind | None:
        """What a function of all these cells is: None where one of them is evidence, or a clause names no cell."""
        kinds: set[NumberKind] = set()
        for clause in clauses:
            found = {self.cell(cell) for cell in catalogue.load().cells if clause.holds(cell)}
            if not found or found & set(EVIDENCE):
                return None
            kinds |= found
        return NumberKind.INTERPOLATED if NumberKind.INTERPOLATED in kinds else NumberKind.RESTATED

    def claim(self, claim: Claim, clauses: Sequence[tuple[str, ...]] = ()) -> NumberKind:
        """The kind of a claim that is judged by simulation: the weakest of its clauses.

        clauses: for each part of its verdict the published cells that it speaks of (`clauses`); of one that names none,
        or none at all, the claim's own machines and benchmarks decide.
        """
        if claim.id in self._claims:
            return NumberKind.INPUT
        sources = [named(text, machine) for machine in claim.about or ("",) for text in claim.restates]
        if sources and (found := self._settled(sources)) is not None:
            return found
        whole = [Named(machine, benchmark) for machine in claim.about for benchmark in claim.of]
        parts = [[self._clause(named(text, "")) for text in of] for of in clauses if of]
        if not parts or not all(clauses):
            parts += [[self._place(each)] for each in whole]
        return weakest(self._comparison(kinds) for kinds in parts) or NumberKind.TRANSFERRED

    def _comparison(self, kinds: Sequence[NumberKind]) -> NumberKind:
        """One comparison of several numbers is worth as much as the weakest one, unless one was an input."""
        return NumberKind.INPUT if NumberKind.INPUT in kinds else max(kinds, key=list(NumberKind).index)

    def _clause(self, clause: Named) -> NumberKind:
        cells = [cell for cell in catalogue.load().cells if clause.holds(cell) and self.simulated(cell)]
        if self._only_inputs(clause.machine):
            return NumberKind.INPUT
        return weakest(self.cell(cell) for cell in cells) or self._place(clause)

    def _place(self, clause: Named) -> NumberKind:
        """Of what no cell is printed: whether cells or claims of the same benchmark and machine were used.

        Where all that is printed of that benchmark and machine are inputs, nothing of it can be predicted.
        """
        printed = [each for each in self._of(clause.machine) if each.benchmark == clause.benchmark]
        kinds = {self.cell(each) for each in printed} - {NumberKind.QUOTED}
        if self._only_inputs(clause.machine) or kinds == {NumberKind.INPUT}:
            return NumberKind.INPUT
        used = any(cell.benchmark == clause.benchmark for cell in self.used(clause.machine))
        claimed = any(
            clause.benchmark in claim.of and clause.machine in claim.about
            for claim in catalogue.load().claims
            if claim.id in self._claims
        )
        return NumberKind.EXTRAPOLATED if used or claimed else NumberKind.TRANSFERRED

    def _of(self, machine: str) -> list[PublishedCell]:
        return [cell for cell in catalogue.load().cells if cell.machine == machine]

    def _only_inputs(self, machine: str) -> bool:
        """Whether all that is printed of a machine and simulated went into its description."""
        kinds = {self.cell(cell) for cell in self._of(machine)} - {NumberKind.QUOTED}
        return kinds == {NumberKind.INPUT}
