"""`assay study`: published figures and tables simulated anew, each claim judged; or a study of your own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay import output_file
from assay.verbs._options import DocsFolder, Executor, Json, Points, Quiet, Workers, named_path

if TYPE_CHECKING:
    from assay.network.workers import WorkerKind


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def study(
        context: typer.Context,
        name: Annotated[
            str | None, typer.Argument(metavar="STUDY", help="a shipped study's name, or STUDY.toml")
        ] = None,
        everything: Annotated[
            bool, typer.Option("--all", help="all shipped studies; writes ghosh.md with plots")
        ] = False,
        quick: Annotated[
            bool, typer.Option("--quick", help="3 replications, wide intervals of saturation loads")
        ] = False,
        quiet: Quiet = False,
        json: Json = False,
        plots: Annotated[
            Path | None,
            typer.Option("--plots", parser=named_path, metavar="FOLDER", help="write the plots to this folder"),
        ] = None,
        docs: DocsFolder = None,
        force: Annotated[
            bool, typer.Option("--force", help="of a described machine: answer although its model failed (predict)")
        ] = False,
        out: Points = None,
        executor: Executor = "threads",
        workers: Workers = None,
    ) -> None:
        """Simulate a study: its points, saturation loads, plots, and a verdict on each claim."""
        from assay.cli import emit
        from assay.errors import InputError
        from assay.network.memory_bound import bounded
        from assay.network.study import file
        from assay.network.workers import kind
        from assay.verbs import _file_names
        from assay.verbs._exclusive_option import refuse_others
        from assay.verbs._interrupts import ends_in_a_line

        _file_names.folder("--plots", plots, _file_names.PICTURES)
        _file_names.check_suffix("--out", out, "lines of JSON", _file_names.POINTS)
        known = file.shipped()
        if everything and name is not None:
            raise InputError("has no effect with --all", key="STUDY", value=name, accepted="only one of the two")
        if docs is not None and not everything:
            raise InputError("has no effect here", key="--docs", value=str(docs), accepted="with --all")
        if not everything and name is None:
            refuse_others(context, "no STUDY", ("--quiet", "--json"))
            _show_shipped(sorted((file.load(each) for each in known), key=lambda one: one.head.order), quiet, json)
            return
        if name is not None and name not in known and Path(name).is_file():
            from assay.scaling.study_file import names_machine

            if names_machine(Path(name)):
                from assay.verbs._study_of_machine import study_of_machine

                study_of_machine(context, Path(name), quick=quick, quiet=quiet, json=json, plots=plots, force=force)
                return
        if force:
            accepted = "a study of a described machine, with [machine]"
            raise InputError("has no effect here", key="--force", accepted=accepted)
        which = kind(executor)
        wanted = (
            sorted((s for s in map(file.load, known) if s.head.page == "ghosh"), key=lambda s: s.head.order)
            if everything
            else [file.load(str(name))]
        )
        if plots is not None and not any(one.plots for one in wanted):
            raise InputError(
                "the study draws no plot", key="--plots", value=str(plots), accepted="a study with [[plot]]"
            )
        from assay.validation.ghosh.answered import brief, document, words  # it imports the core: a refusal needs none

        with bounded(wanted[0].source.path), ends_in_a_line(out):
            results = _run(wanted, which, workers, out, quick, quiet)
        if everything:
            from assay.validation.ghosh.page import write

            write(results, docs or Path("docs"))
        if plots is not None:
            _draw(results, plots)
        if json:
            documents = [document(one) for one in results]
            listed = [figure for one in documents for figure in one["figures"]]
            whole = {"version": documents[0]["version"], "figures": listed, "studies": documents}
            emit(whole if everything else documents[0])
            return
        for one in results:
            print(brief(one) if quiet else words(one) + "\n")


def _show_shipped(studies: list[Any], quiet: bool, json: bool) -> None:
    """List the shipped studies."""
    from assay.cli import emit

    if json:
        heads = [(one.name, one.head) for one in studies]
        listed = [{"name": name, "title": head.title, "source": head.figure or head.source} for name, head in heads]
        emit({"figures": [], "studies": listed})
    elif quiet:
        print(f"{len(studies)} studies: {', '.join(one.name for one in studies)}")
    else:
        for one in studies:
            print(f"{one.name:<12} {one.head.title} ({one.head.figure or one.head.source})")


def _run(
    wanted: list[Any], which: WorkerKind, count: int | None, out: Path | None, quick: bool, quiet: bool
) -> list[Any]:
    from assay.execute import stale_files
    from assay.network import progress, workers
    from assay.network.study import running

    results = []
    if which == "processes":
        stale_files.mark_workers()
    with workers.executor(which, count) as pool:
        for one in wanted:
            with progress.bar(one.name, quiet) as show:
                results.append(running.make(one, pool, out, quick, show))
    return results


def _draw(results: list[Any], folder: Path) -> None:
    from assay.network.study.plots import draw

    output_file.make_folder(folder)
    for one in results:
        for at, plot in enumerate(one.study.plots):
            output_file.write_text(folder / f"{one.study.name}-{chr(ord('a') + at)}.svg", draw(one, plot))
