"""The verdict on a run, as data: what the machine is, what it reaches, what limits it or is odd, how good the run is.

The page, the terminal and `summary.md` draw the same one, and `summary.json` keeps it for later runs' reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.document.params import Facts
from assay.document.run_document import Document
from assay.document.run_verdict import RunVerdict
from assay.report.judge import findings, grade, history, machine_facts, main_figures, published_evidence
from assay.store import Run
from assay.stored.run_record import RunRecord

if TYPE_CHECKING:
    from assay.machine.abilities import HostWarning

MOST_FINDINGS = 6  # on the first screen; the rest is counted


def judged(run: Run, document: Document) -> Document:
    """Give a run's document with its verdict as `summary`, beside earlier runs of this store, unless it has one."""
    if document.summary is not None:
        return document
    before = [] if document.described else history.earlier(run)
    return replace(document, summary=verdict(document, run.about, before))


def verdict(
    document: Document, about: RunRecord | None = None, before: Sequence[history.EarlierRun] = ()
) -> RunVerdict:
    """Draw up the verdict; `about` is run.json, `before` what earlier runs reached."""
    about = about or {}
    lines = main_figures.lines(document, before)
    return RunVerdict(
        run=document.run,
        machine=document.machine,
        described=document.described,
        profile=document.profile,
        created=document.created,
        facts=machine_facts.facts(document, about),
        lines=lines,
        findings=findings.findings(document, lines, _host_warnings(machine_facts.discovered(document, about))),
        published=published_evidence.against(document),
        grade=grade.grade(document, lines),
        earlier=len({tick.run for line in lines if line.bar for tick in line.bar.ticks}),
    )


def of(document: Document) -> RunVerdict:
    """The document's verdict, made from the document alone where none was attached."""
    return document.summary or verdict(document)


def _host_warnings(discovered: Facts) -> Sequence[HostWarning]:
    """What discovery doubted on this host when the run began; nothing where the host is not this version's."""
    if not discovered:
        return []
    from pydantic import ValidationError

    from assay.machine.abilities import host_warnings
    from assay.machine.discovery import Host

    try:
        return host_warnings(Host.model_validate(discovered))
    except ValidationError:
        return []
