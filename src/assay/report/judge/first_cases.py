"""Which cases of a benchmark without main figures are seen first, and which of their parameters tell them apart.

The order is that of the record's own choices, which begin with what people know best; of several lengths beside other
parameters a rate is shown of the longest, a time of the shortest; of a library's choices those of the library; of
ranges of arguments, whose accuracy differs, the first; of pairs whose ends are to lie `apart` none of one with itself;
no rate of no bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.document.params import Parameters
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.derive.case_order import place, record_of
from assay.report.render.plots import ALWAYS_SAID

LENGTHS = ("bytes", "length", "size")


def first_cases(section: Section, figures: Sequence[ReportedFigure]) -> list[ReportedFigure]:
    """The figures of one name in the order in which they are shown, without those that others stand for."""
    kept = [each for each in figures if not _of_nothing(each)] or list(figures)
    if section.choice is not None:
        own = [each for each in kept if each.params.get(section.choice.across) == section.choice.own]
        kept = own or kept
    lengths = {each.params["bytes"] for each in kept if isinstance(each.params.get("bytes"), int)}
    if len(lengths) > 1:
        length = max(lengths) if kept[0].unit.endswith("/s") else min(lengths)
        alike = [each for each in kept if each.params.get("bytes") == length]
        kept = alike if len(alike) > 1 else kept
    record = record_of(section)
    ends = () if record is None else record.extra.get("apart", ())
    kept = [each for each in kept if len({each.params.get(end) for end in ends}) == len(ends)] or kept
    if section.accuracy and record is not None:
        usual = record.parameters[section.accuracy.over].choices[0]  # the time is that of the first range
        kept = [each for each in kept if each.params.get(section.accuracy.over) == usual] or kept
    return sorted(kept, key=lambda each: place(record, each.params))  # stable: what is no choice stays as it is listed


def _of_nothing(figure: ReportedFigure) -> bool:
    """Whether a figure is the rate of a message or an array of no length, which is zero by definition."""
    return figure.unit.endswith("/s") and figure.value == 0 and any(figure.params.get(key) == 0 for key in LENGTHS)


def telling(cases: Sequence[Parameters], section: Section) -> Sequence[Parameters]:
    """The cases without what a program counted beside its parameters, as long as they differ without it."""
    kept: Sequence[Parameters] = cases
    record = record_of(section)
    stated = {*ALWAYS_SAID, *(() if record is None else record.parameters)}
    for key in dict.fromkeys(key for case in cases for key in case if key not in stated):
        fewer = [{name: value for name, value in case.items() if name != key} for case in kept]
        if len({str(sorted(case.items(), key=str)) for case in fewer}) == len(fewer):
            kept = fewer
    return kept
