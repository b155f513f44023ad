"""`assay predict MODEL RUN`: a model plays a run's cases, each with what was measured and a plain baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._completion import described_names, run_names
from assay.verbs._options import Json, Quiet, named_path

MOST_DRAWS = 10_000


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def predict(
        model: Annotated[
            str,
            typer.Argument(
                metavar="MODEL",
                help="a described machine: a TOML file, such as `assay fit RUN -o` writes, or a name",
                autocompletion=described_names,
            ),
        ],
        run: Annotated[
            str,
            typer.Argument(metavar="RUN", help="a run: its folder, id, label, or latest", autocompletion=run_names),
        ],
        out: Annotated[
            Path | None,
            typer.Option(
                "-o",
                "--out",
                parser=named_path,
                metavar="FILE",
                help="write the model with its [validation] to this file, which may be MODEL",
            ),
        ] = None,
        draws: Annotated[
            int | None,
            typer.Option(
                metavar="N",
                min=20,
                max=MOST_DRAWS,
                help="draws of the model's parameters for the intervals (default: 40)",
            ),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Predict the figures of a run by a model that was fitted to some of them, with intervals."""
        from assay.cli import emit
        from assay.described.shipped import find, open_described
        from assay.document.json_form import to_json
        from assay.errors import InputError
        from assay.prediction.predict import DRAWS
        from assay.prediction.predict import predict as predicted
        from assay.prediction.validated_file import with_validation
        from assay.report.derive.document import document
        from assay.report.render.console import listing
        from assay.report.render.figure_list import of_prediction
        from assay.report.render.prediction_tables import lines, one_line, tables
        from assay.store import Run
        from assay.stored.lines import whole
        from assay.verbs import _file_names
        from assay.verbs._output_files import check_outputs

        _file_names.check_suffix("--out", out, "TOML", _file_names.DESCRIPTION)
        check_outputs({"--out": out}, {})
        machine = open_described(model, option="MODEL")
        if out is not None and machine.uncertainty is None:
            problem = "has no [uncertainty], so that nothing can be validated"
            raise InputError(problem, key="--out", value=str(out), accepted="a model that `assay fit RUN` wrote")
        if out is not None and machine.chosen:
            problem = "validates whole files, and no variant"
            raise InputError(problem, key="--out", value=model, accepted="a model without a variant")
        if draws is not None and machine.uncertainty is None:
            problem = "has no effect: the model has no [uncertainty]"
            raise InputError(problem, key="--draws", value=draws, accepted="a model that `assay fit RUN` wrote")
        opened = Run.open(run)
        found = predicted(opened, document(opened), machine, draws or DRAWS)
        if out is not None:
            text = with_validation(find(model).read_text(encoding="utf-8"), found)
            try:
                with whole(out) as file:
                    file.write(text)
            except OSError as error:
                raise InputError(f"cannot be written: {error.strerror or error}", file=out) from None
        if json:
            emit({"figures": of_prediction(found), **to_json(found), "file": None if out is None else str(out)})
        elif quiet:
            print(one_line(found))
        else:
            console = listing()
            for table in tables(found):
                console.print(table.rich())
            for line in lines(found):
                console.print(line, highlight=False, markup=False, soft_wrap=True)
            if out is not None:
                print(f"model: {out}")
