"""Which figures of a run are shown first: the main figures of its parts, and what stands for them where there are none.

Terminal, page and the one line show these, and a run's JSON has them as `headlines`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.benchmark.record import PARTS
from assay.case import Case, Parameters
from assay.document.reported_figure import Headline, ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.device_list import CPU_KIND
from assay.report.derive.ranks_per_node import without_number
from assay.report.derive.variants import is_varied, parts, reference
from assay.report.judge import first_titles
from assay.report.judge.first_cases import first_cases
from assay.report.render.plots import wanted
from assay.report.render.tables import listed
from assay.report.sections import applications, choice_summary, fastest_ways
from assay.report.units import human, unit_of

MOST_LINES = 10
MOST_FIRST = 6  # cases of a run without main figures
MOST_PER_NODE = 2  # main figures that differ by the ranks per node alone
MOST_APPLICATIONS = 1  # main figures of applications beside others: a line, and one for its bound
MOST_DEVICES = 2  # main figures of devices where there are other parts
DEVICES = "devices"
LAST = 9  # order of a headline whose record gives none


def has_main_figures(document: Document) -> bool:
    """Whether any benchmark of the run, but for historical ones, has main figures by its record."""
    return any(section.headlines for section in document.benchmarks if not section.historical)


def with_headlines(document: Document) -> Document:
    """Give the document with what stands for main figures as `headlines`, where no benchmark of the run has any.

    For JSON, so that a script reads there what a person is shown. Their parameters name the variant that they are of.
    """
    if has_main_figures(document):
        return document
    variant = parts(document.variants.builds[0]).factors if document.variants else {}
    found: dict[str, list[Headline]] = {}
    for figure, section in shown_first(document):
        found.setdefault(section.benchmark, []).append(figure)

    def of(section: Section) -> list[Headline]:
        first, own = found.get(section.benchmark, []), variant if is_varied(section) else {}
        return section.headlines or [_with(each, own) for each in first]

    return replace(document, benchmarks=[replace(each, headlines=of(each)) for each in document.benchmarks])


def _with(headline: Headline, own: Parameters) -> Headline:
    params = Case({**own, **headline.figure.params})
    return replace(headline, figure=replace(headline.figure, params=params))


def shown_first(document: Document, most: int = MOST_LINES) -> list[tuple[Headline, Section]]:
    """Pick the main figures, each part's first ones first, and lay them out in the order of the parts.

    `most` counts a main figure once, whatever ranks per node it has: of these the best and the worst are shown.

    Where there are none and a library's choice is judged, it and the best other way of the worst cases stand for them,
    with the fastest ways of operations that have no such choice.
    """
    by_part: dict[str, list[tuple[list[Headline], Section]]] = {}
    for section in document.benchmarks:
        if not section.historical:
            for alternatives in _by_ranks_per_node(section.headlines):
                by_part.setdefault(section.part or "", []).append((alternatives, section))
    if not by_part:
        whole, document = document, reference(document)  # as main figures are: of variants the first one's
        by_part = {section.part or "": [] for section in document.benchmarks}
        for section, all_variants in zip(document.benchmarks, whole.benchmarks, strict=True):
            figures = _of_choices(section, all_variants) or _first_figures(section)
            if len(document.benchmarks) > 1:  # of a CPU through OpenCL nothing stands first in an evaluation
                figures = [figure for figure in figures if figure.figure.params.get("on") != CPU_KIND]
            by_part[section.part or ""] += [([figure], section) for figure in figures]
        most = min(most, MOST_FIRST)
    for part, found in by_part.items():
        found.sort(key=lambda each: each[0][0].order or LAST)
        if part == applications.PART and len(document.benchmarks) > 1:
            del found[MOST_APPLICATIONS:]
        if part == DEVICES and len(by_part) > 1:
            del found[MOST_DEVICES:]
    turns = max((len(found) for found in by_part.values()), default=0)
    order = [*PARTS, *sorted(set(by_part) - set(PARTS))]
    picked = [(part, turn) for turn in range(turns) for part in order if turn < len(by_part.get(part, ()))][:most]
    picked.sort(key=lambda at: (order.index(at[0]), at[1]))
    shown = [by_part[part][turn] for part, turn in picked]
    return [(figure, section) for figures, section in shown for figure in figures]


def _by_ranks_per_node(headlines: Sequence[Headline]) -> list[list[Headline]]:
    """Each main figure, of several numbers of ranks per node the best and the worst, which stand together.

    Where all are written alike one stands for them, whose title names all numbers.
    """
    groups: list[list[Headline]] = []
    for figure in headlines:
        before = groups[-1][-1] if groups else None
        if before and before.figure.name == figure.figure.name and 0 < _per_node(before) < _per_node(figure):
            groups[-1].append(figure)
        else:
            groups.append([figure])
    return [_as_one(group) or _best_and_worst(group) for group in groups]


def _as_one(group: list[Headline]) -> list[Headline]:
    """The last of those that are written alike, of one state, with all numbers in its title; [] where they are not."""
    last = group[-1]
    written = {
        (human(each.figure.shown, unit_of(each.figure), 3), each.figure.state, without_number(each)) for each in group
    }
    if len(group) == 1 or len(written) > 1:
        return []
    numbers = [str(_per_node(each)) for each in group]
    return [replace(last, title=f"{without_number(last)}, {', '.join(numbers[:-1])} and {numbers[-1]} per node")]


def _best_and_worst(group: list[Headline]) -> list[Headline]:
    """The ends of those with a value by it, in order of the ranks per node; all where they are two or fewer."""
    valued = [each for each in group if each.figure.shown is not None]
    ranked = sorted(valued, key=lambda each: each.figure.shown or 0.0)
    ends = [ranked[0], ranked[-1]] if len(group) > MOST_PER_NODE and len(ranked) > 1 else group
    return [each for each in group if any(each is end for end in ends)]


def _per_node(figure: Headline) -> int:
    return int(figure.figure.params.get("ppn") or 0)


def _of_choices(section: Section, all_variants: Section) -> list[Headline]:
    """What stands for the main figures where choices were judged; the operations that are more come first."""
    judged = list(choice_summary.pairs(all_variants))
    if not judged:
        return []
    others = list(fastest_ways.first(section))
    return [*others, *judged] if fastest_ways.stands_first(section) else [*judged, *others]


def _first_figures(section: Section) -> list[Headline]:
    """What stands for the main figures of a benchmark whose record names none: its first figure, case by case."""
    main = [figure for figure in listed(section) if figure.main]
    name = next((name for name in wanted(section) if any(figure.name == name for figure in main)), "")
    every = [figure for figure in main if figure.name == name]
    chosen = first_cases(section, every)
    bound = _first_bound(section, chosen[0]) if chosen else None
    pairs = list(zip(chosen, first_titles.titles(section, every, chosen), strict=True))
    return [Headline(figure=figure, title=title, bound=bound) for figure, title in pairs[:MOST_FIRST]]


def _first_bound(section: Section, figure: ReportedFigure) -> str | None:
    """The bound of a figure of which no record says it: the arithmetic peak, or of a part the whole."""
    if section.peak_shares and figure.unit == "flop/s":
        return "peak_measured"
    return "whole" if unit_of(figure) == "%" and figure.better == "higher" else None
