"""`assay report RUN…`: the report anew, as a page, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.verbs._completion import described_names, run_names
from assay.verbs._options import Json, Quiet, named_path

if TYPE_CHECKING:
    from assay.document.run_document import Document
    from assay.store import Run


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def report(
        runs: Annotated[
            list[str],
            typer.Argument(help="folders or ids of runs", autocompletion=run_names),
        ],
        output: Annotated[
            Path | None,
            typer.Option(
                "-o",
                "--out",
                parser=named_path,
                metavar="FILE",
                help="the page (default: report.html in the run; for several runs beside.html in the first)",
            ),
        ] = None,
        model: Annotated[
            str | None,
            typer.Option(
                metavar="MACHINE",
                help="with what a described machine predicts of the run (`assay predict`)",
                autocompletion=described_names,
            ),
        ] = None,
        markdown: Annotated[bool, typer.Option("--markdown", help="print the tables as Markdown")] = False,
        open_: Annotated[bool, typer.Option("--open", help="open the page in the browser")] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Write a run's report again from its samples, or one report with several runs side by side."""
        from assay.cli import emit
        from assay.document.json_form import to_json
        from assay.errors import InputError
        from assay.report.judge.first_figures import with_headlines
        from assay.report.judge.verdict import judged
        from assay.report.render import page
        from assay.report.render.figure_list import of_sections
        from assay.report.render.markdown import markdown as written_markdown
        from assay.report.render.terminal import show
        from assay.store import Run
        from assay.verbs import _file_names
        from assay.verbs._compared_document import whole

        if markdown and (json or quiet):
            accepted = "one of --markdown, --json and --quiet"
            raise InputError("is another form of the same", key="--json" if json else "--quiet", accepted=accepted)
        if model is not None and len(runs) > 1:
            problem = "predicts one run, and several are compared here"
            raise InputError(problem, key="--model", value=model, accepted="one RUN")
        _file_names.check_suffix("--out", output, "HTML", _file_names.PAGE)
        printed = output is None and (json or (markdown and not quiet))  # no page needs to be written for it
        made = []
        for name in runs:
            run = Run.open(name)
            one = judged(run, whole(run))
            if model is not None:
                one = _predicted(run, one, model)
            with _kept(printed=printed):
                one = replace(one, report=str(page.write(run, one, output if len(runs) == 1 else None)))
            made.append(one)
        beside = speedups = written = None
        if len(made) > 1:
            from assay.report.render import runs_page, runs_table
            from assay.report.sections import speedup_table

            beside, speedups = runs_table.side_by_side(made), speedup_table.beside(made)
            with _kept(printed=printed):
                if output is None:
                    page.refuse_anothers(Path(made[0].folder))
                written = runs_page.write(beside, output or Path(made[0].folder) / "beside.html", speedups)
        if json:
            listed = [figure for one in made for figure in of_sections(one)]
            several = {
                "reports": [to_json(with_headlines(one)) for one in made],
                "beside": None if beside is None else to_json(beside),
            }
            emit({"figures": listed} | (to_json(with_headlines(made[0])) if len(made) == 1 else several))
        elif quiet:
            from assay.report.render.one_line import one_line

            print("\n".join([*map(one_line, made), *([f"report: {written}"] if beside is not None else [])]))
        elif beside is None:
            print(written_markdown(made[0])) if markdown else show(made[0])
        elif markdown:
            print(runs_table.markdown(beside) + ("" if speedups is None else "\n" + speedups.markdown()))
        else:
            from assay.report.render.console import listing

            console = listing()
            console.print(runs_table.runs_table(beside).rich())
            main = runs_table.table(beside, headlines=True)
            console.print((main if main.rows else runs_table.table(beside)).rich())
            console.print(*([speedups.rich()] if speedups is not None else []))
            console.print(f"report: {written}", highlight=False, soft_wrap=True)
        page_made = written or made[0].report
        if open_ and page_made is not None:
            _open(Path(page_made))


def _predicted(run: Run, one: Document, model: str) -> Document:
    from assay.described.shipped import open_described
    from assay.prediction.predict import predict

    return replace(one, prediction=predict(run, one, open_described(model, option="--model")))


def _open(page: Path) -> None:
    """Show a page in the browser; where none can be started, print the page's path."""
    import webbrowser

    from assay.errors import warn

    try:
        shown = webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        shown = False
    if not shown:
        warn(f"no browser could be started: {page} is the page")


@contextmanager
def _kept(*, printed: bool) -> Iterator[None]:
    """Warn where a page cannot be written, if the requested output is `printed`; else raise."""
    from assay.errors import InputError, MeasurementError, warn

    try:
        yield
    except (InputError, MeasurementError) as error:
        if not printed:
            raise
        warn(f"{error}: printed only; `-o FILE` writes the page elsewhere")
