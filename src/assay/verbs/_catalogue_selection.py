"""The selection of `assay catalogue`: published machines, papers, benchmarks, cells and claims, by name."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.machine.catalogue import CatalogueMachine, PublishedCell
    from assay.machine.published import Claim, Paper, PublishedBlock


class Selection:
    """A selection: a machine or a paper or all, narrowed to a benchmark, numbers or claims."""

    def __init__(self, name: str | None, benchmark: str | None, claims: bool) -> None:
        from assay.errors import InputError
        from assay.machine import catalogue

        self.all = catalogue.load()
        self.machine: CatalogueMachine | None = None
        self.paper: Paper | None = None
        self.claims_only = claims
        self.benchmark = catalogue.benchmark(benchmark) if benchmark else None
        if name is not None:
            try:
                self.machine = catalogue.machine(name)
            except InputError:
                try:
                    self.paper = catalogue.paper(name)
                except InputError:
                    from assay.described.shipped import shipped
                    from assay.toml.checking import near

                    known = [*self.all.machines, *(each for each in shipped() if each not in self.all.machines)]
                    known += self.all.papers
                    problem = f"no machine, description or paper of this name{near(name, known)}"
                    raise InputError(problem, key="catalogue", value=name, accepted=", ".join(known)) from None
        self.whole = name is None and benchmark is None and not claims
        self.cells: list[PublishedCell] = catalogue.cells(
            machine=self.machine.id if self.machine else None,
            paper=self.paper.id if self.paper else None,
            benchmark=self.benchmark.id if self.benchmark else None,
        )
        self.claims = [each for each in self.all.claims if self._about(each)]

    def _about(self, claim: Claim) -> bool:
        families = None
        if self.benchmark:
            own = self.benchmark.id
            families = {own} | {each.id for each in self.all.benchmarks.values() if each.family == own}
        return (
            (self.machine is None or self.machine.id in claim.about)
            and (self.paper is None or claim.paper == self.paper.id)
            and (families is None or bool(families & set(claim.of)))
        )

    def document(self) -> dict[str, object]:
        """As one JSON object; numbers in SI and as printed."""
        from assay.verbs import _described

        claims = [_json(each) for each in self.claims]
        if self.whole:
            return {
                "papers": [each.model_dump(exclude_unset=True) for each in self.all.papers.values()],
                "machines": [
                    {**each.document(), "cells": sum(cell.machine == each.id for cell in self.all.cells)}
                    for each in self.all.machines.values()
                ],
                "benchmarks": [
                    {
                        "id": each.id,
                        "title": each.title,
                        "family": each.family,
                        "papers": sorted({statement.paper for statement in each.statements}),
                        "cells": sum(cell.benchmark == each.id for cell in self.all.cells),
                    }
                    for each in self.all.benchmarks.values()
                ],
                "claims": len(self.all.claims),
                "described": _described.described(),
            }
        document: dict[str, object] = {}
        if self.machine:
            document["machine"] = self.machine.document()
            document["described"] = _described.description(self.machine.id)
        if self.paper:
            document["paper"] = self.paper.model_dump(exclude_unset=True)
            document["blocks"] = {
                kind: [_json(each) for each in blocks if each.paper == self.paper.id]
                for kind, blocks in self.all.blocks.items()
                if kind not in ("table", "result", "claim")
            }
        if self.benchmark:
            statements = [_json(each) for each in self.benchmark.statements]
            document["benchmark"] = {"id": self.benchmark.id, "title": self.benchmark.title, "statements": statements}
        if not self.claims_only:
            document["cells"] = [each.document() for each in self.cells]
        return document | {"claims": claims}

    def one_line(self) -> str:
        """Count what `show` lists."""
        if self.whole:
            from assay.verbs import _described

            counts: dict[str, Sized] = {
                "machines": self.all.machines,
                "papers": self.all.papers,
                "values": self.all.cells,
            }
            counts |= {"claims": self.all.claims, "described machines": _described.described()}
            return ", ".join(f"{len(found):,} {what}" for what, found in counts.items())
        named = [each.id for each in (self.machine, self.paper, self.benchmark) if each is not None]
        values = [] if self.claims_only else [f"{len(self.cells):,} values"]
        return f"{' and '.join(named) or 'all'}: {', '.join([*values, f'{len(self.claims):,} claims'])}"

    def show(self) -> None:
        """Print it for people."""
        from rich.text import Text

        from assay.report.render.console import listing
        from assay.verbs import _catalogue_shown as shown

        console = listing()
        if self.whole:
            shown.show_list(console, self.all.machines.values(), self.all.papers.values(), self.all.cells)
            return
        if self.machine:
            shown.show_machine(console, self.machine)
        if self.paper:
            shown.show_paper(console, self.paper, self.all.blocks)
        if self.benchmark:
            console.print(Text(f"{self.benchmark.id}: {self.benchmark.title}", style="bold"))
            for statement in self.benchmark.statements:
                console.print(Text(f"{statement.definition} [{statement.paper}, {statement.source}]"))
        if self.claims_only:
            shown.show_claims(console, self.claims)
            return
        shown.show_cells(console, self.cells)
        if self.claims:
            console.print(Text(f"\n{len(self.claims)} claims in words: shown by --claims", style="dim"))


def _json(block: PublishedBlock) -> dict[str, object]:
    return block.model_dump(mode="json", exclude_unset=True)
