"""`assay plan`: what an evaluation would do, without doing it, and how long it will take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.verbs._completing import described_names

if TYPE_CHECKING:
    from assay.execute.duration import Duration


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def plan(
        on: Annotated[
            str | None,
            typer.Option(help="a described machine: its name, or a TOML file", autocompletion=described_names),
        ] = None,
        via: Annotated[str | None, typer.Option(help="local, mpiexec, hosts:FILE, slurm")] = None,
        nodes: Annotated[int | None, typer.Option("-N", min=1, max=2**31 - 1, help="nodes")] = None,
        ppn: Annotated[str | None, typer.Option(help="ranks per node; 1,2 does both")] = None,
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
        quiet: Annotated[bool, typer.Option("-q", "--quiet", help="only how long it will take")] = False,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
    ) -> None:
        """Say what `evaluate` would do, task by task, and how long it will take."""
        import os
        import sys

        from assay.benchmark.record import benchmark
        from assay.cli import emit
        from assay.execute.duration import duration
        from assay.store import known_runs
        from assay.verbs._wishing import evaluation

        asked = {"on": on, "via": via, "nodes": nodes, "ppn": ppn, "profile": profile, "only": only}
        asked |= {"launches": launches, "within": within, "budget": budget, "seed": seed}
        wishes = evaluation(asked, lambda text: print(text, file=sys.stderr)).wishes
        if wishes is None:
            quoted = f"{on}: nothing is run; published figures are quoted"
            emit({"tasks": [], "quoted": True}) if json else print(quoted)
            return
        made = wishes.plan()
        records = {name: benchmark(name) for name in wishes.names}
        machine = os.uname().nodename if on is None else wishes.target().machine
        expected: Duration | None = duration(made, records, machine, known_runs())
        if on is not None and expected and expected.known < expected.launches:
            expected = None  # what a simulation takes is known only from one made before
        if json:
            emit(made.to_dict() | {"expected": None if expected is None else expected.to_dict()})
            return
        first = made.launches if made.spending is None else made.spending.looks[0]
        for task in made.tasks if not quiet else ():
            ranks = "" if task.ranks is None else f"  {task.ranks} ranks"
            if task.launch < first:
                print(f"launch {task.launch:2}  {task.benchmark:<12}{ranks}  {' '.join(task.arguments)}")
        if made.spending is not None:
            looks = ", ".join(map(str, made.spending.looks[1:]))
            if looks:
                print(f"then on, to {looks} launches, where intervals are wider than ±{made.spending.within:.1%}")
        print(_words(expected))


def _words(expected: Duration | None) -> str:
    if expected is None:
        return "how long a simulation takes is not known before the first one"
    from assay.verbs._progress import duration as time_to_go

    text = f"{expected.launches} launches, about {time_to_go(expected.seconds)}"
    if expected.most > expected.seconds:
        text += f", at most {time_to_go(expected.most)} where intervals stay wide"
    if expected.known == expected.launches:
        return f"{text} (as they took here before)"
    return f"{text} (estimated by time slices, {expected.known} as they took here before); compiling comes first, once"
