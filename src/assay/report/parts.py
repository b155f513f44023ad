"""The page below the verdict: a block for each part, with its telling plots, and in it each benchmark's own block.

History benchmarks have a part of their own at the end, beside the machines that were published.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.benchmark.record import PARTS
from assay.document.grid import Grid
from assay.document.params import Parameters, Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.published.tables import hypercubes
from assay.report import (
    accuracy,
    applications,
    choices,
    energy,
    euroben_plots,
    fastest_ways,
    file_rates,
    guidelines,
    kernel_curves,
    loaded,
    matrices,
    over_time,
    over_time_plots,
    own_tables,
    pairings,
    pairs_shown,
    plots,
    roof,
    shares,
    shown_first,
    spectra,
    speedups,
    tables,
)
from assay.report.cases import cases
from assay.report.states import WORST, words
from assay.report.units import human, unit_of
from assay.report.variants import reference

MOST_TELLING = 3  # plots that a part opens with
LONGEST_GIST = 160  # letters
MOST_SIDE_BY_SIDE = 4  # plots of one benchmark
MOST_CHOICES = 12  # of one that compares algorithms, operation by operation
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
    roofed: bool
    gist: list[str]
    headlines: list[HeadlineShown]
    plots: list[str]
    fits: Grid | None
    levels: Grid | None
    accuracy: Grid | None
    choices: Grid | None
    fastest: Grid | None
    guidelines: Grid | None
    slow: list[Grid]
    energy: Grid | None
    own: list[Grid]
    over_time: list[str]
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
    cases: dict[str, Parameters] = field(default_factory=dict)


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
    above = roof.plots(document)
    made = []
    for name in (name for name in order if name in by_part):
        blocks = sorted(by_part[name], key=lambda block: (block.rank, block.title))
        telling = [key for block in blocks for key in block.plots[:1]]
        if above and any(block.roofed for block in blocks):
            keys = [f"roof-{i}" for i in range(len(above))]
            drawn.plots |= {key: plot | {"of": "Memory"} for key, plot in zip(keys, above, strict=True)}
            telling, above = [*telling[:1], keys[-1], *telling[1:]], []
        made.append(
            PagePart(
                name=name,
                title=TITLES.get(name, name.capitalize()),
                blocks=blocks,
                plots=telling[:MOST_TELLING],
                state=max((block.state for block in blocks), key=WORST.__getitem__),
                counts=_counts(blocks),
                gist=_gist(blocks),
                tables=[beside] if name == applications.PART and (beside := applications.table(of_first)) else [],
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
    most = MOST_CHOICES if section.choice else MOST_SIDE_BY_SIDE
    most += file_rates.MOST_PLOTS if file_rates.covers(section) else 0
    most = max(most, pairs_shown.MOST_LENGTHS * len(pairs_shown.judged(section)))
    for i, plot in enumerate(_plots(section)[:most]):
        keys.append(f"{name}-{i}")
        drawn.plots[keys[-1]] = plot | {"of": section.title}
    return BenchmarkOnPage(
        name=name,
        title=section.title,
        state=section.state,
        section=section,
        counts=", ".join(f"{count} {state}" for state, count in section.states.items() if count),
        rank=min((figure.order or shown_first.LAST for figure in section.headlines), default=shown_first.LAST + 1),
        roofed=bool(section.roof and section.roof.bandwidth),
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
        accuracy=accuracy.table(section),
        choices=choices.table(section),
        fastest=fastest_ways.table(section),
        guidelines=guidelines.table(section),
        slow=pairs_shown.tables(section),
        energy=energy.table(section),
        own=own_tables.tables(document, section),
        over_time=over_time.lines(section),
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
    if section.accuracy:  # its cases are read beside each other, not along one axis
        return accuracy.plots(section)
    if by_operation := choices.plots(section):
        return by_operation
    if by_pair := pairs_shown.plots(section):
        return by_pair
    if under_load := loaded.plots(section):
        return under_load
    if over_pairings := pairings.plots(section):
        return [*over_pairings, *over_time_plots.plots(section)]
    if by_block := file_rates.plots(section):
        return [*by_block, *over_time_plots.plots(section)]
    if by_kernel := kernel_curves.plots(section):
        return by_kernel
    made = [
        *euroben_plots.plots(section),
        *matrices.plots(section),
        *shares.plots(section),
        *speedups.plots(section),
        *spectra.plots(section),
    ]
    made += plots.curves(section, hypercubes.curves(section)) if not section.matrix else []
    dots = None if made else plots.points(section)
    left = plots.residuals(section)
    by_time = over_time_plots.plots(section)
    return [*made, *((dots,) if dots else ()), *by_time, *((left,) if left else ())]
