"""Where a tuned library takes longer than the straightforward code beside it: one that does not know this processor.

It is judged as an MPI's choice of algorithm is (choices.py), launch by launch, for the cases with the most work alone:
where there is little, a call costs more than what it does.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.benchmark.record import Benchmark
from assay.case import Case
from assay.document.choice import ChoiceWanted
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.report.derive.case_order import record_of
from assay.report.derive.variants import reference
from assay.report.judge.finding_lines import finding
from assay.report.registry import ReportSection
from assay.report.render.plots import label
from assay.report.sections.choices import choices, rest

WANTED = ChoiceWanted(figure="time", across="code", own="library")  # programs/libraries/code.hpp
LEAST = 1.1  # times slower: less says nothing of a library's kernels


def slow(section: Section) -> Iterator[tuple[float, str]]:
    """Give the case in which a BLAS, LAPACK or FFTW is slowest beside our code: the ratio, and one line."""
    record = record_of(section)
    if record is None or "libraries" not in record.extra or WANTED.across not in record.parameters:
        return
    found = [each for each in choices(_most_work(section, record), WANTED, described=False) if each.slower]
    found = [each for each in found if each.ratio >= LEAST]
    if found:
        worst = max(found, key=lambda each: each.ratio)
        more = f"; longer in {len(found) - 1} more case{'s' if len(found) > 2 else ''}" if len(found) > 1 else ""
        interval = " (95%: {:.3g} to {:.3g})".format(*worst.ci95) if worst.ci95 else ""
        yield (
            worst.ratio,
            f"{section.title}: {_library(section)} takes {worst.ratio:.3g} times as long as straightforward code "
            f"compiled here{interval}: {label(worst.params, [{}])}{more}",
        )


def _most_work(section: Section, record: Benchmark) -> list[ReportedFigure]:
    """The figures of the largest case of each kind: what takes the library the longest, by all but sizes."""
    numbers = {key for key, each in record.parameters.items() if each.kind == "integer"}
    times = [each for each in section.figures if each.name == WANTED.figure and each.main and each.value]
    longest: dict[Case, ReportedFigure] = {}
    for figure in times:
        kind = figure.params.without(numbers - {"threads"})
        if figure.params.get(WANTED.across) == WANTED.own:
            longest[kind] = max(longest.get(kind, figure), figure, key=lambda each: each.value or 0.0)
    cases = [rest(each.params, WANTED.across) for each in longest.values()]
    return [each for each in times if rest(each.params, WANTED.across) in cases]


def _library(section: Section) -> str:
    """As the program noted it: `OpenBLAS 0.3.21 with kernels for Haswell`."""
    noted = next((note.removeprefix("library: ") for note in section.notes if note.startswith("library: ")), "")
    words, _, kernels = noted.partition(", kernels for ")
    if not kernels:
        return words or "the library"
    return f"{' '.join(words.split()[:2])} with kernels for {kernels}"


def _findings(document: Document) -> Iterator[Finding]:
    """Name the libraries that code compiled here beats at their own work, the worst case of each benchmark."""
    advice = "a library built for this processor: a newer version, or its maker's"
    for section in reference(document).benchmarks:
        for ratio, text in slow(section):
            yield finding(51 + min(4.0, ratio), "odd", text, advice)


SECTION = ReportSection(order=345, findings=_findings)
