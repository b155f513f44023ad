"""What the rules of findings are written with: one finding, and the worst of what several benchmarks show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.report.derive.variants import reference

MOST_OPERATIONS = 2  # that have a line each


def finding(weight: float, kind: str, text: str, advice: str | None = None) -> Finding:
    """Make a finding; `weight`: from 100, the first, to 0; `kind`: odd, missing, limit or choice."""
    return Finding(weight=weight, kind=kind, text=text, advice=advice or "")


def short(text: str, most: int = 180) -> str:
    """Cut a text to its first line, and that to `most` letters."""
    text = text.splitlines()[0] if text else text
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + " …"


def library_of(document: Document) -> str:
    """Name whose library the choices of collectives are."""
    return "its library's" if document.described else "your library's"


def slowest(
    document: Document, named: Callable[[Section, str], Iterable[tuple[float, str]]], weight: float, advice: str
) -> Iterator[Finding]:
    """Give the worst operations of what `named` found slower (ratio, text) in all benchmarks; count the others."""
    found = [each for section in reference(document).benchmarks for each in named(section, library_of(document))]
    found.sort(key=lambda each: -each[0])
    unsaid = len(found) - MOST_OPERATIONS
    more = f" (and {unsaid} more operation{'s' if unsaid > 1 else ''})" if unsaid > 0 else ""
    for i, (ratio, text) in enumerate(found[:MOST_OPERATIONS]):
        yield finding(weight + min(10.0, ratio), "choice", text + (more if i == 0 else ""), advice)
