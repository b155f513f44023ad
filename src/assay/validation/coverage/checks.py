"""The judge of the reports' items: what comes of each check, and the state of the item.

A check *works* where the figure comes out and is within its criterion of the printed cells, or is shown with them
where it is of another machine; it *differs* where it comes out and is not; it is *absent* where the command is refused
or gives no such figure. An item works, differs or is absent as its checks are; where some are absent, it is *in part*.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.document.validation import Outcome
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.published.cells import clauses, twins
from assay.report.units import human
from assay.validation.coverage import places
from assay.validation.coverage.asking import Asking, CommandAnswer
from assay.validation.coverage.items import Item, ItemCheck, ItemCriterion
from assay.validation.coverage.markdown_tables import tables

State = Literal["works", "differs", "in part", "absent"]
STATES: tuple[State, ...] = ("works", "differs", "in part", "absent")
BY_OUTCOME: dict[Outcome, State] = {"holds": "works", "differs": "differs", "inconclusive": "absent"}


@dataclass(frozen=True)
class CheckResult:
    """The state of a check or an item, with its numbers or the reason in words."""

    state: State
    words: str = ""


def judge(item: Item, criteria: Mapping[str, ItemCriterion], source: Asking) -> CheckResult:
    """The state of an item, and what its checks that do not work answer."""
    found = [check(one, criteria, source) for one in item.checks]
    states = {one.state for one in found}
    state: State = "absent" if not found else "in part" if "absent" in states and len(states) > 1 else worst(states)
    answer = [one.words for one in found if one.words and (state == "works" or one.state != "works")]
    return CheckResult(state, "; ".join(dict.fromkeys(answer)))


def worst(states: set[State]) -> State:
    """The one that is furthest from works."""
    return max(states, key=STATES.index)


def check(one: ItemCheck, criteria: Mapping[str, ItemCriterion], source: Asking) -> CheckResult:
    """What comes of one check; it is absent as well where the catalogue has not the cells that it names.

    Where a busy machine disturbed a run so far that it has no valid figure, it is made once more.
    """
    try:
        found = _check(one, criteria, source)
        if found.state == "absent" and source.disturbed(one.run):
            source.forget(one.run)
            found = _check(one, criteria, source)
    except LookupError as error:
        return _absent(str(error))
    return found


def _check(one: ItemCheck, criteria: Mapping[str, ItemCriterion], source: Asking) -> CheckResult:
    criterion = criteria.get(one.within)
    if one.claims:
        return _claims(one.claims, source)
    if one.table and criterion:
        return _table(one.table, criterion, source)
    if one.words:
        answer = source.answer(one.run)
        text = _flat(answer.out)
        lacking = [each for each in one.words if _flat(each) not in text]
        return _absent(answer.refusal or f"the answer lacks {', '.join(map(repr, lacking))}") if lacking else WORKS
    if one.beside:
        return _beside(one, source)
    answer = source.answer(one.run, "--json")
    if answer.refusal:
        return _absent(answer.refusal)
    if one.says:
        lacking = [each for each in one.says if not places.has(answer.document, each)]
        return _absent(f"the answer lacks {', '.join(lacking)}") if lacking else WORKS
    if one.quotes:
        return _quotes(named(one.quotes), answer)
    if one.compared:
        return _compared(named(one.compared), answer)
    return _figures(one, criterion, answer)


WORKS = CheckResult("works")


def _absent(words: str) -> CheckResult:
    return CheckResult("absent", words)


def _flat(text: str) -> str:
    """Without line breaks, which the width of a terminal makes."""
    return re.sub(r"\s+", " ", text)


def named(text: str) -> list[PublishedCell]:
    """The published cells that clauses name (`MACHINE BENCHMARK [KEY VALUE]`, separated by semicolons)."""
    known = catalogue.load().cells
    found = []
    for clause in text.split(";"):
        wanted = clauses.named(clause, "")
        held = [cell for cell in known if wanted.holds(cell)]
        if not held:
            raise LookupError(f"no published cell is {clause.strip()}")
        found += held
    return found


def _claims(names: Sequence[str], source: Asking) -> CheckResult:
    found = []
    for name in names:
        outcome, numbers = source.outcome(name)
        short = name.partition(".")[2]
        found.append(CheckResult(BY_OUTCOME[outcome], f"{short} {outcome}" + (f": {numbers}" if numbers else "")))
    states = {one.state for one in found}
    state: State = "in part" if "absent" in states and len(states) > 1 else worst(states)
    return CheckResult(state, "; ".join(one.words for one in found if state != "works" and one.state != "works"))


def _table(text: str, criterion: ItemCriterion, source: Asking) -> CheckResult:
    """Cells of a described machine and their twins; `MACHINE:VARIANT` before the clause names a description."""
    machine, _, clause = text.partition(" ")
    cells = named(f"{machine.partition(':')[0]} {clause}")
    values = twins.simulated(source.answers, machine, cells)
    sure = [cell for cell in cells if not cell.doubtful] or cells
    pairs = [(cells[at].value, value) for at, value in values.items() if cells[at] in sure]
    if not pairs:
        return _absent(f"nothing simulated answers {text}")
    error = float(np.median([abs(value / printed - 1) for printed, value in pairs]))
    return _within(error, criterion, f"median error {error:.2%} of {len(pairs)} cells")


def _within(error: float, criterion: ItemCriterion, words: str) -> CheckResult:
    if error <= criterion.share:
        return CheckResult("works", words)
    return CheckResult("differs", f"{words}, more than {criterion.share:.0%} ({criterion.basis})")


def _figures(one: ItemCheck, criterion: ItemCriterion | None, answer: CommandAnswer) -> CheckResult:
    values: dict[str, list[float]] = {}
    for figure in answer.document.get("figures", ()):
        params = figure.get("params") or {}
        fits = all(str(params.get(key)) == str(value) for key, value in one.at.items())
        value = figure.get("value")
        if not one.cells:
            value = came_out(value, figure.get("by_launch") or ())
        fits &= figure.get("statistic") in ("median", None) or not one.cells
        if fits and figure.get("kind") != "quoted" and isinstance(value, int | float) and math.isfinite(value):
            values.setdefault(str(figure.get("name")), []).append(float(value))
    lacking = [name for name in one.figures if name not in values]
    if lacking:
        case = "".join(f", {key} {value}" for key, value in one.at.items())
        return _absent(f"no figure {', '.join(lacking)}{case}")
    if not one.cells or criterion is None:
        return WORKS
    found = [value for name in one.figures for value in values[name]]
    cells = named(one.cells)
    if len(found) != len(cells):
        return _absent(f"{len(found)} values for {len(cells)} published cells, {one.cells}")
    errors = [value / cell.value - 1 for value, cell in zip(found, cells, strict=True)]
    far = max(errors, key=abs)
    at = errors.index(far)
    words = f"{human(found[at], cells[at].unit)} for {cells[at].printed:g} {cells[at].printed_unit} ({far:+.1%})"
    return _within(abs(far), criterion, words)


def came_out(value: float | None, launches: Sequence[tuple[int, float]]) -> float | None:
    """A figure's value; where a busy machine leaves none that is good, that of its last launch."""
    return launches[-1][1] if value is None and launches else value


