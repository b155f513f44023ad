"""Simulated next to published figures, as data for `--json` and as tables for the page and the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from assay.described.shipped import find, shipped
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.document.validation import (
    CellErrors,
    JudgedClaim,
    JudgedPart,
    ValidatedTable,
    Validation,
    Validations,
    ValidationSummary,
)
from assay.kinds import EVIDENCE, PUBLISHED, NumberKind
from assay.machine import catalogue
from assay.published.cells import comparison
from assay.published.cells.allowance import bounds, length
from assay.published.cells.answers import Answers, FromRun, Played
from assay.published.cells.comparison import ComparedCell, ComparedTable
from assay.published.cells.described_file import read
from assay.published.judge import SIGNS, ClaimVerdict
from assay.report.units import human
from assay.validation.claims import messages as claims
from assay.validation.machines import evidence
from assay.validation.machines import fallen_apart as uncertain
from assay.validation.machines.time_goes import time_goes


def section(answers: Answers, machine: str, published: str, origin: dict[str, str]) -> Validation:
    """Everything about one described machine: tables with their errors and cells, and claims with their numbers."""
    tables = comparison.compare(answers, machine, published, origin) if known(published) else []
    verdicts = claims.evaluate(answers, published, origin) if known(published) else []
    texts = claims.published()
    return Validation(
        machine=machine,
        published=published if known(published) else None,
        tables=[table_document(table) for table in tables],
        uncertain=uncertain.tables(answers, published),
        summary=summary(machine, tables, verdicts) if verdicts else None,
        claims=[judged_claim(verdict, texts[verdict.claim].text, texts[verdict.claim].source) for verdict in verdicts],
    )


def summary(machine: str, tables: Sequence[ComparedTable], verdicts: Sequence[ClaimVerdict]) -> ValidationSummary:
    """Cells and claims counted, and what of them is evidence."""
    return ValidationSummary(
        cells=cells_counted(tables),
        claims=claims.summary(verdicts),
        evidence=evidence.counted(evidence.groups(machine, tables), verdicts),
    )


def everything() -> Validations:
    """All shipped descriptions that anything was published of, as data."""
    answers = Played()
    described = {name: read(path) for name, path in shipped().items()}
    machines = [
        section(answers, name, one.published, one.origin) for name, one in described.items() if known(one.published)
    ]
    return Validations(machines=machines, refused=answers.refused)


def validated(whole: Document, on: str) -> Document:
    """Add to a run's document the comparison with published figures, as data and as tables for the page."""
    described = read(find(on.partition(":")[0]))
    answers = FromRun(whole, on, Played())
    found = section(answers, on, described.published, described.origin)
    if found.published is None:
        return replace(whole, validation=found)
    tables = comparison.compare(answers, on, described.published, described.origin)
    grids = [glance([t for t in tables if t.errors()], "Simulated and published")]
    if found.claims and found.summary:
        grids.append(claim_grid(found.claims, "Claims about it, evaluated", found.summary.claims))
    beside = evidence.groups(on, tables, (NumberKind.INTERPOLATED, *EVIDENCE))
    grids.append(evidence.beside(beside, "Beside a baseline without a simulator"))
    grids += [time_goes(answers.played, [on])] if time_goes(answers.played, [on]).rows else []
    grids += [cells(table) for table in tables]
    grids += uncertain.tables(answers, described.published)
    return replace(whole, validation=found, beside=[made for made in grids if made.rows])


def known(published: str) -> bool:
    """Whether anything was published of it."""
    return published in catalogue.load().machines


SHOWN = (NumberKind.FITTED, NumberKind.INTERPOLATED, *EVIDENCE)  # whose errors are shown


def table_document(table: ComparedTable) -> ValidatedTable:
    """One table as part of a document."""
    return ValidatedTable(
        paper=table.paper,
        table=table.name,
        benchmark=table.benchmark,
        source=table.source,
        errors={"all": table.errors(), **{kind: table.errors(kind) for kind in PUBLISHED if kind != NumberKind.QUOTED}},
        errors_baseline={
            kind: found[1] if (found := table.baseline_errors(kind)) else None
            for kind in (NumberKind.INTERPOLATED, *EVIDENCE)
        },
        errors_beyond_print=table.errors(left=True),
        marks={mark: sum(row.mark == mark for row in table.rows) for mark in PUBLISHED},
        unfollowable=[unfollowable_words(row) for row in unfollowable(table)],
        cells=[row.document() for row in table.rows],
    )


