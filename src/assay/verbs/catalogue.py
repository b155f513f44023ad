"""`assay catalogue`: the published machines, their results and claims, and Assay's own benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.verbs._completing import beside_names
from assay.verbs._options import Json, Quiet

if TYPE_CHECKING:
    from rich.console import Console

    from assay.machine.catalogue import CatalogueMachine, PublishedCell
    from assay.machine.published import Claim, Paper, PublishedBlock


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def catalogue(
        name: Annotated[
            str | None,
            typer.Argument(help="a machine or a paper, by id or name", show_default=False, autocompletion=beside_names),
        ] = None,
        benchmark: Annotated[str | None, typer.Option(help="the published numbers of this benchmark")] = None,
        benchmarks: Annotated[bool, typer.Option("--benchmarks", help="Assay's own benchmarks, by part")] = False,
        claims: Annotated[bool, typer.Option("--claims", help="the papers' claims in words")] = False,
        machine_keys: Annotated[
            bool, typer.Option("--machine-keys", help="the keys of a described machine's file")
        ] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Show published machines and results, and described machines. Without a name: the lists of all."""
        from assay.cli import emit
        from assay.errors import InputError

        if machine_keys:
            from assay.described import machine_keys as reference

            tables = reference.sections()
            if json:
                emit({"tables": tables})
            elif quiet:
                print(f"{sum(len(table['keys']) for table in tables)} keys in {len(tables)} tables")
            else:
                print(reference.markdown())
            return
        if benchmarks and (name or benchmark or claims):
            raise InputError(
                "--benchmarks shows Assay's own benchmarks and takes nothing beside it", key="--benchmarks"
            )
        if benchmarks:
            from assay.benchmark.record import benchmarks as own

            document: dict[str, Any] = {"benchmarks": [each.describe() for each in own().values()]}
            if json:
                emit(document)
            elif quiet:
                parts = {each["part"] for each in document["benchmarks"]}
                print(f"{len(document['benchmarks'])} benchmarks in {len(parts)} parts")
            else:
                _show_own(document["benchmarks"])
            return
        if name is not None and not (benchmark or claims) and _only_described(name, quiet, json):
            return
        selection = Selection(name, benchmark, claims)
        if json:
            emit(selection.document())
        elif quiet:
            print(selection.one_line())
        else:
            selection.show()


def _only_described(name: str, quiet: bool, json: bool) -> bool:
    """Show a machine that is described and was never published; whether it is one."""
    from assay.cli import emit
    from assay.machine import catalogue
    from assay.verbs import _described

    found = None if name in catalogue.load().machines else _described.description(name)
    if found is not None:
        if json:
            emit({"described": found})
        elif quiet:
            print(f"{name}: {found['title']}, described, {len(found['keys'])} keys")
        else:
            _described.show(found)
    return found is not None


class Selection:
    """What was asked for: a machine or a paper or all, narrowed to a benchmark, numbers or claims."""

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
                    self.machine = catalogue.machine(name)  # its message lists machines that are near
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

    def document(self) -> dict[str, Any]:
        """As one JSON object; numbers in SI with the printed ones beside them."""
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
        document: dict[str, Any] = {}
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
            said = [_json(each) for each in self.benchmark.statements]
            document["benchmark"] = {"id": self.benchmark.id, "title": self.benchmark.title, "statements": said}
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
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False)
        if self.whole:
            _show_list(console, self.all.machines.values(), self.all.papers.values(), self.all.cells)
            return
        if self.machine:
            _show_machine(console, self.machine)
        if self.paper:
            _show_paper(console, self.paper, self.all.blocks)
        if self.benchmark:
            console.print(Text(f"{self.benchmark.id}: {self.benchmark.title}", style="bold"))
            for statement in self.benchmark.statements:
                console.print(Text(f"{statement.definition} [{statement.paper}, {statement.source}]"))
        if self.claims_only:
            _show_claims(console, self.claims)
            return
        _show_cells(console, self.cells)
        if self.claims:
            console.print(Text(f"\n{len(self.claims)} claims in words: shown by --claims", style="dim"))


def _json(block: PublishedBlock) -> dict[str, Any]:
    return block.model_dump(mode="json", exclude_unset=True)


