"""Rates and latencies over time: stalls, sustained rates, and their plots."""

from __future__ import annotations

from collections.abc import Iterator

from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.report.derive.variants import reference
from assay.report.judge.finding_lines import finding
from assay.report.registry import BenchmarkSource, BenchmarkView, Derived, ReportSection
from assay.report.sections.time_series.series_plots import plots
from assay.report.sections.time_series.stalls import lines, over_time, stalled, sustained, uneven

MOST_LINES = 4  # on a terminal: cases that stalled, or whose processes ended at different times


def _derive(source: BenchmarkSource) -> Derived:
    return Derived(values={"over_time": over_time(source.lines.tasks) or None})


def _findings(document: Document) -> Iterator[Finding]:
    """Name the longest stall of each benchmark, writes that slow down for good, and processes that end far apart."""
    for section in reference(document).benchmarks:
        found = stalled(section)
        for seconds, text in found[:1]:
            more = f" (and {len(found) - 1} more cases)" if len(found) > 1 else ""
            advice = "look at the device (dmesg, SMART) and at who else uses it; rate over time is in the part on files"
            yield finding(58 + min(10.0, seconds), "odd", f"{section.title}: {text}{more}", advice)
        for ratio, text in sustained(section)[:1]:
            advice = "take the second rate for long writes; rate over time is in the part on files"
            yield finding(26 + min(10.0, ratio), "limit", f"{section.title}: {text}", advice)
        for ratio, text in uneven(section)[:1]:
            yield finding(
                24 + min(10.0, ratio), "limit", f"{section.title}: {text}", "compare rate_first and rate_last"
            )


SECTION = ReportSection(
    order=500,
    derive=_derive,
    findings=_findings,
    of_benchmark=BenchmarkView(
        lines=lines,
        terminal_lines=lambda section: lines(section)[:MOST_LINES],
        plots=plots,
        constant_plots=True,
    ),
)