def share(value: float) -> str:
    """An error in percent."""
    return f"{100 * value:.2f}" if abs(value) < 0.1 else f"{100 * value:.1f}"


def _three(errors: CellErrors | None) -> str:
    return "–" if errors is None else f"{share(errors.median)} / {share(errors.p95)} / {share(errors.worst)}"


def _number(table: ComparedTable, kind: NumberKind, count: int) -> str:
    """How many cells of a kind there are, with their errors where their column shows these."""
    errors = table.errors(kind) if kind in SHOWN else None
    return f"{count}" if errors is None else f"{count} ({_three(errors)})"


def glance(tables: Sequence[ComparedTable], title: str) -> Grid:
    """Every table's errors on one line, in a column for each kind of cells that there is."""
    rows = []
    for table in tables:
        errors = table.errors()
        count = Counter(row.mark for row in table.rows)
        rows.append(
            (
                f"{table.source}: {table.benchmark}",
                f"{errors.cells if errors else 0}",
                _three(errors),
                *(_number(table, kind, count[kind]) for kind in PUBLISHED),
                f"{sum(row.cell.doubtful for row in table.rows)}",
                _three(table.errors(left=True)),
            )
        )
    headings = ("table", "cells judged", "error %", *map(str, PUBLISHED), "doubtful", "beyond print and clock")
    filled = [at for at, column in enumerate(zip(*rows, strict=True)) if set(column) != {"0"}]
    note = f"{cells_counted(tables)} Errors are median / 95th percentile / greatest, in percent of values as printed, "
    note += "of one kind in brackets. Doubtful cells are not judged. No table is pooled."
    shown = [[row[at] for at in filled] for row in rows]
    return grid(title, [headings[at] for at in filled], shown, note)


def cells_counted(tables: Sequence[ComparedTable]) -> str:
    """How many of the cells that are judged are evidence, in a sentence."""
    judged = [row for table in tables for row in table.rows if row.counts]
    count = Counter(row.mark for row in judged)
    each = ", ".join(f"{count[kind]} {kind}" for kind in (NumberKind.INTERPOLATED, *EVIDENCE))
    return f"Of {len(judged)} judged cells: {each}; only extrapolated and transferred cells are evidence."


def cells(table: ComparedTable) -> Grid:
    """Every cell of one table: published, simulated, error, mark."""
    by_hops = sorted({row.cell.params["hops"] for row in table.rows if "hops" in row.cell.params})
    title = f"{table.source}: {table.benchmark}"
    if table.name != "text" and by_hops and all(length(row.cell) is not None for row in table.rows):
        return _matrix(table, by_hops, title)
    rows = [
        (
            _label(row),
            f"{row.cell.printed:g} {'' if row.cell.printed_unit == '1' else row.cell.printed_unit}".strip()
            + (" ?" if row.cell.doubtful else ""),
            "–" if row.simulated is None else human(row.simulated, row.cell.unit),
            "–" if row.error is None else f"{100 * row.error.raw:+.2f}",
            row.mark,
        )
        for row in table.rows
    ]
    return grid(title, ("cell", "published", "simulated", "error %", "is"), rows, _note(table))


def _matrix(table: ComparedTable, by_hops: Sequence[int], title: str) -> Grid:
    found = {(length(row.cell), row.cell.params["hops"]): row for row in table.rows}
    lengths = sorted({size for size, _ in found if size is not None})
    rows = []
    for size in lengths:
        line = [f"{size:g}"]
        for hops in by_hops:
            row = found.get((size, hops))
            line.append("–" if row is None else _short(row))
        rows.append(tuple(line))
    marks = {hops: {found[key].mark for key in found if key[1] == hops} for hops in by_hops}
    headings = ("bytes", *(f"{hops} hop{'s' * (hops > 1)} ({', '.join(sorted(marks[hops]))})" for hops in by_hops))
    note = "kB/s: published → simulated (error %). " + _note(table)
    return grid(title, headings, rows, note.strip())


