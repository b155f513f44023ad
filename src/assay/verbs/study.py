"""`assay study`: published figures and tables simulated anew, each claim judged; or a study of your own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from assay.network.workers import WorkerKind


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def study(
        name: Annotated[
            str | None, typer.Argument(metavar="STUDY", help="a shipped study's name, or STUDY.toml")
        ] = None,
        everything: Annotated[
            bool, typer.Option("--all", help="all shipped studies; writes ghosh.md with plots")
        ] = False,
        quick: Annotated[bool, typer.Option("--quick", help="3 replications, wide brackets")] = False,
        quiet: Annotated[bool, typer.Option("-q", "--quiet", help="no progress; one line at the end")] = False,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
        plots: Annotated[Path | None, typer.Option("--plots", metavar="FOLDER", help="write the plots there")] = None,
        docs: Annotated[Path, typer.Option("--docs", metavar="FOLDER", help="where --all writes")] = Path("docs"),
        out: Annotated[
            Path | None, typer.Option("--out", metavar="FILE", help="keep points there; run again, it goes on")
        ] = None,
        executor: Annotated[
            str, typer.Option("--executor", help="threads, processes; mpi: ranks of python -m mpi4py.futures")
        ] = "threads",
        workers: Annotated[int | None, typer.Option("--workers", min=1, help="how many")] = None,
    ) -> None:
        """Simulate a study: its points, saturation by backlog, plots, and what becomes of each claim."""
        from assay.cli import emit
        from assay.network.memory_bound import bounded
        from assay.network.study import file
        from assay.network.workers import kind
        from assay.papers.ghosh.answered import brief, document, words
        from assay.verbs._interrupts import ends_in_a_line

        known = file.shipped()
        if not everything and name is None:
            for found in sorted((file.load(each) for each in known), key=lambda one: one.head.order):
                print(f"{found.name:<12} {found.head.title} ({found.head.figure or found.head.source})")
            return
        which = kind(executor)
        wanted = (
            sorted((s for s in map(file.load, known) if s.head.page == "ghosh"), key=lambda s: s.head.order)
            if everything
            else [file.load(str(name))]
        )
        with bounded(wanted[0].source.path), ends_in_a_line(out):
            results = _run(wanted, which, workers, out, quick, quiet)
        if everything:
            from assay.papers.ghosh.page import write

            write(results, docs)
        if plots is not None:
            _draw(results, plots)
        if json:
            documents = [document(one) for one in results]
            listed = [figure for one in documents for figure in one["figures"]]
            emit({"figures": listed, "studies": documents} if everything else documents[0])
            return
        for one in results:
            print(brief(one) if quiet else words(one) + "\n")


def _run(
    wanted: list[Any], which: WorkerKind, count: int | None, out: Path | None, quick: bool, quiet: bool
) -> list[Any]:
    from assay.network import progress, workers
    from assay.network.study import running

    results = []
    with workers.executor(which, count) as pool:
        for one in wanted:
            with progress.bar(one.name, quiet) as show:
                results.append(running.make(one, pool, out, quick, show))
    return results


def _draw(results: list[Any], folder: Path) -> None:
    from assay.network.study.plots import draw

    folder.mkdir(parents=True, exist_ok=True)
    for one in results:
        for at, plot in enumerate(one.study.plots):
            (folder / f"{one.study.name}-{chr(ord('a') + at)}.svg").write_text(draw(one, plot), encoding="utf-8")
