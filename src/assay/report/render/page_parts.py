"""The page below the verdict: a block for each part, with its telling plots, and in it each benchmark's own block.

History benchmarks have a part of their own at the end, beside the machines that were published.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.benchmark.record import PARTS
from assay.document.grid import Grid
from assay.document.params import Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.states import WORST, words
from assay.report.derive.variants import reference
from assay.report.judge import first_figures
from assay.report.registry import Place, benchmark_views, sections
from assay.report.render import plots, tables
from assay.report.render.cases import CaseTable, cases
from assay.report.units import human, unit_of

MOST_TELLING = 3  # plots that a part opens with
LONGEST_GIST = 160  # letters
HISTORY = "history"
TITLES = {"processor": "Processor", "history": "History benchmarks"}


@dataclass(frozen=True)
class HeadlineShown:
    """A main figure as a block's first line has it."""

    title: str
    text: str
    spread: str
    state: str


@dataclass(frozen=True)
class BenchmarkOnPage:
    """One benchmark on the page. `plots`: keys of what is drawn; `rank`: its place among those of its part.

    `meanings`: names of figures, and what they are.
    """

    name: str
    title: str
    state: str
    section: Section
    counts: str
    rank: int
    gist: list[str]
    headlines: list[HeadlineShown]
    plots: list[str]
    fits: Grid | None
    levels: Grid | None
    tables: list[Grid]
    lines: list[str]
    cases: int
    meanings: list[tuple[str, str]]


@dataclass(frozen=True)
class PagePart:
    """One part of the machine on the page: its blocks, and what it opens with: tables, and keys of plots."""

    name: str
    title: str
    blocks: list[BenchmarkOnPage]
    plots: list[str]
    state: str
    counts: str
    gist: str
    tables: list[Grid] = field(default_factory=list)


@dataclass
class Drawn:
    """What the page's script draws: plots by key, tables of cases by benchmark."""

    plots: dict[str, Plot] = field(default_factory=dict)
    cases: dict[str, CaseTable] = field(default_factory=dict)


def parts(document: Document) -> tuple[list[PagePart], Drawn]:
    """Return the parts, and what they draw when they are opened."""
    drawn = Drawn()
    by_part: dict[str, list[BenchmarkOnPage]] = {}
    of_first = reference(document)
    for section, first in zip(document.benchmarks, of_first.benchmarks, strict=True):
        name = HISTORY if section.historical else section.part or "other"
        by_part.setdefault(name, []).append(_block(of_first, first, drawn))
        drawn.cases[section.benchmark] = cases(section)  # of build variants all; plots and fits are the first one's
    order = [*PARTS, *sorted(set(by_part) - {*PARTS, HISTORY}), HISTORY]
    opening = {name: each.of_part for name, each in sections().items() if each.of_part is not None}
    made = []
    for name in (name for name in order if name in by_part):
        blocks = sorted(by_part[name], key=lambda block: (block.rank, block.title))
        telling = [key for block in blocks for key in block.plots[:1]]
        grids: list[Grid] = []
        for key in [key for key, view in opening.items() if any(view.belongs(block.section) for block in blocks)]:
            view = opening.pop(key)  # it opens one part
            grids += view.tables(document)
            drawn_above = {f"{key}-{i}": plot | {"of": view.title} for i, plot in enumerate(view.plots(document))}
            drawn.plots |= drawn_above
            telling = [*telling[:1], *list(drawn_above)[-1:], *telling[1:]]
        made.append(
            PagePart(
                name=name,
                title=TITLES.get(name, name.capitalize()),
                blocks=blocks,
                plots=telling[:MOST_TELLING],
                state=max((block.state for block in blocks), key=WORST.__getitem__),
                counts=_counts(blocks),
                gist=_gist(blocks),
                tables=grids,
            )
        )
    return made, drawn


def _gist(blocks: list[BenchmarkOnPage]) -> str:
    """The first main figure of each benchmark, as many as have room."""
    texts = [text for block in blocks for text in block.gist[:1]]
    room = next((i for i in range(1, len(texts)) if len("; ".join(texts[: i + 1])) > LONGEST_GIST), len(texts))
    return "; ".join(texts[:room])


def _counts(blocks: list[BenchmarkOnPage]) -> str:
    states = [block.state for block in blocks]
    return ", ".join(f"{states.count(state)} {state}" for state in WORST if state in states)


def _block(document: Document, section: Section, drawn: Drawn) -> BenchmarkOnPage:
    name = section.benchmark
    keys = []
    views = benchmark_views()
    most = max([plots.MOST_SIDE_BY_SIDE, *(view.most_plots(section) for view in views)])
    for i, plot in enumerate(_plots(section)[:most]):
        keys.append(f"{name}-{i}")
        drawn.plots[keys[-1]] = plot | {"of": section.title}
    shown = [view for view in views if view.on_page]
    shown.sort(key=lambda view: view.place is not Place.ANALYSIS)
    return BenchmarkOnPage(
        name=name,
        title=section.title,
        state=section.state,
        section=section,
        counts=", ".join(f"{count} {state}" for state, count in section.states.items() if count),
        rank=min((figure.order or first_figures.LAST for figure in section.headlines), default=first_figures.LAST + 1),
        gist=[
            f"{of.title} {human(of.figure.shown, unit_of(of.figure), 3)}"
            for of in section.headlines
            if of.figure.shown is not None
        ],
        headlines=[
            HeadlineShown(
                of.title, human(of.figure.shown, unit_of(of.figure), 3), tables.spread(of.figure), _state(of.figure)
            )
            for of in section.headlines
        ],
        plots=keys,
        fits=tables.fits(section),
        levels=tables.levels(section),
        tables=[table for view in shown for table in view.tables(document, section)],
        lines=[line for view in views for line in view.lines(section)],
        cases=len(cases(section)["rows"]),
        meanings=_meanings(section),
    )


def _state(figure: ReportedFigure) -> str:
    """A main figure's state; of a bound also what it was computed from, as the laws beside it rest on medians."""
    return f"{words(figure)}: the best reading" if figure.state == "bound" else words(figure)


def _meanings(section: Section) -> list[tuple[str, str]]:
    """What each figure is, in the record's words, each once."""
    found = {figure.name.replace("_", " "): figure.help for figure in section.figures if figure.help}
    return list(found.items())


def _plots(section: Section) -> list[Plot]:
    views = benchmark_views()
    always = [plot for view in views if view.constant_plots for plot in view.plots(section) or ()]
    for view in (view for view in views if view.sole_plots):
        if (sole := view.plots(section)) is not None:
            return [*sole, *always]
    several = [view for view in views if not view.sole_plots and not view.constant_plots]
    made = [plot for view in several for plot in view.plots(section) or ()]
    dots = None if made else plots.points(section)
    left = plots.residuals(section)
    return [*made, *((dots,) if dots else ()), *always, *((left,) if left else ())]