def _short(row: ComparedCell) -> str:
    unsure = " ?" if row.cell.doubtful else ""
    if row.simulated is None or row.error is None:
        return f"{row.cell.printed:g}{unsure}"
    return f"{row.cell.printed:g}{unsure} → {row.simulated / 1e3:.4g} ({100 * row.error.raw:+.1f})"


def _label(row: ComparedCell) -> str:
    size = length(row.cell)
    extras = [f"{value}" for key, value in row.cell.params.items() if key in ("mode", "hops", "load")]
    if row.cell.benchmark.startswith("mod1"):  # EuroBen's patterns
        extras += [f"{row.cell.params['cpus']} ranks"] if "cpus" in row.cell.params else []
        return ", ".join((row.cell.benchmark.partition(".")[2], *extras))
    return ", ".join(part for part in (row.cell.metric, "" if size is None else f"{size:g} B", *extras) if part)


def _note(table: ComparedTable) -> str:
    notes = list(dict.fromkeys(row.cell.note for row in table.rows if row.cell.doubtful and row.cell.note))
    named = [unfollowable_words(row) for row in unfollowable(table)]
    text = "; ".join(f"? {note}" for note in notes[:4])
    if named:
        text += f" No monotone model can follow: {'; '.join(named)}."
    return text.strip()


def unfollowable(table: ComparedTable) -> list[ComparedCell]:
    """The fewest cells without which no longer message takes less time than a shorter one, print and clock allowed."""
    timed = sorted(
        (
            (int(row.cell.params.get("hops", 0)), size, row)
            for row in table.rows
            if row.cell.metric == "rate" and (size := length(row.cell)) and not row.cell.doubtful
        ),
        key=lambda each: each[:2],
    )
    wrong: list[ComparedCell] = []
    for hops in dict.fromkeys(each[0] for each in timed):
        found = [(size, row) for at, size, row in timed if at == hops]
        rates = [bounds(row.cell) for _, row in found]
        times = [(size / high, size / low) for (size, _), (low, high) in zip(found, rates, strict=True)]
        kept = _longest_rising(times)
        wrong += [row for place, (_, row) in enumerate(found) if place not in kept]
    return wrong


def _longest_rising(times: Sequence[tuple[float, float]]) -> set[int]:
    """Places of a longest subsequence each may take as long as the one before: its most, the other's least."""
    best: list[list[int]] = [[]]
    for place, (_, most) in enumerate(times):
        before = [way for way in best if not way or times[way[-1]][0] <= most]
        best.append([*_longest(before), place])
    return set(_longest(best))


def _longest(ways: Sequence[list[int]]) -> list[int]:
    return max(ways, key=lambda way: len(way))


def unfollowable_words(row: ComparedCell) -> str:
    """Such a cell in words."""
    size = length(row.cell) or 0
    return f"{size:g} bytes in {human(size / row.cell.value, 's')}"


def judged_claim(verdict: ClaimVerdict, text: str, source: str | None = None) -> JudgedClaim:
    """A verdict as part of a document, with the claim's text and source."""
    return JudgedClaim(
        claim=verdict.claim,
        outcome=verdict.outcome,
        parts=[JudgedPart(outcome=part.outcome, numbers=part.numbers) for part in verdict.parts],
        note=verdict.note,
        mark=verdict.mark,
        rests_on=verdict.rests_on,
        text=text,
        source=source,
    )


def claim_grid(found: Sequence[JudgedClaim], title: str, note: str = "") -> Grid:
    """Claims with their verdicts, their marks and numbers."""
    rows = []
    for one in found:
        numbers = "; ".join(part.numbers for part in one.parts)
        rows.append(
            (
                f"{SIGNS[one.outcome]} {one.outcome}",
                one.mark or "–",
                one.text,
                numbers + (f" ({one.note})" if one.note else "") + (f" (As {one.rests_on}.)" if one.rests_on else ""),
            )
        )
    return grid(title, ("", "is", "claim", "numbers"), rows, note, left=4)
