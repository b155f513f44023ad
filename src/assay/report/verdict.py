"""The verdict on a run, as data: what the machine is, what it reaches, what limits it or is odd, how good the run is.

The page, the terminal and `summary.md` draw the same one, and `summary.json` keeps it for later runs' reports.
"""

from __future__ import annotations

from typing import Any

from assay.report import against, earlier, facts, findings, grade, reached
from assay.store import Run

Document = dict[str, Any]
MOST_FINDINGS = 6  # on the first screen; the rest is counted


def attach(run: Run, document: Document) -> Document:
    """Add the verdict to a run's document as `summary`, with earlier runs of this store, unless it is there."""
    if "summary" not in document:
        before = [] if document.get("described") else earlier.earlier(run)
        document["summary"] = verdict(document, run.about, before)
    return document


def verdict(document: Document, about: Document | None = None, before: list[Document] | None = None) -> Document:
    """Return {run, machine, facts, lines, findings, grade}; `about` is run.json, `before` earlier runs' summaries."""
    about = about or {}
    lines = reached.lines(document, before or [])
    return {
        "run": document.get("run"),
        "machine": document.get("machine"),
        "described": bool(document.get("described")),
        "profile": document.get("profile"),
        "created": document.get("created"),
        "facts": facts.facts(document, about),
        "lines": lines,
        "findings": findings.findings(document, lines, _doubts(facts.discovered(document, about))),
        "published": against.against(document),
        "grade": grade.grade(document, lines),
        "earlier": len(before or ()),
    }


def of(document: Document) -> Document:
    """The document's verdict, made from the document alone where none was attached."""
    return document.get("summary") or verdict(document)


def _doubts(discovered: Document) -> list[Document]:
    """What discovery doubted on this host when the run began; nothing where the host is not this version's."""
    if not discovered:
        return []
    from pydantic import ValidationError

    from assay.machine.abilities import doubts
    from assay.machine.discovery import Host

    try:
        return [doubt.model_dump() for doubt in doubts(Host.model_validate(discovered))]
    except ValidationError:
        return []