def _show_list(
    console: Console, machines: Iterable[CatalogueMachine], papers: Iterable[Paper], cells: Sequence[PublishedCell]
) -> None:
    from rich.table import Table

    from assay.verbs import _described

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading, justify in (("id", "left"), ("machine", "left"), ("nodes", "right"), ("values", "right")):
        table.add_column(heading, justify="right" if justify == "right" else "left", no_wrap=heading == "id")
    for each in machines:
        count = sum(cell.machine == each.id for cell in cells)
        table.add_row(each.id, each.name, str(each.fact("nodes") or ""), str(count or ""))
    console.print(table)
    sources = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("paper", "year", "title"):
        sources.add_column(heading, no_wrap=heading == "paper")
    for paper in papers:
        sources.add_row(paper.id, str(paper.year or "?"), paper.title)
    console.print()
    console.print(sources)
    _described.show_list()
    console.print("\nassay catalogue NAME shows one of them; --benchmark B one benchmark; --claims; --benchmarks")


def _show_machine(console: Console, machine: CatalogueMachine) -> None:
    from rich.table import Table
    from rich.text import Text

    console.print(Text(machine.name, style="bold"), Text(f"  ({machine.id})", style="dim"), sep="")
    table = Table.grid(padding=(0, 2), pad_edge=False)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    several = len(machine.statements) > 1
    for key, by_paper in machine.facts.items():
        values = list(dict.fromkeys(_plain(value) for value in by_paper.values()))
        if len(values) == 1:
            words = values[0]
        else:
            words = "\n".join(f"{_plain(value)} [{paper}]" for paper, value in by_paper.items())
        table.add_row(Text(key, style="dim"), Text(words))
    for statement in machine.statements:
        source = f"{statement.paper}, {statement.source}"
        table.add_row(Text("source", style="dim"), Text(source))
        if statement.note:
            table.add_row(
                Text("note", style="dim"), Text(statement.note + (f" [{statement.paper}]" if several else ""))
            )
    console.print(table)


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " x ".join(_plain(each) for each in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _show_paper(console: Console, paper: Paper, blocks: Any) -> None:
    from rich.text import Text

    console.print(Text(paper.title, style="bold"))
    console.print(Text(f"{', '.join(paper.authors)}. {paper.venue}, {paper.year or 'undated'} ({paper.year_basis})"))
    for words in (*paper.conventions, *paper.remarks):
        console.print(Text(f"- {words}"))
    counts = {kind: sum(each.paper == paper.id for each in found) for kind, found in blocks.items()}
    console.print(
        Text("holds: " + ", ".join(f"{count} {kind}" for kind, count in counts.items() if count), style="dim")
    )


def _show_cells(console: Console, cells: Sequence[PublishedCell]) -> None:
    from rich.table import Table
    from rich.text import Text

    from assay.machine.catalogue import load
    from assay.machine.pivot import grids

    family = None
    for grid in grids(cells):
        if grid.family != family:
            family = grid.family
            console.print(Text.assemble(("\n" + family, "bold"), f"  {load().benchmarks[family].title}"))
        console.print(Text(grid.title, style="bold"))
        if grid.fixed:
            console.print(Text(grid.fixed, style="dim"))
        table = Table(box=None, header_style="cyan", padding=(0, 2, 0, 0), pad_edge=False)
        for key in grid.row_keys:
            table.add_column(key, overflow="fold")
        for head in grid.columns:
            table.add_column(head, justify="right", overflow="fold")
        for row in grid.rows:
            table.add_row(*row)
        console.print(table)
        for note in grid.notes:
            console.print(Text(f"note: {note}", style="dim"))


def _show_claims(console: Console, claims: Sequence[Claim]) -> None:
    from rich.text import Text

    for claim in claims:
        console.print(Text.assemble((claim.id, "cyan"), f"  {claim.kind}", (f"  {claim.paper}, {claim.source}", "dim")))
        console.print(Text(f"  {claim.text}"))
    if not claims:
        console.print("no claims")


def _show_own(benchmarks: Sequence[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    part = None
    for each in sorted(benchmarks, key=lambda one: str(one["part"])):
        if each["part"] != part:
            part = each["part"]
            console.print(Text(f"\n{part}", style="bold"))
        console.print(Text.assemble((each["name"], "cyan"), f"  {each['summary']}"))
        for key, given in each["parameters"].items():
            console.print(Text(f"    --set {key}={given['default']}  {given['help']} ({given['accepted']})"))
        for key, figure in each["figures"].items():
            console.print(Text(f"    figure {key} [{figure['unit']}]  {figure['help']}", style="dim"))
        if each["published"]:
            console.print(Text(f"    published as {', '.join(each['published'])}", style="dim"))
