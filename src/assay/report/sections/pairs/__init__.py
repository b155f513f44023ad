"""A tournament of all pairs of ranks: what it found slow, in tables, plots and lines."""

from __future__ import annotations

from collections.abc import Iterator

from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.report.derive.variants import reference
from assay.report.judge.finding_lines import finding
from assay.report.registry import BenchmarkSource, BenchmarkView, Derived, Place, ReportSection
from assay.report.sections.pairs.pair_tables import MOST_LENGTHS, judged, plots, slow, tables, waiting


def _derive(source: BenchmarkSource) -> Derived:
    if not source.record.extra.get("pairs"):
        return Derived()
    from assay.report.sections.pairs.tournament import tournaments

    found = tournaments(source.run, source.record.name)
    values = {"tournament": found[0] if len(found) == 1 else None, "tournaments": found if len(found) > 1 else None}
    return Derived(values=values, notes=[text for each in found for text in each.text])


def _findings(document: Document) -> Iterator[Finding]:
    """Name the slowest of what a tournament of all pairs found slow."""
    for section in reference(document).benchmarks:
        for factor, text, advice in slow(section):
            yield finding(65 + min(4.0, factor), "odd", text, f"{advice}; the part on messages draws all pairs")
        for text, advice in waiting(section):
            yield finding(27, "limit", text, advice)


def _terminal_lines(section: Section) -> list[str]:
    """What a tournament without anything slow says instead of a table."""
    return [text for found in judged(section) if not found.slow for text in found.text]


SECTION = ReportSection(
    order=350,
    derive=_derive,
    findings=_findings,
    of_benchmark=BenchmarkView(
        place=Place.JUDGEMENT,
        tables=lambda document, section: tables(section),
        terminal_lines=_terminal_lines,
        plots=lambda section: plots(section) or None,
        sole_plots=True,
        most_plots=lambda section: MOST_LENGTHS * len(judged(section)),
    ),
)