def _quotes(cells: Sequence[PublishedCell], answer: CommandAnswer) -> CheckResult:
    figures = [*answer.document.get("quoted", ()), *answer.document.get("figures", ())]
    seen = {(each.get("published_as"), each.get("value")) for each in figures if each.get("kind") == "quoted"}
    lacking = [cell for cell in cells if (cell.benchmark, cell.value) not in seen]
    if lacking:
        first = f"{lacking[0].printed:g} {lacking[0].printed_unit}"
        return _absent(f"{len(lacking)} of {len(cells)} published values are not quoted, {first} among them")
    return WORKS


def _beside(one: ItemCheck, source: Asking) -> CheckResult:
    answer = source.answer(f"{one.run}; report RUN", "--markdown")
    if answer.refusal:
        return _absent(answer.refusal)
    found = [table for table in tables(answer.out) if table.title.startswith(one.beside) and table.beside]
    if not found:
        return _absent(f"no table '{one.beside}' with own and printed values in the run's report")
    texts = [text for table in found for row in table.rows for text in row]
    for cell in named(one.prints) if one.prints else ():
        shown = {*(human(cell.value, cell.unit, digits) for digits in (3, 4)), f"{cell.printed:g}"}
        if not any(re.search(rf"(?<![\d.]){re.escape(value)}(?![\d.])", text) for text in texts for value in shown):
            return _absent(f"the table '{one.beside}' does not show {cell.printed:g} {cell.printed_unit}")
    return WORKS


def _compared(cells: Sequence[PublishedCell], answer: CommandAnswer) -> CheckResult:
    rows = [row for entry in answer.document.get("comparisons", ()) for row in entry.get("rows", ())]
    seen = {(row.get("b") or {}).get("value") for row in rows}
    lacking = [cell for cell in cells if cell.value not in seen]
    if lacking:
        first = f"{lacking[0].benchmark} {lacking[0].printed:g} {lacking[0].printed_unit}"
        return _absent(f"{len(lacking)} of {len(cells)} published values have no row, {first} among them")
    return WORKS
