"""`assay plan`: what an evaluation would do, without doing it."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def plan(
        profile: Annotated[str, typer.Option(help="quick, standard or full")] = "quick",
        only: Annotated[str | None, typer.Option(help="PART,…")] = None,
        launches: Annotated[
            int | None,
            typer.Option(min=1, max=2**31 - 1, help="fresh processes (default: the profile's); with --within: at most"),
        ] = None,
        within: Annotated[
            str | None,
            typer.Option(
                help="launch until half the 95% intervals are within this (default: standard 2%, full 1%; quick: fixed)"
            ),
        ] = None,
        budget: Annotated[
            str | None,
            typer.Option(help="what launches may take, e.g. 20min (default: twice the profile's first launches)"),
        ] = None,
        seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="orders and alignments")] = 1,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
    ) -> None:
        """Say what `evaluate` would do, task by task."""
        from assay.cli import emit
        from assay.execute.plan import chosen
        from assay.execute.wishes import Wishes, seconds, share

        names = tuple(record.name for record in chosen(only, first_look=profile == "quick"))
        made = Wishes(
            names=names,
            profile=profile,
            launches=launches,
            within=share(within, "--within"),
            budget=seconds(budget, "--budget"),
            seed=seed,
        ).plan()
        if json:
            emit(made.to_dict())
            return
        for task in made.tasks:
            ranks = "" if task.ranks is None else f"  {task.ranks} ranks"
            print(f"launch {task.launch:2}  {task.benchmark:<12}{ranks}  {' '.join(task.arguments)}")
