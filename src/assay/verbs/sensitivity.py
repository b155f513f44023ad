"""`assay sensitivity --on MACHINE BENCHMARK…`: how much each figure depends on each number of the description."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._completion import benchmark_names
from assay.verbs._options import Json, On, Quiet, Ranks, named_path


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def sensitivity(
        benchmarks: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="BENCHMARK…", help="their names; `assay catalogue --benchmarks`", autocompletion=benchmark_names
            ),
        ] = None,
        on: On = None,
        ranks: Ranks = None,
        settings: Annotated[
            list[str] | None,
            typer.Option("--set", metavar="KEY=VALUE", help="a parameter of the benchmarks; machine.KEY of the file"),
        ] = None,
        plots: Annotated[
            Path | None,
            typer.Option("--plots", parser=named_path, metavar="FOLDER", help="write the plots to this folder"),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Change each number of a description a little, and report by how much each figure changes."""
        from assay.cli import emit
        from assay.document.json_form import to_json
        from assay.errors import InputError
        from assay.execute.run_request import counts, split
        from assay.sensitivity.measured import sensitivity as measured
        from assay.verbs import _file_names, _sensitivity_shown
        from assay.verbs._interrupts import ends_in_a_line
        from assay.verbs._repeated_option import each_once

        if on is None or not benchmarks:
            missing = "--on" if on is None else "BENCHMARK"
            raise InputError("is missing", key=missing, accepted="assay sensitivity --on MACHINE BENCHMARK…")
        _file_names.folder("--plots", plots, _file_names.PICTURES)
        each_once(settings or [], lambda key: not key.startswith("machine."))
        own, machine = split(settings or [])
        several = counts(ranks, "-n")
        if len(several) > 1:
            raise InputError("is one number here", key="-n", value=ranks, accepted="a command for each")
        questions = _sensitivity_shown.questions(benchmarks, on, own, machine, next(iter(several), None))
        with ends_in_a_line():
            found, main = measured(on, machine, questions, _sensitivity_shown.progress(quiet))
        if plots is not None:
            _sensitivity_shown.draw(found, main, plots)
        if json:
            emit(to_json(found))
        else:
            _sensitivity_shown.show(found, main, quiet)
