"""`assay evaluate`: every part of a machine, into a report."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._completion import run_names
from assay.verbs._options import (
    BESIDE,
    Budget,
    Compilers,
    DocsFolder,
    Flags,
    Isas,
    Json,
    Label,
    Launches,
    Mpis,
    Nodes,
    On,
    Only,
    PerNode,
    Placement,
    Profile,
    Quiet,
    RunFolder,
    Seed,
    Timeout,
    Transports,
    Via,
    Within,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def evaluate(
        context: typer.Context,
        on: On = None,
        via: Via = None,
        nodes: Nodes = None,
        ppn: PerNode = None,
        placement: Placement = None,
        profile: Profile = "quick",
        only: Only = None,
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
        out: RunFolder = None,
        label: Label = None,
        docs: DocsFolder = None,
        beside: Annotated[str | None, typer.Option(metavar="RUN", help=BESIDE)] = None,
        resume: Annotated[
            str | None,
            typer.Option(metavar="RUN", help="resume this run: its folder or a name of it", autocompletion=run_names),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Measure every part of a machine and write report.html."""
        from assay.cli import emit
        from assay.described.shipped import find
        from assay.document.json_form import to_json
        from assay.errors import InputError
        from assay.published.cells.described_file import read
        from assay.report.derive.empty_run import nothing_measured
        from assay.report.judge.first_figures import with_headlines
        from assay.report.judge.verdict import judged
        from assay.report.render.figure_list import of_quoted, of_sections
        from assay.report.render.page import write
        from assay.store import Run
        from assay.verbs import _quoted
        from assay.verbs._compared_document import whole
        from assay.verbs._exclusive_option import refuse_others
        from assay.verbs._interrupts import report_can_be_made_again
        from assay.verbs._measuring import measure
        from assay.verbs._measuring import resume as go_on
        from assay.verbs._run_request import EvaluationOptions, evaluation

        if resume is not None:
            refuse_others(context, "--resume", ("--quiet", "--json"))
        if on == "all":
            refuse_others(context, "--on all", ("--docs", "--beside", "--quiet", "--json"))
            _all(docs, beside, json)
            return
        for option, value in (("--docs", docs), ("--beside", beside)):
            if value is not None:
                raise InputError("has no effect here", key=option, value=str(value), accepted="with --on all")
        if resume is not None:
            run = Run.open(resume)
            failures = go_on(run, quiet)
        else:
            given = EvaluationOptions(
                on=on, via=via, nodes=nodes, ppn=ppn, placement=placement, profile=profile, only=only,
                launches=launches, within=within, budget=budget, timeout=timeout, seed=seed, compilers=compilers,
                flags=flags, isas=isas, mpis=mpis, transports=transports,
            )  # fmt: skip
            found = evaluation(given, lambda text: print(text, file=sys.stderr))
            if found.request is None:
                assert found.quoted is not None  # one of both
                refuse_others(context, f"--on {on}", ("--only", "--quiet", "--json"), _quoted.ONLY_QUOTED)
                if json:
                    emit({"figures": of_quoted(found.quoted)} | to_json(found.quoted))
                else:
                    _quoted.show(found.quoted, quiet)
                return
            if on is not None:  # what its report will read is refused before anything is simulated
                read(find(on.partition(":")[0]))
            run, failures = measure(found.request, out, label=label, left_out=found.skipped, quiet=quiet)
        with report_can_be_made_again(run):
            made = judged(run, whole(run))
            made = replace(made, report=str(write(run, made)))
        if json:
            emit({"figures": of_sections(made)} | to_json(with_headlines(made)))
        else:
            from assay.report.render.one_line import one_line, why_not

            if not quiet:
                from assay.report.render.terminal import show

                show(made)
            elif reason := why_not(made):
                print(reason, file=sys.stderr)
            print(one_line(made))
        nothing = nothing_measured(made)
        if failures or (not made.valid and not nothing):  # what this host has no place for is skipped, no failure
            raise typer.Exit(1)
        if made.described and nothing:
            raise InputError(nothing)


def _all(docs: Path | None, beside: str | None, json: bool) -> None:
    """Every shipped description compared with its published numbers."""
    from assay.cli import emit
    from assay.document.json_form import to_json
    from assay.errors import InputError
    from assay.published.cells.answers import Played
    from assay.report.render.figure_list import of_validations
    from assay.validation.coverage import page as coverage
    from assay.validation.coverage.asking import Asking
    from assay.validation.machines.document import everything
    from assay.validation.machines.page import write

    if docs is None and not json:
        raise InputError(
            "writes a page or a document", key="--on", value="all", accepted="with --docs FOLDER, or --json"
        )
    if docs is not None:
        from assay.report.derive.document import document
        from assay.store import Run
        from assay.verbs._in_process import asked_here

        answers = Played()
        written = [write(docs, None if beside is None else document(Run.open(beside)), answers)]
        absolute = docs.resolve()
        with asked_here(coverage.files()) as ask:
            coverage.write(absolute, Asking(ask, answers, absolute))
        written.append(docs / "coverage.md")
        for page in written:
            print(page, file=sys.stderr if json else sys.stdout)
    if json:
        found = everything()
        emit({"figures": of_validations(found)} | to_json(found))
