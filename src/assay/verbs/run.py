"""`assay run BENCHMARK`: one benchmark, on this machine, behind a launcher, or on a description."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._completing import benchmark_names, described_names


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def run(
        benchmark: Annotated[
            str,
            typer.Argument(help="its name; `assay catalogue --benchmarks` lists them", autocompletion=benchmark_names),
        ],
        on: Annotated[
            str | None,
            typer.Option(help="a described machine: its name, or a TOML file", autocompletion=described_names),
        ] = None,
        via: Annotated[str | None, typer.Option(help="local, mpiexec, hosts:FILE, slurm")] = None,
        ranks: Annotated[
            int | None, typer.Option("-n", min=1, max=2**31 - 1, help="ranks of a message-passing benchmark")
        ] = None,
        nodes: Annotated[int | None, typer.Option("-N", min=1, max=2**31 - 1, help="nodes")] = None,
        ppn: Annotated[str | None, typer.Option(help="ranks a node; 1,2 does both")] = None,
        settings: Annotated[
            list[str] | None, typer.Option("--set", help="KEY=VALUE; repetitions=N; machine.KEY of --on")
        ] = None,
        profile: Annotated[str, typer.Option(help="quick, standard or full")] = "quick",
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
        timeline: Annotated[
            Path | None, typer.Option(help="on a described machine: ranks and messages over time, for Perfetto (JSON)")
        ] = None,
        matrix: Annotated[
            Path | None, typer.Option(help="on a described machine: messages and bytes between ranks (CSV)")
        ] = None,
        out: Annotated[Path | None, typer.Option(help="the run's folder (default: runs/ID)")] = None,
        quiet: Annotated[bool, typer.Option("-q", "--quiet", help="no progress; one line at the end")] = False,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
    ) -> None:
        """Run one benchmark and say its figures."""
        from assay.benchmark.record import benchmark as record
        from assay.cli import emit
        from assay.execute.wishes import Wishes, counts, seconds, share, split
        from assay.report.document import document
        from assay.verbs import _quoting
        from assay.verbs._doing import measure

        given, machine = split(settings or [])
        wishes = Wishes(
            names=(benchmark,),
            on=on,
            via=via,
            ranks=ranks,
            nodes=nodes,
            ppn=counts(ppn, "--ppn"),
            settings=given,
            machine=machine,
            profile=profile,
            launches=launches,
            within=share(within, "--within"),
            budget=seconds(budget, "--budget"),
            seed=seed,
            timeline=None if timeline is None else str(timeline),
            matrix=None if matrix is None else str(matrix),
        )
        quoted = _quoting.quoted_one(wishes, record(benchmark))
        if quoted is not None:
            emit(quoted) if json else _quoting.show(quoted)
            return
        made, failures = measure(wishes, out, quiet=quiet)
        whole = document(made, quoted_nodes=False)
        section = next((s for s in whole["benchmarks"] if s["benchmark"] == benchmark), None)
        flat = {k: v for k, v in whole.items() if k != "benchmarks"} | (
            section or {"benchmark": benchmark, "figures": []}
        )
        left_out = any(each["benchmark"] == benchmark for each in whole["left_out"])
        measured = section is not None and section["state"] != "invalid"
        flat["valid"] = whole["valid"] and (measured or left_out)
        flat["warnings"] = whole["warnings"]
        if on is not None:
            from assay.report.where import where

            flat["where"] = where(made)
        if json:
            emit(flat)
        else:
            from assay.report.one_line import one_line, why_not

            if not quiet:
                from assay.report.terminal import show

                show(whole)
            elif reason := why_not(whole):
                print(reason, file=sys.stderr)
            print(one_line(whole))
        if failures or not flat["valid"]:
            raise typer.Exit(1)
