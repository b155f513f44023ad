"""The sections of a report: what each shows of a benchmark and of a run, found in the folder `report/sections`.

A module or package of that folder has a `SECTION`. The page, Markdown, the terminal, the summary, the findings and the
document itself go through all of them in the order of `order`, and name none.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from assay.document.grid import Grid
from assay.document.params import Plot
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section

if TYPE_CHECKING:
    from assay.benchmark.record import Benchmark
    from assay.document.reported_figure import ReportedFigure
    from assay.report.derive.readings import LaunchLines
    from assay.store import Run
    from assay.stored.launch_file import Tasks

FOLDERS = ("assay.report.sections",)  # packages that are searched


class Place(Enum):
    """Where the tables of a benchmark are, around those of all benchmarks: the table of figures, and the fits.

    A page has all of them above the cases.
    """

    LEAD = "above the figures"
    ANALYSIS = "below the figures, with what other benchmarks of the run found; on a terminal at the end"
    JUDGEMENT = "below the fits; on a terminal above the figures"
    DETAIL = "below the fits; on a terminal below the figures"


@dataclass(frozen=True, kw_only=True)
class BenchmarkSource:
    """What a section can derive from: one benchmark's launches, its figures, and its part of the document so far.

    `complete`: derive all; else only what a look at a running benchmark needs. `described`: by simulation.
    """

    run: Run
    record: Benchmark
    lines: LaunchLines
    figures: Sequence[ReportedFigure]
    section: Section
    described: bool
    complete: bool


@dataclass(frozen=True, kw_only=True)
class Derived:
    """What a section derived: values by name, and notes.

    A name that `document.section.Section` has becomes that field; others are in its `derived`, so in the JSON.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class RunSource:
    """What a section can complete a document from: the run, the files of all its launches, and its records by name."""

    run: Run
    tasks: Tasks
    records: Mapping[str, Benchmark]


BenchmarkTables = Callable[[Document, Section], list[Grid]]
BenchmarkLines = Callable[[Section], list[str]]


def no_tables(document: Document, section: Section) -> list[Grid]:
    """Show no table."""
    return []


def no_lines(section: Section) -> list[str]:
    """Write no line."""
    return []


@dataclass(frozen=True, kw_only=True)
class BenchmarkView:
    """What is shown of one benchmark.

    tables, lines: on the page and in Markdown; terminal_tables, terminal_lines: what a terminal has room for (default:
    the same). on_page: False where plots show the same as the tables. plots: None where the benchmark is of another
    kind. sole_plots: they are drawn instead of those of other sections; constant_plots: they are drawn in any case.
    most_plots: how many plots of a benchmark the page may draw.
    covers: the `id` of figures that its terminal tables have, so that the table of figures leaves them out.
    replaces: whether its terminal tables stand for a long table of figures.
    """

    place: Place = Place.DETAIL
    tables: BenchmarkTables = no_tables
    terminal_tables: BenchmarkTables | None = None
    on_page: bool = True
    lines: BenchmarkLines = no_lines
    terminal_lines: BenchmarkLines | None = None
    plots: Callable[[Section], list[Plot] | None] = lambda section: None
    sole_plots: bool = False
    constant_plots: bool = False
    most_plots: Callable[[Section], int] = lambda section: 0
    covers: Callable[[Section], Collection[int]] = lambda section: ()
    replaces: Callable[[Section], bool] = lambda section: False


class RunPlace(Enum):
    """Where what is shown of a whole run is."""

    TOP = "above the benchmarks; on the page below the verdict"
    END = "below the benchmarks; on the page in its last part, This run"
    PART = "below the benchmarks; on the page a part of its own"


@dataclass(frozen=True, kw_only=True)
class RunView:
    """What is shown of a whole run, under `title`.

    tables, lines, plots: on the page and in Markdown; terminal_*: what a terminal has room for (default: the same).
    opening: lines that a terminal has above the benchmarks. scope: of what a terminal's main figures are, where not of
    the whole run. closes: whether a terminal shows no section behind it.
    summary: tables in summary.md (default: it is not there). anchor: its id on the page. plot_note: stands below the
    plots. template: of a part, its file in render/pages, which gets what is `shown`; a part is on the page where it is
    `present`. in_markdown, on_page: where it is shown at all.
    """

    place: RunPlace = RunPlace.END
    title: Callable[[Document], str]
    markdown_title: str = ""  # default: title
    anchor: str
    tables: Callable[[Document], list[Grid]] = lambda document: []
    terminal_tables: Callable[[Document], list[Grid]] | None = None
    lines: Callable[[Document], list[str]] = lambda document: []
    markdown_lines: Callable[[Document], list[str]] | None = None
    terminal_lines: Callable[[Document], list[str]] | None = None
    plots: Callable[[Document], list[Plot]] = lambda document: []
    plot_note: str = ""
    opening: Callable[[Document], list[str]] = lambda document: []
    scope: Callable[[Document], str] = lambda document: ""
    closes: Callable[[Document], bool] = lambda document: False
    summary: Callable[[Document], list[Grid]] | None = None
    present: Callable[[Document], bool] = lambda document: True
    template: str = "run_part.html"
    in_markdown: bool = True
    on_page: bool = True


@dataclass(frozen=True, kw_only=True)
class PartView:
    """What opens a part of the page: tables and plots of the first part with a benchmark that `belongs`.

    plots: the last of them is among the plots that the part opens with; `title`: what they are of.
    """

    belongs: Callable[[Section], bool]
    title: str = ""
    tables: Callable[[Document], list[Grid]] = lambda document: []
    plots: Callable[[Document], list[Plot]] = lambda document: []


@dataclass(frozen=True, kw_only=True)
class ReportSection:
    """One section: its place among all (`order`), what it derives and finds, and its views.

    `derive`: of each benchmark; `complete`: of the whole document, once all benchmarks are derived.
    """

    order: float
    derive: Callable[[BenchmarkSource], Derived] | None = None
    complete: Callable[[RunSource, Document], Document] | None = None
    findings: Callable[[Document], Iterable[Finding]] = lambda document: ()
    of_benchmark: BenchmarkView | None = None
    of_run: RunView | None = None
    of_part: PartView | None = None


def only(table: Grid | None) -> list[Grid]:
    """Give a table as a list; nothing where there is none."""
    return [] if table is None else [table]


def sections() -> dict[str, ReportSection]:
    """All sections by the names of their files, in order."""
    return _found(FOLDERS)


@cache
def _found(folders: tuple[str, ...]) -> dict[str, ReportSection]:
    found: dict[str, ReportSection] = {}
    for folder in folders:
        for module in pkgutil.iter_modules(importlib.import_module(folder).__path__):
            section = getattr(importlib.import_module(f"{folder}.{module.name}"), "SECTION", None)
            if section is None:
                raise TypeError(f"{folder}.{module.name}: got no SECTION, expected a ReportSection")
            found[module.name] = section
    return dict(sorted(found.items(), key=lambda each: (each[1].order, each[0])))


def benchmark_views() -> list[BenchmarkView]:
    """The views of a benchmark, in order."""
    return [each.of_benchmark for each in sections().values() if each.of_benchmark is not None]


def run_views(place: RunPlace) -> list[RunView]:
    """The views of a run in one place, in order."""
    views = [each.of_run for each in sections().values() if each.of_run is not None]
    return [view for view in views if view.place is place]
