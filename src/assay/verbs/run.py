"""`assay run BENCHMARK`: one benchmark, on this machine, behind a launcher, or on a description."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import typer

from assay.verbs._completion import benchmark_names
from assay.verbs._options import (
    Budget,
    Compilers,
    Flags,
    Goal,
    Isas,
    Json,
    Label,
    Launches,
    Matrix,
    Mpis,
    Nodes,
    On,
    PerNode,
    Placement,
    Profile,
    Quiet,
    RunFolder,
    Seed,
    Timeline,
    Timeout,
    Transports,
    Via,
    Within,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def run(
        context: typer.Context,
        benchmark: Annotated[
            str | None,
            typer.Argument(help="its name; `assay catalogue --benchmarks` lists them", autocompletion=benchmark_names),
        ] = None,
        on: On = None,
        via: Via = None,
        ranks: Annotated[
            str | None,
            typer.Option("-n", metavar="N,…", help="ranks of a message-passing benchmark; 1,2,4: each, and speedups"),
        ] = None,
        nodes: Nodes = None,
        ppn: PerNode = None,
        placement: Placement = None,
        settings: Annotated[
            list[str] | None,
            typer.Option(
                "--set", metavar="KEY=VALUE", help="a parameter; repetitions=N; with --on: machine.KEY of the file"
            ),
        ] = None,
        device: Annotated[
            str | None,
            typer.Option(
                "--device",
                metavar="WAY[:N],…",
                help="device of a device benchmark: opencl, cuda, or cuda:1 (default: all found)",
            ),
        ] = None,
        profile: Profile = "quick",
        compilers: Compilers = None,
        flags: Flags = None,
        isas: Isas = None,
        mpis: Mpis = None,
        transports: Transports = None,
        launches: Launches = None,
        within: Within = None,
        budget: Budget = None,
        timeout: Timeout = None,
        seed: Seed = 1,
        timeline: Timeline = None,
        matrix: Matrix = None,
        goal: Goal = None,
        verify: Annotated[
            bool,
            typer.Option(
                "--verify", help="on a described machine: an application also computes, and checks its result"
            ),
        ] = False,
        command: Annotated[
            str | None,
            typer.Option(
                metavar="TEMPLATE",
                help="instead of a benchmark: lammps, gromacs, espresso, cp2k, hpl, or TABLE.toml:NAME, a job with a "
                "command (docs/applications.md)",
            ),
        ] = None,
        out: RunFolder = None,
        label: Label = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Run one benchmark and report its figures."""
        from assay.benchmark.record import benchmark as record
        from assay.cli import emit
        from assay.document.json_form import to_json
        from assay.errors import InputError
        from assay.report.derive.document import document
        from assay.report.derive.empty_run import nothing_measured
        from assay.verbs import _one_benchmark, _quoted
        from assay.verbs._exclusive_option import refuse_others
        from assay.verbs._measuring import measure

        if command is not None:
            from assay.verbs import _command_template

            refuse_others(context, "--command", _command_template.TAKES, "which starts a command of a job table")
            if not _command_template.run_command(command, ranks, launches, out, quiet=quiet, json=json):
                raise typer.Exit(1)
            return
        request = _one_benchmark.request_of(context.params)
        (benchmark,) = request.names
        quoted = _quoted.quoted_one(request, record(benchmark))
        if quoted is not None:
            refuse_others(context, f"--on {on}", ("benchmark", "--set", "--quiet", "--json"), _quoted.ONLY_QUOTED)
            answered = to_json(quoted)
            emit(answered | {"quoted": answered["figures"]}) if json else _quoted.show(quoted, quiet)
            return
        made, failures = measure(request, out, label=label, quiet=quiet)
        whole = document(made, quoted_nodes=False)
        if on is not None and record(benchmark).published:  # else nothing printed is there to compare with
            from assay.published.cells.run_kinds import with_kinds

            whole = with_kinds(whole, on)
        section = next((s for s in whole.benchmarks if s.benchmark == benchmark), None)
        measured = section is not None and section.state != "invalid"
        flat = {k: v for k, v in to_json(whole).items() if k != "benchmarks"}
        flat |= {"benchmark": benchmark, "figures": [], "headlines": []} if section is None else to_json(section)
        flat |= {"valid": whole.valid and measured, "warnings": whole.warnings}
        nothing = nothing_measured(whole)
        if on is not None:
            from assay.report.derive.message_time import where

            flat["where"] = where(made)
            flat["quoted"] = [to_json(each) for each in _quoted.published_figures(on, record(benchmark))]
        if json:
            if section is not None and not section.headlines:
                from assay.report.judge.first_figures import with_headlines

                shown = next(each for each in with_headlines(whole).benchmarks if each.benchmark == benchmark)
                flat |= {"headlines": to_json(shown)["headlines"]}
            emit(flat)
        else:
            from assay.report.render.one_line import one_line, why_not

            if not quiet:
                from assay.report.judge.verdict import verdict
                from assay.report.render.terminal import show

                whole = replace(whole, summary=verdict(whole, made.about))
                show(whole)
                if on is not None and record(benchmark).kind == "node":
                    _quoted.show_beside(on, record(benchmark))
            elif reason := why_not(whole):
                print(reason, file=sys.stderr)
            print(one_line(whole))
        if nothing and not failures and (on is not None or request.settings.keys() - {"repetitions"}):
            raise InputError(nothing)
        if failures or (not flat["valid"] and not nothing):  # what this host has no place for is skipped, no failure
            raise typer.Exit(1)
