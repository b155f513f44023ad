"""A model's predictions of a run as tables: by class of transfer, and the cells that it missed by most."""

from __future__ import annotations

from collections.abc import Sequence

from assay.benchmark.record import among
from assay.document.grid import Grid, grid
from assay.document.model_prediction import ModelPrediction, PredictedCell, PredictionCounts
from assay.number_words import number_of
from assay.report.render.case_words import case_words
from assay.report.units import human

MOST_WORST = 8  # cells
BY_CLASS = ("cells are of", "cells", "median error", "worst", "baseline", "coverage", "95% interval", "A/A")
WORST = ("benchmark", "case", "figure", "measured", "predicted", "interval", "error", "baseline")
NOTE = (
    "Cells that the model was not fitted to. Baseline: its median error and, behind it, the model's on the same cells: "
    "the value of the nearest fitted length, or the line through the fitted echo. A/A: even launches against odd ones."
)


def tables(found: ModelPrediction) -> list[Grid]:
    """By class of transfer, then the worst cells."""
    return [by_class(found), *worst_cells(found)]


def by_class(found: ModelPrediction) -> Grid:
    """A row for each class of transfer, and one for all."""
    rows = [(str(each.transfer), *_numbers(each)) for each in found.classes]
    if len(rows) != 1:
        rows.append(("all", *_numbers(found)))
    level = "" if found.level is None else f", {found.level:.0%} intervals"
    return grid(f"{found.run} as predicted by {found.machine}{level}", BY_CLASS, rows, NOTE)


def _numbers(of: PredictionCounts) -> tuple[str, ...]:
    ends, beside = "–", "–"
    if of.coverage_interval is not None:
        low, high = of.coverage_interval
        ends = f"{low:.0%} to {high:.0%}"
    if of.baseline_error is not None:
        beside = f"{percent(of.baseline_error)} ({percent(of.error_compared)})"
    covered = "–" if of.coverage is None else f"{of.covered} of {of.judged}"
    errors = (percent(of.median_error), percent(of.worst_error))
    return str(of.counted), *errors, beside, covered, ends, percent(of.repeat_error)


def percent(share: float | None) -> str:
    """A share as a person reads it; a dash for none."""
    return "–" if share is None else f"{100 * share:.3g}%"


def worst_cells(found: ModelPrediction) -> list[Grid]:
    """The cells with the largest errors; [] where none counts."""
    counted = sorted((each for each in found.cells if each.counts), key=lambda each: -abs(each.error))[:MOST_WORST]
    return [grid("The largest errors", WORST, _rows(counted), left=3)] if counted else []


def _rows(cells: Sequence[PredictedCell]) -> list[tuple[str, ...]]:
    records = among({each.benchmark for each in cells})
    return [
        (
            each.benchmark,
            case_words(each.params, records.get(each.benchmark)) or "–",
            each.figure.replace("_", " "),
            human(each.measured, each.unit, 3),
            human(each.predicted, each.unit, 3),
            "–" if each.low is None else f"{human(each.low, each.unit, 3)} … {human(each.high, each.unit, 3)}",
            signed(each.error),
            "–" if each.baseline_error is None else signed(each.baseline_error),
        )
        for each in cells
    ]


def signed(error: float) -> str:
    """An error with its sign; a large one as a factor."""
    return f"{100 * error:+.3g}%" if error < 4 else f"x {1 + error:.3g}"


def lines(found: ModelPrediction) -> list[str]:
    """What was not predicted or not counted, what the fit did not determine, and the verdict."""
    lines = []
    counted = [
        (found.used, "used in the fit"),
        (found.bounds, "bounds, without an error"),
        (found.disturbed, "disturbed though counted"),
    ]
    if any(count for count, _ in counted):
        lines.append("cells: " + ", ".join(f"{count} {what}" for count, what in counted if count))
    lines += [f"not determined by the fit: {text}" for text in found.not_determined]
    if len(found.skipped) > MOST_WORST:
        lines.append(f"not predicted: {number_of(len(found.skipped), 'benchmark')} (--json names them)")
    else:
        lines += [f"not predicted: {text}" for text in found.skipped]
    return [*lines, verdict(found)]


def verdict(found: ModelPrediction) -> str:
    """Whether scaling questions to the model are refused."""
    if found.level is None:
        return "no intervals: the model has no [uncertainty]"
    return "scaling questions: " + ("not refused" if found.refusal is None else f"refused: {found.refusal}")


def one_line(found: ModelPrediction) -> str:
    """The result in one line: median error, the baseline's, coverage with its interval, the verdict."""
    covered, beside = "", ""
    if found.coverage is not None and found.coverage_interval is not None:
        low, high = found.coverage_interval
        level = "" if found.level is None else f" of {found.level:.0%} intervals"
        covered = f", coverage{level} {found.covered} of {found.judged} ({low:.0%} to {high:.0%})"
    if found.baseline_error is not None:
        own = "" if found.compared == found.counted else f", the model {percent(found.error_compared)} there"
        beside = f" (baseline {percent(found.baseline_error)}{own})"
    errors = f"{found.counted} unseen cells, median error {percent(found.median_error)}{beside}"
    return f"{found.run} by {found.machine}: {errors}{covered}; {verdict(found)}"
