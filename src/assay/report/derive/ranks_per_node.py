"""Ranks per node (`ppn`): main figures by their number, and runs of which only some say it, beside one another.

A run with several numbers has `ppn` among the parameters of its cases; one with a single number has it in its plan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from assay.document.params import Parameters
from assay.document.reported_figure import Headline, ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.settings import setting

KEY = "ppn"
Figure = TypeVar("Figure", bound=ReportedFigure)


def by_ranks_per_node(figures: Sequence[Figure]) -> list[list[Figure]]:
    """Group figures by their ranks per node, the fewest first; those that do not say it are a group of their own."""
    found: dict[int, list[Figure]] = defaultdict(list)
    for figure in figures:
        found[int(figure.params.get(KEY) or 0)].append(figure)
    return [found[number] for number in sorted(found)]


def titled(title: str, case: Parameters, several: bool) -> str:
    """Add the ranks per node of a case to its title where `several` were measured: "…, 2 per node"."""
    return f"{title}, {setting(KEY, case[KEY])}" if several and KEY in case else title


def without_number(headline: Headline) -> str:
    """The title of a main figure without the ranks per node that `titled` added."""
    return headline.title.removesuffix(f", {setting(KEY, headline.figure.params.get(KEY))}")


def asked_for(about: Mapping[str, Any], benchmark: str) -> int | None:
    """The single number of ranks per node that a run (its run.json) was to measure a benchmark with; else None."""
    plan = about.get("plan")
    tasks = plan.get("tasks") or () if isinstance(plan, dict) else ()
    found = {task.get(KEY) for task in tasks if isinstance(task, dict) and task.get("benchmark") == benchmark}
    (only,) = found if len(found) == 1 else (None,)
    return only if isinstance(only, int) else None


def stated_alike(documents: Sequence[Document]) -> list[Document]:
    """Give documents that are to stand beside one another, `ppn` in all cases of a benchmark where it is in some.

    A section whose cases do not say it takes the number that was asked for; it stays as it is where that is unknown.
    """
    names = {of.benchmark for document in documents for of in document.benchmarks if _says(of)}
    if not names:
        return list(documents)
    return [
        replace(made, benchmarks=[_stating(of) if of.benchmark in names else of for of in made.benchmarks])
        for made in documents
    ]


def unlike(one: Document, other: Document) -> str | None:
    """Why two documents may have no figure in common: ranks per node that only one says, or that both have not.

    Gives the reason and what to do, or None where this is not it.
    """
    for of, beside, name in ((one, other, other.run), (other, one, one.run)):
        stating = {section.benchmark for section in of.benchmarks if _says(section)}
        silent = [
            each for each in beside.benchmarks if each.benchmark in stating and not _says(each) and each.ppn is None
        ]
        if silent:
            return f"{name} records no ranks per node: run it again with --ppn, or the other without"
    both = [{_numbers(of) for of in made.benchmarks if _numbers(of)} for made in stated_alike((one, other))]
    if all(both) and not set().union(*both[0]) & set().union(*both[1]):
        words = [", ".join(map(str, sorted(set().union(*numbers)))) for numbers in both]
        return f"they have {words[0]} and {words[1]} ranks per node: run one again with --ppn of the other"
    return None


def _numbers(section: Section) -> frozenset[int]:
    return frozenset(int(figure.params[KEY]) for figure in section.figures if KEY in figure.params)


def _says(section: Section) -> bool:
    return any(KEY in figure.params for figure in section.figures)


def _stating(section: Section) -> Section:
    """A section whose figures say the ranks per node that were asked for, where they do not yet."""
    if section.ppn is None or _says(section):
        return section
    number = {KEY: section.ppn}
    return replace(
        section,
        figures=[replace(each, params=each.params | number) for each in section.figures],
        headlines=[
            replace(each, figure=replace(each.figure, params=each.figure.params | number)) for each in section.headlines
        ],
    )
