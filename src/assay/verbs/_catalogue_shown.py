"""What `assay catalogue` prints for people: lists, a machine, a paper, cells, claims, Assay's own benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from assay import sanitised

if TYPE_CHECKING:
    from rich.console import Console

    from assay.benchmark.model import BenchmarkDescribed
    from assay.machine.catalogue import CatalogueMachine, PublishedCell
    from assay.machine.published import Claim, Paper


def show_list(
    console: Console, machines: Iterable[CatalogueMachine], papers: Iterable[Paper], cells: Sequence[PublishedCell]
) -> None:
    """Print which machines and papers there are."""
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


def show_machine(console: Console, machine: CatalogueMachine) -> None:
    """Print a machine: each fact, by paper where papers differ."""
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


def show_paper(console: Console, paper: Paper, blocks: Any) -> None:
    """Print a paper, and how much the catalogue has of it."""
    from rich.text import Text

    console.print(Text(paper.title, style="bold"))
    console.print(Text(f"{', '.join(paper.authors)}. {paper.venue}, {paper.year or 'undated'} ({paper.year_basis})"))
    for words in (*paper.conventions, *paper.remarks):
        console.print(Text(f"- {words}"))
    counts = {kind: sum(each.paper == paper.id for each in found) for kind, found in blocks.items()}
    console.print(
        Text("holds: " + ", ".join(f"{count} {kind}" for kind, count in counts.items() if count), style="dim")
    )
    events = [(event.date, event.text) for event in blocks.get("event", ()) if event.paper == paper.id]
    if events:
        console.print(Text("\nWhen what happened", style="bold"))
        for date, words in events:
            console.print(Text(f"{date:<9} {words}"))


def show_cells(console: Console, cells: Sequence[PublishedCell]) -> None:
    """Print cells as tables, by family of benchmarks."""
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


def show_claims(console: Console, claims: Sequence[Claim]) -> None:
    """Print claims in the words of their papers."""
    from rich.text import Text

    for claim in claims:
        console.print(Text.assemble((claim.id, "cyan"), f"  {claim.kind}", (f"  {claim.paper}, {claim.source}", "dim")))
        console.print(Text(f"  {claim.text}"))
    if not claims:
        console.print("no claims")


def show_own_list(benchmarks: Sequence[BenchmarkDescribed]) -> None:
    """Print Assay's own benchmarks by part, a line each: name and title."""
    from rich.text import Text

    console = sanitised.console()
    wide = max(len(each["name"]) for each in benchmarks)
    part = None
    for each in sorted(benchmarks, key=lambda one: str(one["part"])):
        if each["part"] != part:
            part = each["part"]
            console.print(Text(f"\n{part}" if part else "", style="bold"))
        console.print(Text.assemble((each["name"].ljust(wide), "cyan"), f"  {each['title']}"))
    console.print("\nassay benchmarks NAME shows what one measures, its parameters and figures; assay run NAME runs it")


def show_own(benchmark: BenchmarkDescribed) -> None:
    """Print one of Assay's own benchmarks: what it measures, its parameters and figures."""
    from rich.text import Text

    from assay.benchmark.record import shortened, spelled_defaults

    console = sanitised.console()
    console.print(Text.assemble((benchmark["name"], "cyan"), f" ({benchmark['part']})  {benchmark['summary']}"))
    for key, given in benchmark["parameters"].items():
        values = shortened(spelled_defaults(given))
        console.print(Text(f"    --set {key}={values}  {given['help']} ({given['accepted']})"))
    for key, figure in benchmark["figures"].items():
        console.print(Text(f"    figure {key} [{figure['unit']}]  {figure['help']}", style="dim"))
    if benchmark["published"]:
        console.print(Text(f"    published as {', '.join(benchmark['published'])}", style="dim"))
