"""`assay fit`: a description's numbers fitted again, or a run's figures turned into a description."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from assay import output_file
from assay.number_words import number_of
from assay.verbs._options import Json, On, Quiet, named_path

if TYPE_CHECKING:
    from assay.document.fitted_run import FittedUncertainty, StorageCellFound


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def fit(
        runs: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="RUN",
                help="runs of one machine, by folder or name: what they measured becomes a description, with intervals",
            ),
        ] = None,
        on: On = None,
        out: Annotated[
            Path | None,
            typer.Option(
                "-o",
                "--out",
                parser=named_path,
                metavar="FILE",
                help="write the description with the fitted numbers to this file",
            ),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Fit start-ups, times per byte and per hop: of a description, to published cells; of a run, to samples."""
        from assay.errors import InputError
        from assay.verbs import _file_names
        from assay.verbs._output_files import check_outputs

        _file_names.check_suffix("--out", out, "TOML", _file_names.DESCRIPTION)
        if (not runs) == (on is None):
            raise InputError("takes runs, or --on and a described machine", key="fit", accepted="one of the two")
        check_outputs({"--out": out}, {})
        if on is not None:
            _refit(on, out, json, quiet)
        else:
            _described(runs or [], out, json, quiet)


def _refit(on: str, out: Path | None, json: bool, quiet: bool) -> None:
    from assay import progress
    from assay.cli import emit
    from assay.described.shipped import find
    from assay.errors import InputError
    from assay.fitting.fit import fits
    from assay.published.cells.described_file import shown
    from assay.report.render.figure_list import of_fits
    from assay.toml.writing import replace_values

    path = find(on)
    with progress.described("fitting", f"the numbers of {path.name}", quiet) as say:
        found = fits(path, say)
    if not any(fit.numbers for fit in found):
        raise InputError(
            "none of its numbers was fitted on published cells of this machine",
            file=path,
            key="origin",
            accepted='a line of [origin] such as "protocol.0.startup" = "fitted: echo [hops 1]"',
        )
    values = {
        key: f'"{shown(number.found, number.unit)}"' if number.unit else shown(number.found, number.unit)
        for fit in found
        for number in fit.numbers
        for key in (number.key, *number.shared)
    }
    if out is not None:
        output_file.write_text(out, replace_values(path.read_text(encoding="utf-8"), values))
    document = [
        {
            "cells": [each.document() for each in fit.cells],
            "count": fit.count,
            "median_error": fit.median,
            "worst_error": fit.worst,
            "numbers": [vars(n) | {"written": shown(n.found, n.unit)} for n in fit.numbers],
        }
        for fit in found
    ]
    if json:
        emit({"machine": on, "figures": of_fits(found), "fits": document})
        return
    if quiet:
        numbers, cells = sum(len(fit.numbers) for fit in found), sum(fit.count for fit in found)
        worst = max((fit.worst for fit in found), default=0.0)
        print(f"{on}: {number_of(numbers, 'number')} fitted to {number_of(cells, 'cell')}, worst error {worst:.2%}")
        return
    for fit in found:
        where = "; ".join(map(str, fit.cells))
        print(f"{where}: {fit.count} cells, median error {fit.median:.2%}, worst {fit.worst:.2%}")
        for number in fit.numbers:
            print(f"  {number.key:<28} {shown(number.filed, number.unit):>14} -> {shown(number.found, number.unit)}")


def _described(runs: Sequence[str], out: Path | None, json: bool, quiet: bool) -> None:
    from assay.cli import emit
    from assay.fitting.from_run import description
    from assay.fitting.laboratory import laboratory_description, laboratory_of
    from assay.report.derive.document import document
    from assay.report.render.figure_list import of_storage, of_stretches
    from assay.store import Run

    wholes = [document(Run.open(run)) for run in runs]
    made = laboratory_of(wholes[0]) if len(wholes) == 1 else None
    text, about = description(*wholes) if made is None else laboratory_description(wholes[0], made)
    if out is not None:
        output_file.write_text(out, text)
    if json:
        listed = [*of_stretches(about), *of_storage(about)]
        emit({**about, "figures": listed, "description": text, "file": None if out is None else str(out)})
    elif quiet or out is not None:
        found = []
        if "stretches" in about:
            hop = about.get("per_hop")
            hops = f"{1e9 * hop:.4g} ns per hop" if hop else "hops not fitted"
            found.append(f"{number_of(len(about['stretches']), 'line')} by length, {hops}")
        if "storage" in about:
            cells = sum(len(each["cells"]) for each in about["storage"])
            names = ", ".join(f"{each['name']} ({_held_out(each['cells'])})" for each in about["storage"])
            found.append(f"storage by {number_of(cells, 'cell')}: {names}")
        print(f"{about['machine']}: {'; '.join(found)}" + (f"; {out}" if out is not None else ""))
        if not quiet and "uncertainty" in about:
            _show(about["uncertainty"])
    else:
        print(text, end="")


def _show(known: FittedUncertainty) -> None:
    """Each number with its interval, and what the run does not determine."""
    from assay.report.units import human

    for each in known["keys"]:
        low, high = (human(end, each["unit"], 3) for end in (each["low"], each["high"]))
        shared = "" if len(each["keys"]) == 1 else f" and {len(each['keys']) - 1} more"
        print(f"  {each['keys'][0] + shared:<32} {human(each['value'], each['unit'], 4):>14}   ({low} to {high})")
    print(f"Intervals of {known['level']:.0%}. Not determined by this run:")
    for text in known["not_determined"]:
        print(f"  {text}")


def _held_out(cells: Sequence[StorageCellFound]) -> str:
    """How far the law of a direction is off where it was not fitted."""
    errors = sorted(abs(each["error"]) for each in cells if not each["fitted"])
    if not errors:
        return "no cell held out"
    missed = sum(bool(each["missed"]) for each in cells if not each["fitted"])
    error = f"error {median(errors):.1%}" if len(errors) == 1 else f"median error {median(errors):.1%}"
    worst = f", worst {errors[-1]:.1%}" if len(errors) > 1 else ""
    return f"{len(errors)} held out: {error}{worst}" + (f"; {missed} missed" if missed else "")
