"""What was published of a machine that cannot be measured here: its cells as figures, each quoted, with its source.

A described machine has no processor to run a node's programs on, and most machines of the past are not described at
all. A benchmark's record names the published benchmarks that measure the same; their cells are the answer, never
called measured or simulated; where there are none, there is a warning.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay import versions
from assay.benchmark.record import Benchmark, benchmarks
from assay.case import Case
from assay.document.grid import Grid, grid
from assay.document.quoted import Quoted, QuotedAnswer, QuotedBenchmark, QuotedFigure, QuotedSection
from assay.errors import InputError
from assay.machine import catalogue
from assay.machine.catalogue import CatalogueMachine, PublishedCell
from assay.report.units import human, params
from assay.toml.source import read

PUBLISHED = "published"  # the statistic: a paper's figure has no launches


def published(on: str) -> CatalogueMachine | None:
    """Return the published machine that `--on` means by name, or that a description's `name` is; None otherwise."""
    path = Path(on)
    if path.suffix == ".toml" and path.is_file():
        try:
            on = str(read(path, versions.MACHINE)[0].get("name", on))
        except InputError:
            return None  # the simulation will report what is wrong with the file
    elif not path.exists():
        on = on.partition(":")[0]  # NAME:VARIANT of a description
    try:
        return catalogue.machine(on)
    except InputError:
        return None


def answer(machine: CatalogueMachine, records: Iterable[Benchmark]) -> Quoted:
    """Give what was published of a machine for these benchmarks, and the names of those with nothing."""
    sections = [_section(machine, record) for record in records]
    none = [section.benchmark for section in sections if not section.figures]
    missing = f"nothing was published of {', '.join(none)} on {machine.name}"
    return Quoted(
        machine=machine.id,
        name=machine.name,
        warnings=[missing] if none else [],
        unpublished=none,
        benchmarks=[section for section in sections if section.figures],
    )


def one(machine: CatalogueMachine, record: Benchmark, *, described: bool = False) -> QuotedBenchmark:
    """Give what was published of a machine for one benchmark; InputError where nothing was.

    `described`: benchmarks of messages are simulated on it, and only node programs are quoted.
    """
    found = answer(machine, [record])
    if not found.benchmarks:
        every = benchmarks().values()
        known = [r.name for r in every if not (described and r.kind == "ranks") and _section(machine, r).figures]
        problem = f"nothing was published of {record.name} on {machine.name}, which cannot be measured here"
        accepted = ", ".join(known) or f"none of Assay's benchmarks; see `assay catalogue {machine.id}`"
        if described:
            problem = (
                f"{record.name} measures a real processor, of which a described machine has none, "
                f"and nothing was published of it on {machine.name}"
            )
            played = ", ".join(r.name for r in every if r.kind == "ranks")
            accepted = f"simulated: {played}" + (f"; quoted: {', '.join(known)}" if known else "")
        raise InputError(problem, key=f"--on {machine.id}", value=record.name, accepted=accepted)
    return QuotedBenchmark(
        machine=found.machine,
        name=found.name,
        warnings=found.warnings,
        unpublished=found.unpublished,
        **vars(found.benchmarks[0]),
    )


def of_run(on: str, record: Benchmark) -> list[QuotedFigure]:
    """What was published of the machine that `--on` means for one benchmark, simulated or not; empty where nothing."""
    machine = published(on)
    return [] if machine is None else _section(machine, record).figures


def _section(machine: CatalogueMachine, record: Benchmark) -> QuotedSection:
    related = tuple(record.extra.get("related", ()))
    named = (*record.published, *related)
    cells = catalogue.cells(machine=machine.id, benchmark=named) if named else []
    figures = [_figure(record, cell, another=cell.benchmark in related) for cell in cells]
    return QuotedSection(benchmark=record.name, title=record.title, part=record.part, figures=figures)


def _figure(record: Benchmark, cell: PublishedCell, *, another: bool) -> QuotedFigure:
    return QuotedFigure(
        benchmark=record.name,
        name=cell.metric,
        value=cell.value,
        unit=cell.unit,
        statistic=PUBLISHED,
        params=Case(cell.params),
        published_as=cell.benchmark,
        printed=f"{cell.printed:g} {cell.printed_unit}",
        paper=cell.paper,
        source=f"{catalogue.load().papers[cell.paper].title}, {cell.source}",
        doubtful=cell.doubtful,
        note=cell.note,
        another_program=_definition(cell) if another else None,
    )


def _definition(cell: PublishedCell) -> str:
    """What the paper measured, of a benchmark that several papers may state."""
    statements = catalogue.load().benchmarks[cell.benchmark].statements
    return next(each.definition for each in statements if each.paper == cell.paper) or cell.benchmark


def table(found: QuotedAnswer) -> Grid:
    """Lay out everything quoted of a machine, or of it for one benchmark."""
    figures = [figure for section in found.sections for figure in section.figures]
    rows = []
    for i, figure in enumerate(figures):
        source = figure.source.rpartition(", ")[2]
        value = human(figure.value, figure.unit) + (" ?" if figure.doubtful else "")
        again = i > 0 and figures[i - 1].benchmark == figure.benchmark
        named = ("" if again else figure.benchmark, figure.published_as, figure.name.replace("_", " "))
        rows.append((*named, params(figure.params) or "–", value, source))
    papers = "; ".join(dict.fromkeys(figure.source.rpartition(", ")[0] for figure in figures))
    others = dict.fromkeys(
        f"{figure.published_as}: {figure.another_program}" for figure in figures if figure.another_program
    )
    other = "".join(f" Another program than Assay's: {text}" for text in others)
    unsure = " A ? marks a digit that cannot be read for sure." if any(f.doubtful for f in figures) else ""
    headings = ("benchmark", "published as", "figure", "case", "quoted", "source")
    return grid(
        f"{found.name}: published, and not to be measured here", headings, rows, f"{papers}.{unsure}{other}", left=4
    )
