"""`assay accept CONTRACT.toml`: does a machine meet a contract, by measuring it or by a run that is there?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._completion import run_names
from assay.verbs._options import Json, Nodes, On, PerNode, Quiet, Runs, Seed, Timeout, Via, named_path

MOST_LAUNCHES = 10_000  # as analysis/acceptance.py has it, which is not imported for help
STATUS = {"accepted": 0, "rejected": 3, "not shown": 4}
OF_RUNS = ("names", "--run", "--junit", "--sheet", "--quiet", "--json")  # what --run leaves an effect
OF_FLEET = ("names", "--coverage", "--confidence", "--out", "--json")
OF_PLAN = ("names", "--on", "-N", "--most", "--quiet", "--json")


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def accept(
        context: typer.Context,
        names: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="CONTRACT.toml",
                help="requirements, with the risks of both sides; with --learn: runs",
                autocompletion=run_names,
            ),
        ] = None,
        runs: Runs = None,
        on: On = None,
        via: Via = None,
        nodes: Nodes = None,
        ppn: PerNode = None,
        most: Annotated[
            int | None,
            typer.Option(
                metavar="N",
                min=1,
                max=MOST_LAUNCHES,
                help="maximum number of launches per benchmark (default: what both risks need)",
            ),
        ] = None,
        timeout: Timeout = None,
        seed: Seed = 1,
        out: Annotated[
            Path | None,
            typer.Option(
                "-o",
                "--out",
                parser=named_path,
                metavar="PATH",
                help="the run's folder, or a folder of runs for several benchmarks; with --from, --learn: the contract",
            ),
        ] = None,
        plan: Annotated[
            bool, typer.Option("--plan", help="show what would be measured, and how often, and measure nothing")
        ] = False,
        junit: Annotated[
            Path | None, typer.Option(metavar="FILE", help="write the verdicts as JUnit XML: a case for each node")
        ] = None,
        sheet: Annotated[
            Path | None, typer.Option(metavar="FILE", help="write an HTML page: requirements, measurements, machine")
        ] = None,
        reference: Annotated[
            str | None,
            typer.Option(
                "--from",
                metavar="RUN",
                help="write a contract from the main figures of a run",
                autocompletion=run_names,
            ),
        ] = None,
        tolerance: Annotated[
            str | None, typer.Option(metavar="SHARE", help="with --from: tolerance of the limits (default: 5%)")
        ] = None,
        learn: Annotated[
            bool, typer.Option("--learn", help="write a contract with limits that the nodes of these runs meet")
        ] = False,
        coverage: Annotated[
            str | None,
            typer.Option(metavar="SHARE", help="with --learn: share of nodes that meet the limits (default: 95%)"),
        ] = None,
        confidence: Annotated[
            str | None, typer.Option(metavar="SHARE", help="with --learn: confidence (default: 95%)")
        ] = None,
        template: Annotated[bool, typer.Option("--template", help="print a template of a contract")] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Judge a machine by a contract: each requirement is accepted, rejected or not shown.

        With --run it judges runs that are there, one of each benchmark; without, it measures what the contract needs.
        Exit status: 0 accepted, 3 rejected, 4 neither, 1 where a launch failed.
        """
        from assay.errors import InputError
        from assay.verbs import _accept, _file_names
        from assay.verbs._exclusive_option import refuse_others
        from assay.verbs._output_files import check_outputs

        if template:
            refuse_others(context, "--template", ("--json",))
            _accept.print_template(json)
            return
        if learn:
            refuse_others(context, "--learn", OF_FLEET)
            _accept.write_contract(_accept.learnt(names or [], coverage, confidence), out, json=json)
            return
        if reference is not None:
            refuse_others(context, f"--from {reference}", ("--tolerance", "--out", "--json"))
            _accept.write_contract(_accept.contract_from_run(reference, tolerance), out, json=json)
            return
        for option, value, of in (
            ("--tolerance", tolerance, "--from"),
            ("--coverage", coverage, "--learn"),
            ("--confidence", confidence, "--learn"),
        ):
            if value is not None:
                raise InputError("has no effect here", key=option, value=value, accepted=f"with {of}")
        if not names or len(names) > 1:
            accepted = "one CONTRACT.toml; or --template, --from RUN, --learn RUN… to write one"
            problem = "takes one contract" if names else "the contract is missing"
            raise InputError(problem, key="accept", value=" ".join(names or []) or None, accepted=accepted)
        contract = Path(names[0])
        _file_names.check_suffix("--junit", junit, "XML", _file_names.XML)
        _file_names.check_suffix("--sheet", sheet, "HTML", _file_names.PAGE)
        check_outputs({"--junit": junit, "--sheet": sheet}, {"CONTRACT.toml": contract})
        if runs:
            refuse_others(context, f"--run {runs[0]}", OF_RUNS, "which judges what is there")
            found = _accept.judge_stored_runs(contract, runs)
        else:
            options = _accept.MeasurementRequest(on, via, nodes, ppn, most, timeout, seed, out)
            if plan:
                refuse_others(context, "--plan", OF_PLAN)
                _accept.show_plan(contract, options, quiet=quiet, json=json)
                return
            found = _accept.measure_contract(contract, options, quiet=quiet)
        _accept.write(found, junit, sheet)
        _accept.show(found, quiet=quiet, json=json)
        if STATUS[found.verdict]:
            raise typer.Exit(STATUS[found.verdict])
