"""`assay evaluate`: every part of a machine, into a report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def evaluate(
        on: Annotated[str | None, typer.Option(help="a described machine: its name, or a TOML file")] = None,
        via: Annotated[str | None, typer.Option(help="local, mpiexec, hosts:FILE, slurm")] = None,
        nodes: Annotated[
            int | None,
            typer.Option("-N", min=1, max=2**31 - 1, help="nodes; of a described machine 128 at most, unless said"),
        ] = None,
        ppn: Annotated[str | None, typer.Option(help="ranks a node; 1,2 does both")] = None,
        profile: Annotated[str, typer.Option(help="quick, standard or full")] = "quick",
        only: Annotated[str | None, typer.Option(help="PART,…: processor, memory, messages, …")] = None,
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
        out: Annotated[Path | None, typer.Option(help="the run's folder (default: runs/ID)")] = None,
        docs: Annotated[Path | None, typer.Option(help="with --on all: write machines.md there")] = None,
        beside: Annotated[str | None, typer.Option(help="with --on all: a run of this machine, drawn beside")] = None,
        resume: Annotated[str | None, typer.Option(help="go on with this run: its folder or id")] = None,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
    ) -> None:
        """Measure every part of a machine and write report.html."""
        from dataclasses import replace

        from assay.cli import emit
        from assay.errors import MeasurementError
        from assay.execute.absent import absent
        from assay.execute.plan import chosen
        from assay.execute.target import enough_ranks
        from assay.execute.wishes import Wishes, counts, seconds, share
        from assay.report.document import document
        from assay.report.listed import of_sections
        from assay.report.page import write
        from assay.store import Run
        from assay.verbs import _quoting
        from assay.verbs._doing import measure
        from assay.verbs._doing import resume as go_on

        if on == "all":
            _all(docs, beside, json)
            return
        if resume is not None:
            run = Run.open(resume)
            failures = go_on(run)
        else:
            parts = chosen(only, first_look=profile == "quick" and on is None)
            several = counts(ppn, "--ppn")
            wanted = [r for r in parts if on is None or r.kind == "ranks"]
            wishes = Wishes(
                names=tuple(record.name for record in wanted),
                on=on,
                via=via,
                nodes=_played(on) if nodes is None and on is not None else nodes,
                ppn=several,
                profile=profile,
                launches=launches,
                within=share(within, "--within"),
                budget=seconds(budget, "--budget"),
                seed=seed,
            )
            quoted = _quoting.quoted_whole(wishes, parts)
            if quoted is not None:
                emit({"figures": of_sections(quoted)} | quoted) if json else _quoting.show(quoted)
                return
            missing = absent(wanted, via) if on is None else None
            if missing is not None:
                wanted = [record for record in wanted if record not in missing.records]
                if only is not None or not wanted:  # what a person named is not dropped
                    raise MeasurementError(f"{missing.to_dict()['title']} cannot be measured: {missing.reason}")
                print(f"skipped: {missing.to_dict()['title']}: {missing.reason}", file=sys.stderr)
            records = enough_ranks(wanted, on, nodes, several, lambda text: print(text, file=sys.stderr))
            named = replace(wishes, names=tuple(record.name for record in records))
            run, failures = measure(named, out, left_out=[] if missing is None else [missing.to_dict()])
        whole = document(run)
        described = (run.about.get("wishes") or {}).get("on")
        if described:
            from assay.validation.document import attach

            attach(whole, described)
        whole["report"] = str(write(run, whole))
        if json:
            emit({"figures": of_sections(whole)} | whole)
        else:
            from assay.report.terminal import show

            show(whole)
        if failures or not whole["valid"]:
            raise typer.Exit(1)


MOST_PLAYED = 128  # nodes: an exchange of all with all grows by their square


def _played(on: str) -> int | None:
    """How many nodes of a described machine take part: all, up to so many; None where that is any number."""
    from assay.described.shipped import open_described, room, shipped

    if on.partition(":")[0] not in shipped() and not on.endswith(".toml"):
        return None  # only quoted, or unknown: said elsewhere
    found = room(open_described(on))
    return None if found is None else min(found, MOST_PLAYED)


def _all(docs: Path | None, beside: str | None, json: bool) -> None:
    """Every shipped description beside what was published of it."""
    from assay.cli import emit
    from assay.errors import InputError
    from assay.validation.document import everything
    from assay.validation.page import write

    if docs is None and not json:
        raise InputError("asks for all machines", key="--on", value="all", accepted="with --docs FOLDER, or --json")
    if docs is not None:
        from assay.report.document import document
        from assay.store import Run

        print(write(docs, None if beside is None else document(Run.open(beside))))
    if json:
        emit(everything())
