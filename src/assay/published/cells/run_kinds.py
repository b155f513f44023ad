"""The kinds of a described run's figures, case by case: that of the published cell whose twin the case is.

A rule of `twins` names the cases of a cell. A case that alone answers a cell has the cell's kind, and of several
cells' the weakest one; all others are simulated: nothing printed is there to compare with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assay.case import Parameters
from assay.described.shipped import find
from assay.document.run_document import Document
from assay.document.section import Section
from assay.errors import InputError
from assay.kinds import NumberKind, weakest
from assay.machine import catalogue
from assay.published.cells.answers import Answer, FromRun, Played, Setting
from assay.published.cells.described_file import read
from assay.published.cells.provenance import Provenance
from assay.published.cells.twins import RULES, has_rule, simulated

Case = tuple[str, tuple[tuple[str, str], ...]]


@dataclass
class _Asked:
    """Answers from a run alone; remembers the cases that answered."""

    run: FromRun
    cases: set[Case] = field(default_factory=set)

    def ask(self, machine: str, benchmark: str, figure: str, **settings: Setting) -> list[Answer]:
        found = self.run.held(machine, benchmark, figure, settings)
        self.cases |= {_case(benchmark, answer.params) for answer in found}
        return found


def with_kinds(document: Document, on: str | None) -> Document:
    """A run's document in which each figure has its kind; `on`: the description, as NAME or NAME:VARIANT.

    Nothing changes where the run measured a real machine, or where the description is gone.
    """
    if not on or not document.described:
        return document
    try:
        described = read(find(on.partition(":")[0]))
    except InputError:
        return document
    known: dict[Case, list[NumberKind]] = {}
    behind = Provenance(has_rule, described.published, described.origin)
    for cell in catalogue.load().cells:
        if cell.machine != described.published or cell.benchmark not in RULES:
            continue
        looked = _Asked(FromRun(document, on, Played()))
        if simulated(looked, on, [cell]) and len(looked.cases) == 1:
            known.setdefault(looked.cases.pop(), []).append(behind.cell(cell))
    kinds = {case: weakest(of) or NumberKind.SIMULATED for case, of in known.items()}
    return replace(document, benchmarks=[_section(section, kinds) for section in document.benchmarks])


def _section(section: Section, kinds: Mapping[Case, NumberKind]) -> Section:
    def kind(params: Parameters) -> NumberKind:
        return kinds.get(_case(section.benchmark, params), NumberKind.SIMULATED)

    return replace(
        section,
        figures=[replace(each, kind=kind(each.params)) for each in section.figures],
        headlines=[
            replace(each, figure=replace(each.figure, kind=kind(each.figure.params))) for each in section.headlines
        ],
    )


def _case(benchmark: str, params: Parameters) -> Case:
    return benchmark, tuple(sorted((key, str(value)) for key, value in params.items()))
