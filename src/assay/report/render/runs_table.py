"""Several runs in one report: each figure of each run in one row, with what a comparison with the first run says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay import sanitised
from assay.analysis.comparison import MARGIN
from assay.document.comparison import ComparedRun, FigureSide, JudgedSide, SideBySide, SideBySideRow
from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.kinds import is_simulated
from assay.report.judge import comparison
from assay.report.judge.gate import headlines, required
from assay.report.judge.run_differences import matched
from assay.report.render.case_words import words_of
from assay.report.render.comparison_tables import MARKS, bounded, ratio_text
from assay.report.units import human

SIGNS = {"differs": "differs", "equal": "equal", "inconclusive": "?"}


def side_by_side(documents: Sequence[Document], margin: float = MARGIN) -> SideBySide:
    """Put runs beside the first one, within `margin` (relative): every figure that any of them has.

    A figure is a headline where it is one of any run's.
    """
    documents = matched(documents)
    first = documents[0]
    rows: dict[comparison.Key, SideBySideRow] = {}
    heads: set[comparison.Key] = set()
    for place, other in enumerate(documents):
        if place == 0 or other.described == first.described:  # else cases are only matched
            for key, figure in comparison.compared(other).items():
                row = rows.setdefault(key, _row(key, figure, len(documents)))
                row.values[place] = comparison.side(other, figure)
            heads |= headlines(other)
        if place > 0:
            wanted = required(first, other, None)
            heads |= wanted
            for found in comparison.against(first, other, margin, wanted.__contains__):
                key = (found.benchmark, found.figure, found.params)
                judged = {name: getattr(found, name) for name in ("ratio", "ci95", "verdict", "reason")}
                rows[key].values[place] = JudgedSide(**vars(found.b), **judged)
    made = [replace(row, headline=key in heads) for key, row in rows.items()]
    return SideBySide(
        margin=margin,
        runs=[_about(document) for document in documents],
        rows=sorted(made, key=lambda row: (row.benchmark, row.figure, comparison.size(row.params))),
    )


def _row(key: comparison.Key, figure: ReportedFigure, runs: int) -> SideBySideRow:
    """A row with no values yet."""
    about = {name: getattr(figure, name) for name in ("unit", "better")}
    about["params"] = comparison.identity(figure.params, comparison.outcomes_of(key[0]))
    return SideBySideRow(benchmark=key[0], figure=key[1], **about, headline=False, values=[None] * runs)


def guest_in(row: SideBySideRow) -> bool:
    """Whether one of its runs was on a virtual machine that is told where its processors lie."""
    return any(each is not None and each.guest for each in row.values)


def _about(document: Document) -> ComparedRun:
    return ComparedRun(
        run=document.run,
        machine=document.machine,
        profile=document.profile,
        created=document.created,
        state=document.state,
        kind=document.kind,
        folder=document.folder,
        processor=document.facts.cpu,
        processors=document.facts.usable_cpus,
    )


def letters(beside: SideBySide) -> list[str]:
    """A short name for each run: A, B, … Z, then by number."""
    return [chr(ord("A") + i) if i < 26 else f"run {i + 1}" for i in range(len(beside.runs))]


def runs_table(beside: SideBySide) -> Grid:
    """Which letter is which run."""
    rows = [
        (letter, *map(str, (run.run, run.machine, _processors(run), run.profile or "–", run.state)))
        for letter, run in zip(letters(beside), beside.runs, strict=True)
    ]
    return grid("Runs side by side", ("", "run", "machine", "processors", "profile", "state"), rows, left=6)


def _processors(run: ComparedRun) -> str:
    if is_simulated(run.kind):
        return "described"
    counted = "" if run.processors is None else f"{run.processors:g} × "
    return f"{counted}{run.processor or ('processor' if counted else '–')}"


def table(beside: SideBySide, headlines: bool = False) -> Grid:
    """Every row, or the headlines alone: each run's value, and beside it the ratio to A with the verdict."""
    names = letters(beside)
    rows = [row for row in beside.rows if row.headline or not headlines]
    several = len({row.benchmark for row in rows}) > 1
    lines = []
    for row in rows:
        cells = [_value(row.values[0], row.unit)]
        for value in row.values[1:]:
            cells += [_value(value, row.unit), _judged(value, row.values[0])]
        name = (f"{row.benchmark} " if several else "") + row.figure.replace("_", " ")
        lines.append((name, words_of(row.benchmark, row.params, guest_in(row)) or "–", *cells))
    across = [heading for name in names[1:] for heading in (name, f"{name} / A")]
    note = f"?: inconclusive; *: disturbed. Judged at {beside.margin:.0%}, each run against A, the family corrected."
    return grid("Figures", ("figure", "case", "A", *across), lines, note, left=2)


def _value(value: FigureSide | None, unit: str) -> str:
    if value is None:
        return "–"
    return human(value.value, unit) + MARKS.get(value.state, f" ({value.state})")


def _judged(value: FigureSide | None, first: FigureSide | None) -> str:
    if not isinstance(value, JudgedSide) or value.ratio is None or bounded(first, value):
        return "–"
    return f"{ratio_text(value.ratio)} {SIGNS[value.verdict]}"


def markdown(beside: SideBySide) -> str:
    """Write all of it as Markdown."""
    return sanitised.markdown(
        "\n".join(["# Runs side by side\n", runs_table(beside).markdown(), table(beside).markdown()])
    )
