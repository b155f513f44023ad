"""The list of figures that stands at the top of every verb's `--json`, from what the verb has found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.document.comparison import FigureRow, JudgedRow, PublishedRow, RunComparison
from assay.document.fitted_run import RunFitted
from assay.document.json_form import to_json
from assay.document.model_prediction import ModelPrediction
from assay.document.params import Parameters
from assay.document.quoted import QuotedAnswer, QuotedFigure
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.validation import Validations
from assay.document.verb_figure import VerbFigure
from assay.machine.units import unit as si

OURS = "fit to the run's echo"


def of_sections(document: Document) -> list[VerbFigure]:
    """Every figure of a run's document, benchmark by benchmark, as its section has it, with the run's id."""
    return [{"run": document.run, **_listed(figure)} for section in document.benchmarks for figure in section.figures]


def of_quoted(found: QuotedAnswer) -> list[VerbFigure]:
    """Every published figure of an answer that quotes."""
    return [_listed(figure) for section in found.sections for figure in section.figures]


def _listed(figure: ReportedFigure | QuotedFigure) -> VerbFigure:
    listed: VerbFigure = to_json(figure)
    return listed


def of_validations(found: Validations) -> list[VerbFigure]:
    """Every published cell that has a simulated value, machine by machine (SI units), with what was published."""
    return [
        {
            "name": cell.metric,
            "value": cell.simulated,
            "unit": cell.unit,
            "statistic": "simulated",
            "params": cell.params,
            "ci95": None,
            "range": None,
            "state": "clean",
            "estimator": "simulated",
            "disturbance": None,
            "kind": cell.mark,
            "machine": machine.machine,
            "benchmark": cell.benchmark,
            "published": cell.published,
            "source": cell.source,
            "error": cell.error,
        }
        for machine in found.machines
        for table in machine.tables
        for cell in table.cells
        if cell.simulated is not None
    ]


def of_comparisons(comparisons: Iterable[RunComparison]) -> list[VerbFigure]:
    """The ratio of each row with its interval; what could not be compared is invalid."""
    return [
        {
            "name": f"{row.benchmark}.{row.figure}",
            "value": row.ratio,
            "unit": "1",
            "statistic": "ratio",
            "params": {**row.params, "with": entry.other},
            "ci95": row.ci95 if isinstance(row, FigureRow) else None,
            "range": None,
            "state": _state(row),
            "estimator": f"ratio of two figures ({row.statistic if isinstance(row, JudgedRow) else 'published'})",
            "disturbance": None,
            "kind": entry.kind,
            "verdict": row.verdict if isinstance(row, FigureRow) else None,
        }
        for entry in comparisons
        for row in entry.rows
    ]


def _state(row: FigureRow | PublishedRow) -> str:
    """The worse state of both sides; what was published has none."""
    if row.ratio is None:
        return "invalid"
    if isinstance(row, PublishedRow):
        return row.a.state
    return max((row.a.state, row.b.state), key=("clean", "disturbed", "bound", "invalid").index)


def of_prediction(found: ModelPrediction) -> list[VerbFigure]:
    """Every predicted figure of a run, with what was measured."""
    return [
        {
            "name": cell.figure,
            "value": cell.predicted,
            "unit": cell.unit,
            "statistic": "median",
            "params": dict(cell.params),
            "ci95": None,
            "range": None,
            "state": cell.state,
            "estimator": "simulated",
            "disturbance": None,
            "kind": cell.kind,
            "benchmark": cell.benchmark,
            "run": found.run,
            "machine": found.machine,
            "measured": cell.measured,
        }
        for cell in found.cells
    ]


def of_fits(fits: Iterable[Any]) -> list[VerbFigure]:
    """Numbers of a description fitted again, each by its key, in SI units."""
    return [
        _fitted(
            number.key,
            number.found,
            si(number.unit)[0] if number.unit else "1",
            {"cells": fit.count},
            "fit to published cells",
        )
        for fit in fits
        for number in fit.numbers
    ]


def of_stretches(about: RunFitted) -> list[VerbFigure]:
    """Start-up, time per byte and per hop of a run that became a description; nothing where it has no echo."""
    if "stretches" not in about:
        return []
    found = []
    for stretch in about["stretches"]:
        params = {"least": stretch["least"], "greatest": stretch["greatest"]}
        found += [
            _fitted("alpha", stretch["alpha"], "s", params, OURS),
            _fitted("beta", stretch["beta"], "s/B", params, OURS),
        ]
    return [*found, _fitted("per_hop", about.get("per_hop"), "s/hop", {}, OURS)]


def of_storage(about: RunFitted) -> list[VerbFigure]:
    """Startup, time per byte, common limit, r_max and n_half of a run's files that became a description."""
    found = []
    for law in about.get("storage", ()):
        params = {
            "direction": law["direction"], "source": law["source"], "engine": law["engine"], "access": law["access"],
        }  # fmt: skip
        for name, value, unit, ends in (
            ("startup", law["startup"], "s", law["startup_between"]),
            ("per_byte", law["per_byte"], "s/B", law["per_byte_between"]),
            ("limit", law["limit"], "B/s", None),
            ("r_max", law["r_max"], "B/s", None),
            ("n_half", law["n_half"], "B", law["n_half_between"]),
        ):
            made = _fitted(name, value, unit, params, OURS)
            if ends is not None:
                made["ci95" if law["between"] == "ci95" else "range"] = ends
            found.append(made)
    return found


def _fitted(name: str, value: float | None, unit: str, params: Parameters, how: str) -> VerbFigure:
    return {
        "name": name,
        "value": value,
        "unit": unit,
        "statistic": "fit",
        "params": dict(params),
        "ci95": None,
        "range": None,
        "state": "clean" if value is not None else "invalid",
        "estimator": how if value is not None else "none",
        "disturbance": None,
    }
