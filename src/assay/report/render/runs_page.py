"""Several runs side by side as one page: which runs, their main figures, all figures; nothing is fetched."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, select_autoescape

from assay.document.comparison import FigureSide, SideBySide, SideBySideRow
from assay.document.grid import Grid
from assay.report.render import runs_table
from assay.report.render.case_words import words_of
from assay.report.render.comparison_tables import bounded
from assay.report.units import human
from assay.store import storage_failed
from assay.stored.lines import write_whole

NOT_MEASURED = "not measured"
MOST_DRAWN = 12  # main figures; the tables have all


@dataclass(frozen=True)
class RunBar:
    """One run's value of a figure: `width` is its share of the best one, from 0 to 1; None where it has none.

    A best reading that is only a bound has none: the true value may be the better one.
    """

    run: str
    text: str
    width: float | None
    state: str


@dataclass(frozen=True)
class FigureBars:
    """A figure and its bars, one per run, in the order of the runs; longer is better whatever the unit."""

    title: str
    case: str
    bars: list[RunBar]


def bars(beside: SideBySide) -> list[FigureBars]:
    """The main figures as bars; of all figures the first ones where no main figure is common."""
    rows = [row for row in beside.rows if row.headline] or beside.rows
    made = [_bars(row, runs_table.letters(beside)) for row in rows]
    return [each for each in made if sum(bar.width is not None for bar in each.bars) > 1][:MOST_DRAWN]


def _bars(row: SideBySideRow, letters: list[str]) -> FigureBars:
    higher = row.better == "higher"
    known = [_shown(value) for value in row.values]
    estimates = [None if bounded(of) else value for value, of in zip(known, row.values, strict=True)]
    best = (max if higher else min)((value for value in estimates if value), default=0.0)
    drawn = []
    for letter, value, estimate, of in zip(letters, known, estimates, row.values, strict=True):
        width = None if not estimate or not best else estimate / best if higher else best / estimate
        drawn.append(RunBar(letter, human(value, row.unit, 3), width, of.state if of else NOT_MEASURED))
    return FigureBars(
        f"{row.benchmark} {row.figure.replace('_', ' ')}",
        words_of(row.benchmark, row.params, runs_table.guest_in(row)),
        drawn,
    )


def _shown(value: FigureSide | None) -> float | None:
    """The value that may be shown: an invalid one, or one that cannot be on the scale of a bar, has none."""
    if value is None or value.state == "invalid" or value.value is None or value.value <= 0:
        return None
    return value.value


def write(beside: SideBySide, path: Path, speedups: Grid | None = None) -> Path:
    """Write the page, with speedups of applications; InputError or MeasurementError where that is impossible."""
    pages = Environment(
        loader=PackageLoader("assay.report.render", "pages"), autoescape=select_autoescape(["html"]), trim_blocks=True
    )
    folders = [(run.run, Path(run.folder) / "report.html") for run in beside.runs if run.folder]
    text = pages.get_template("beside.html").render(
        machines=" and ".join(dict.fromkeys(str(run.machine) for run in beside.runs)),
        runs=runs_table.runs_table(beside),
        headlines=runs_table.table(beside, headlines=True),
        every=runs_table.table(beside),
        bars=bars(beside),
        speedups=speedups,
        not_measured=NOT_MEASURED,
        links=[{"run": run, "href": os.path.relpath(file, path.parent)} for run, file in folders if file.exists()],
    )
    try:
        write_whole(path, text)
    except OSError as error:
        storage_failed(error, path)
    return path
