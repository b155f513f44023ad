"""What a run says first of a library's choices: the choice and the best other way side by side, and one sentence.

The cases that are shown are those where the choice is slower, the worst first; where none is shown to be, those where
it looks the slowest, with the reason why nothing more can be said.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.analysis.comparison import MARGIN
from assay.benchmark.variants import MPI_KEYS
from assay.case import Case
from assay.document.choice import Choice
from assay.document.reported_figure import Headline, ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.report.derive.message_library import alone
from assay.report.derive.settings import setting
from assay.report.derive.variants import reference
from assay.report.judge.finding_lines import finding, library_of
from assay.report.registry import ReportSection
from assay.report.sections import choices
from assay.report.units import human

TOLD_APART = ("ranks", "ppn", "root", "call", "skew")  # by what cases differ beside operation, length and library


def pairs(section: Section) -> Iterator[Headline]:
    """For each case, the one to be seen first first: the figure of the library's choice, then of the best other way."""
    wanted = section.choice
    if wanted is None:
        return
    found = section.choices or ()
    figures = [each for each in section.figures if each.name == wanted.figure and each.main]
    alike = {key for key in (*TOLD_APART, *MPI_KEYS) if len({each.params.get(key) for each in found}) == 1}
    for case in sorted(found, key=_place):
        for way in (wanted.own, case.best):
            figure = _figure(figures, case.params | {wanted.across: way})
            if figure is not None:
                called = alone(wanted.whose) if way == wanted.own and wanted.whose else way
                yield Headline(figure=figure, title=f"{_case(case, alike)}: {called}")


def _place(case: Choice) -> tuple[bool, float]:
    return not case.slower, -case.ratio


def _figure(figures: list[ReportedFigure], params: Case) -> ReportedFigure | None:
    return next((each for each in figures if each.params == params), None)


def _case(case: Choice, alike: set[str]) -> str:
    """As short as the first screen needs it: what all cases have alike is in the sentence beside."""
    about = case.params
    words = [str(about.get("operation"))]
    if isinstance(length := about.get("bytes"), int) and about.get("operation") != "barrier":
        words.append(human(float(length), "B"))
    words += [setting(key, about[key]) for key in TOLD_APART if key not in alike and key in about]
    return ", ".join(words) + ("" if alike.issuperset(MPI_KEYS) else choices.library(about))


def standing(section: Section, whose: str) -> str | None:
    """Say that no choice is shown slower, and of the one that looks slowest why not; None where one is, or no case."""
    found = section.choices or ()
    if not found or any(each.slower for each in found):
        return None
    worst = max(found, key=lambda each: each.ratio)
    own = None if section.choice is None else section.choice.whose
    cases = f"any of {len(found)} cases" if len(found) > 1 else choices.named(worst)
    best = "is not shown slower than the best of the algorithms"
    none = f"{whose} choice {best} in {cases}"
    if own is not None:
        none = f"{own} {choices.named(worst)} {best}" if len(found) == 1 else f"{own} barrier {best} in {cases}"
    if worst.ratio <= 1 + MARGIN:
        return none
    return (
        f"{none}; it looks slowest for {choices.named(worst)}, {choices.factor(worst.ratio)} times the time of "
        f"{worst.best}: {worst.reason}"
    )


def _findings(document: Document) -> Iterator[Finding]:
    for section in reference(document).benchmarks:
        if text := standing(section, library_of(document)):
            yield finding(15, "choice", text)


SECTION = ReportSection(order=325, findings=_findings)
