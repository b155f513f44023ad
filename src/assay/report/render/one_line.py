"""A run in one line, the last that a verb prints: whether to believe it, how much was measured, and where it lies."""

from __future__ import annotations

from collections import Counter

from assay.document.run_document import Document
from assay.document.run_verdict import RunVerdict
from assay.number_words import number_of
from assay.report.derive.empty_run import nothing_measured
from assay.report.judge import verdict

MOST_FIGURES = 2  # of what a run of one benchmark reached


def one_line(document: Document) -> str:
    """Sum a run up: its state, what one benchmark alone reached, figures by state, launches, and its folder."""
    sections = document.benchmarks
    figures = [figure for section in sections for figure in section.figures if figure.statistic != "first"]
    states = Counter(figure.state for figure in figures)
    bad = [f"{states[state]} {state}" for state in ("disturbed", "bound", "invalid") if states[state]]
    launches = sorted({section.launches for section in sections})
    between = "" if not launches else f"{launches[0]} to {launches[-1]}" if len(launches) > 1 else f"{launches[0]}"
    parts = [
        number_of(len(sections), "benchmark"),
        number_of(len(figures), "figure") + (f" ({', '.join(bad)})" if bad else ""),
        *([f"{skipped} skipped"] if (skipped := _skipped(document)) else []),
        *([f"{between} launch{'es' if launches[-1] != 1 else ''}"] if launches else []),
    ]
    found = verdict.of(document)
    reached = _reached(found) if len(sections) == 1 else ""
    standing = _standing(document, found, bool(bad))
    return f"{document.machine}: {standing}: {reached}{', '.join(parts)}; {document.folder}"


def _reached(verdict: RunVerdict) -> str:
    """Write the first valid figures of the verdict, each with its interval or range; "" where it has none."""
    valid = [line for line in verdict.lines if line.state != "invalid"]
    titles = _once([line.title for line in valid])
    values = [f"{line.text} ({line.interval})" if line.interval else line.text for line in valid]
    texts = [f"{title} {value}" for title, value in zip(titles, values, strict=True)]
    more = f" and {len(texts) - MOST_FIGURES} more" if len(texts) > MOST_FIGURES else ""
    return f"{', '.join(texts[:MOST_FIGURES])}{more}; " if texts else ""


def _once(titles: list[str]) -> list[str]:
    """Titles of which the first alone says what stands before the colon where all have it alike."""
    heads = {title.partition(": ")[0] for title in titles if ": " in title}
    if len(heads) != 1 or "(" in min(heads) or not all(": " in title for title in titles):
        return titles
    return [*titles[:1], *(title.partition(": ")[2] for title in titles[1:])]


def _standing(document: Document, verdict: RunVerdict, mixed: bool) -> str:
    """The state that most figures reach, `mixed` where others are worse, damage, and the grade of a measured run."""
    if nothing_measured(document) is not None:
        unfinished = document.unfinished
        return "nothing measured" if unfinished is None else f"{unfinished.state}, nothing measured"
    damaged = bool(document.damage)
    state = f"mostly {document.state}" if (mixed or damaged) and document.state == "clean" else document.state
    state = f"damaged, {state}" if damaged else state
    if document.unfinished is not None:
        state = f"{document.unfinished.state}, {state}"
    if document.described or not document.valid:
        return state
    grade = verdict.grade
    return f"{state}, grade {grade.grade} ({grade.meaning})"


def why_not(document: Document) -> str | None:
    """Give the first reason why a run is not valid, for those who see nothing but the one line; None where it is.

    Nor of a run that measured nothing: its line says so, and a verb that refuses it says why.
    """
    broken = [each for each in document.benchmarks if each.state == "invalid" or each.failed_checks]
    reasons = [f"{each.benchmark}: {text}" for each in broken for text in each.warnings] or document.warnings
    if document.valid or not reasons or nothing_measured(document) is not None:
        return None
    return reasons[0] + (f" (and {len(reasons) - 1} more, {in_the_report(document)})" if len(reasons) > 1 else "")


def in_the_report(document: Document) -> str:
    """Say where the rest stands: in the report where there is one, else in that which a command writes."""
    return "in the report" if document.report else f"in the report: `assay report {document.folder}`"


def _skipped(document: Document) -> int:
    """How many benchmarks were skipped: an entry may name several."""
    return sum(len(each.benchmark.split(", ")) for each in document.left_out)
