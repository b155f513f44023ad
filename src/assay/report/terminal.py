"""A run in the terminal: the verdict, the main figures, each benchmark's tables, what is doubted."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from assay.report import launches_spent, matrices, published, quoted, tables
from assay.report.grid import Grid
from assay.report.verdict import verdict

MOST_ROWS = 24  # a longer table is for the page
MOST_FAMILIES = 2  # cases whose fits are printed
MOST_LEFT_OUT = 4  # notes of what was not measured
MOST_BESIDE = 3  # of what stands beside the published figures: errors, claims, where the time goes
MOST_COLUMNS = 6  # and a wider matrix


def show(document: dict[str, Any], console: Console | None = None) -> None:
    """Print a run as tables that fit a terminal."""
    out = console or Console()
    out.print(f"\n{verdict(document)}\n", highlight=False, markup=False)
    main = tables.headlines(document)
    if main.rows:
        out.print(main.rich())
    odd = tables.nodes(document)
    if odd:
        out.print(odd.rich())
    for section in document["benchmarks"]:
        made = tables.figures(section, narrow=True)
        if made.rows and (len(made.rows) <= MOST_ROWS or len(document["benchmarks"]) == 1):
            out.print(made.rich())
        for square in matrices.tables(section):
            if len(square.rows) <= MOST_COLUMNS:
                out.print(square.rich())
        for note in [note for note in section["notes"] if note.startswith("left out: ")][:MOST_LEFT_OUT]:
            out.print(f"  {note}", highlight=False, markup=False)
        for node in section.get("noise", ()):
            for text in node["text"]:
                out.print(f"  {node['host']}: {text}", highlight=False, markup=False)
        for line in _fits(section):
            out.print(f"  {line}", highlight=False, markup=False)
    for line in launches_spent.lines(document.get("spent")):
        out.print(line, highlight=False, markup=False)
    for each in document.get("left_out", ()):
        out.print(f"left out: {each['benchmark']}: {each['reason']}", highlight=False, markup=False)
    own = [quoted.table(document["quoted"])] if document.get("quoted") else []
    beside = [Grid(**{**made, "rows": tuple(map(tuple, made["rows"]))}) for made in document.get("beside", [])]
    for past in (*beside[:MOST_BESIDE], *own, *published.tables(document)):
        out.print(past.rich())
    for section in document["benchmarks"]:
        reasons = section["warnings"]
        if reasons:
            more = f" (and {len(reasons) - 1} reasons more, in the report)" if len(reasons) > 1 else ""
            text = f"{section['state']}: {section['benchmark']}: {reasons[0]}{more}"
            out.print(text, style="yellow", highlight=False, markup=False)
    if document.get("report"):
        out.print(f"report: {document['report']}", highlight=False, soft_wrap=True)


def _fits(section: dict[str, Any]) -> list[str]:
    """What was fitted, a family of cases after the other under what tells it from the others."""
    families: dict[tuple[tuple[str, Any], ...], list[str]] = {}
    for fit in section["fits"]:
        families.setdefault(tuple(sorted(fit.get("params", {}).items())), []).append(fit["text"])
    if len(families) < 2:
        return [text for texts in families.values() for text in texts]
    alike = set.intersection(*(set(family) for family in families))
    lines = []
    for family, texts in list(families.items())[:MOST_FAMILIES]:
        apart = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in family if (key, value) not in alike)
        lines += [f"{apart}:", *(f"  {text}" for text in texts)]
    more = len(families) - MOST_FAMILIES
    return [*lines, f"(fits of {more} more cases in the report)"] if more > 0 else lines
