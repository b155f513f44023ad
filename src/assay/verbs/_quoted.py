"""The answer of `--on` for a machine that can be neither measured nor simulated: its published figures, quoted."""

from __future__ import annotations

from dataclasses import replace

from assay.benchmark.record import Benchmark
from assay.document.quoted import Quoted, QuotedAnswer, QuotedBenchmark, QuotedFigure
from assay.errors import InputError
from assay.execute.run_request import RunRequest

ONLY_QUOTED = "published figures are quoted and nothing is run"


def quoted_one(request: RunRequest, record: Benchmark) -> QuotedBenchmark | None:
    """Quote one benchmark's published figures; None where it can be run, InputError where neither is possible."""
    if request.on is None:
        return None
    described = _described(request)
    if described and (record.kind != "node" or _node_described(request, record)):
        return None  # simulated, whatever was published
    from assay.published.tables import quoted

    machine = quoted.published(request.on)
    if machine is None:
        return None  # neither: refused by its target
    found = quoted.one(machine, record, described=described)
    if not request.settings:
        return found
    given = ", ".join(f"--set {key}={value}" for key, value in request.settings.items())
    ignored = f"{given}: chooses nothing here: what was published is quoted whole"
    return replace(found, warnings=[*found.warnings, ignored])


def published_figures(on: str, record: Benchmark) -> list[QuotedFigure]:
    """What was published of a machine for a benchmark that was simulated; of most nothing, and no catalogue is read."""
    if not record.published and "related" not in record.extra:
        return []
    from assay.published.tables import quoted

    return quoted.of_run(on, record)


def show_beside(on: str, record: Benchmark) -> None:
    """Print what was published of a machine for a node program that its description answered, where anything was."""
    if not published_figures(on, record):
        return
    from assay.published.tables import quoted
    from assay.report.render.console import listing

    machine = quoted.published(on)
    if machine is not None:
        listing().print(quoted.table(quoted.one(machine, record, described=True)).rich())


def quoted_whole(request: RunRequest, records: list[Benchmark]) -> Quoted | None:
    """Quote all published figures of a machine; None where it is described, or is this one."""
    from assay.published.tables import quoted

    machine = None if request.on is None else quoted.published(request.on)
    if machine is None or _described(request):
        return None
    found = quoted.answer(machine, records)
    if not found.benchmarks:
        raise InputError(
            "is not described, and no figure of these parts was published for it",
            key="--on",
            value=str(request.on),
            accepted=f"other parts; `assay catalogue {machine.id}` shows what was published",
        )
    return found


def quoted_nodes(on: str, only: str, records: list[Benchmark]) -> Quoted:
    """Quote the published figures of a described machine for node programs, which no simulation measures.

    `only`: the parts that these are all of.
    InputError where nothing was published of any.
    """
    from assay.published.tables import quoted

    machine = quoted.published(on)
    found = None if machine is None else quoted.answer(machine, records)
    if found is None or not found.benchmarks:
        raise InputError(
            f"measures a real processor; {on} is described and has none, and nothing was published of this part on it",
            key="--only",
            value=only,
            accepted="parts with messages, or no --on",
        )
    return found


def _node_described(request: RunRequest, record: Benchmark) -> bool:
    from assay.described.shipped import open_described
    from assay.execute.node_simulated import describes

    return describes(open_described(str(request.on), request.machine), record)


def _described(request: RunRequest) -> bool:
    try:
        request.target()
    except InputError:
        if request.machine or request.via or request.placement is not None or _has_file(str(request.on)):
            raise  # keys of a description, a variant, a launcher or a placement are for what can be run
        return False
    return True


def _has_file(on: str) -> bool:
    """Whether `on` is a description, with or without a variant behind a colon, known or not."""
    from assay.described.shipped import find

    try:
        find(on.partition(":")[0])
    except InputError:
        return False
    return True


def show(found: QuotedAnswer, quiet: bool = False) -> None:
    """Print quoted answers as tables, or how many they are in one line."""
    if quiet:
        count = sum(len(section.figures) for section in found.sections)
        print(f"{found.name}: cannot be measured here: {count} published figures quoted")
        return
    from assay.published.tables import quoted
    from assay.report.render.console import listing

    console = listing()
    console.print(f"{found.name} cannot be measured here: these are published figures, quoted.", highlight=False)
    console.print(quoted.table(found).rich())
    for text in found.warnings:
        console.print(text, highlight=False, markup=False)
