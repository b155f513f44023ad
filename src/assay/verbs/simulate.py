"""`assay simulate`: traffic on a described network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.verbs._options import Executor, Json, NetworkSettings, Points, Quiet, Workers, named_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import JsonValue

    from assay.network.documents import Simulated, Sweep
    from assay.network.tasks import Steps
    from assay.network.workers import WorkerKind


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def simulate(
        context: typer.Context,
        network: Annotated[
            Path | None, typer.Argument(metavar="NETWORK.toml", help="the network, its traffic, the method")
        ] = None,
        settings: NetworkSettings = None,
        saturation: Annotated[bool, typer.Option("--saturation", help="find the load that saturates it")] = False,
        sweep: Annotated[
            list[str] | None,
            typer.Option("--sweep", metavar="KEY=V1,V2,…", help="one simulation per value (given twice: per pair)"),
        ] = None,
        out: Points = None,
        heatmap: Annotated[
            Path | None,
            typer.Option(
                "--heatmap", parser=named_path, metavar="FILE.svg", help="draw the network with the load of its links"
            ),
        ] = None,
        executor: Executor = "threads",
        workers: Workers = None,
        quiet: Quiet = False,
        json: Json = False,
        keys: Annotated[bool, typer.Option("--keys", help="list the keys of NETWORK.toml with their defaults")] = False,
    ) -> None:
        """Simulate traffic on a described network, exact to the flit.

        NETWORK.toml may also be a platform of SimGrid (XML, one cluster) or an anynet file of BookSim2: what these do
        not define is assumed, and printed.
        """
        from assay.cli import emit
        from assay.errors import InputError
        from assay.network.foreign.read import assumptions
        from assay.network.memory_bound import bounded
        from assay.network.workers import kind
        from assay.verbs import _file_names
        from assay.verbs._exclusive_option import refuse_others
        from assay.verbs._interrupts import ends_in_a_line
        from assay.verbs._output_files import check_outputs
        from assay.verbs._repeated_option import each_once
        from assay.verbs._simulate_shown import show

        if keys:
            refuse_others(context, "--keys", ("--quiet", "--json"))
            _show_keys(quiet, json)
            return
        if network is None:
            raise InputError("no network is given", accepted="assay simulate NETWORK.toml, or --keys for its keys")
        check_outputs({"--out": out, "--heatmap": heatmap}, {"NETWORK.toml": network})
        _file_names.check_suffix("--out", out, "lines of JSON", _file_names.POINTS)
        _file_names.check_suffix("--heatmap", heatmap, "SVG", _file_names.PICTURE)
        each_once(settings or [])
        each_once([*(settings or []), *(sweep or [])], option="--set, --sweep")
        if heatmap is not None:
            from assay.network import description

            if saturation or sweep:
                raise InputError("is drawn for one simulation, without --saturation and --sweep", key="--heatmap")
            if description.load(network, settings or []).io is None:  # with [io] its offered loads are drawn
                settings = [*(settings or []), "method.utilisation=true"]
        which = kind(executor)
        assumed = assumptions(network)
        for text in () if quiet else assumed:
            print(f"assumed: {text}", file=sys.stderr)
        with bounded(network), ends_in_a_line(out):
            documents = _simulate(network, settings or [], saturation, sweep or [], out, which, workers, quiet)
        if heatmap is not None:
            from assay.network import heatmap as picture

            picture.write(
                heatmap,
                description.load(network, settings or []),
                None if "saturation" in documents[0] else documents[0].get("utilisation"),
            )
        listed = [figure for found in documents for figure in found["figures"]]
        whole: Sweep = {"version": documents[0]["version"], "figures": listed, "points": documents}
        document: Sweep | Simulated = whole if sweep else documents[0]
        if assumed:
            document["assumptions"] = list(assumed)
        if json:
            emit(document)
            return
        show(documents, quiet)
        if heatmap is not None and not quiet:
            print(f"the network with the load of its links: {heatmap}")


def _show_keys(quiet: bool, json: bool) -> None:
    """List every key that NETWORK.toml may have."""
    from assay.cli import emit
    from assay.network.network_keys import markdown, sections

    names = ("key", "default", "meaning")
    tables = [
        {"table": heading, "text": text, "keys": [dict(zip(names, row, strict=True)) for row in rows]}
        for heading, text, rows in sections()
    ]
    if json:
        emit({"figures": [], "tables": tables})
    elif quiet:
        print(f"{sum(len(rows) for _, _, rows in sections())} keys in {len(tables)} tables")
    else:
        print(markdown())


def _simulate(
    network: Path,
    settings: list[str],
    saturation: bool,
    axes: list[str],
    out: Path | None,
    which: WorkerKind,
    count: int | None,
    quiet: bool = False,
) -> list[Simulated]:
    import functools
    import itertools

    from assay.network import description
    from assay.verbs import _simulate_axes

    # What needs no core is refused before its import, which may have to compile it: minutes in a fresh checkout.
    if saturation:
        _simulate_axes.refuse_searched(axes)
    combinations = list(itertools.product(*map(_simulate_axes.values, axes)))
    described = [description.load(network, settings, combination) for combination in combinations]

    from assay.execute import stale_files
    from assay.network import progress, simulation, sweep, workers
    from assay.network import saturation as bisection
    from assay.network.documents import at_point

    kind_of = f"saturation-{bisection.VERSION}" if saturation else f"simulation-{simulation.VERSION}"
    points: list[sweep.SweepPoint[Simulated]] = []
    for combination, found in zip(combinations, described, strict=True):
        key = f"{found.key()}-{kind_of}"
        plan: Callable[[], Steps[Simulated]] = functools.partial(
            bisection.steps if saturation else simulation.steps, found
        )
        setting: dict[str, JsonValue] = {}
        for words in combination:
            dotted, text = words.split("=", 1)
            setting[dotted] = text
        points.append(sweep.SweepPoint(setting, key, plan))
    alone = len(points) == 1 and which != "mpi"
    if which == "processes":
        stale_files.mark_workers()
    with workers.executor(which, count or (1 if alone else None)) as pool, progress.bar("simulating", quiet) as show:
        documents = sweep.sweep(points, pool, out, show)
    if not axes:
        return documents
    for point, one in zip(points, documents, strict=True):
        for figure in one["figures"]:
            figure["params"] |= dict(point.setting)
    return [at_point(one, point.setting) for point, one in zip(points, documents, strict=True)]
