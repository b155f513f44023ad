"""Simulates on a described machine what a run measured: the same benchmarks, parameters and numbers of ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from assay.benchmark.record import Benchmark, benchmark
from assay.described.shipped import open_described, room, shipped
from assay.document.run_document import Document
from assay.errors import AssayError, InputError
from assay.execute import plan as planning
from assay.execute import session
from assay.execute.described import DescribedTarget
from assay.execute.plan import Plan, Size
from assay.execute.stale_files import temporary_folder
from assay.report.derive.document import document
from assay.store import Run


def is_described(name: str) -> bool:
    """Whether a name means a described machine: one that ships, a variant of it, or a TOML file."""
    return name.partition(":")[0] in shipped() or name.endswith(".toml")


def predict_run(run: Run, measured: Document, name: str, say: Callable[[str], None]) -> Document | None:
    """Simulate on machine `name` what a run has of message-passing benchmarks; None where there are none.

    One launch, with the seed of the run's first: a simulation gives the same at every repetition of a seed. The samples
    are deleted when the document is made. `measured`: the run's document.
    InputError where the description is wrong.
    """
    done = Plan.from_dict(run.about["plan"]) if "plan" in run.about else None
    sizes: dict[str, dict[Size, None]] = {}
    machine = open_described(name)
    most, defaults = room(machine), machine.parameter_defaults()
    for task in () if done is None else done.tasks:
        if task.ranks is not None:
            sizes.setdefault(task.benchmark, {})[Size(task.ranks, task.ppn)] = None
    if done is None or not sizes:
        return None
    kept = {own: list(dict.fromkeys(_fitting(size, most) for size in among)) for own, among in sizes.items()}
    records = {own: found for own in kept if (found := _record(own, say)) is not None}
    with temporary_folder("assay-compare-") as folder:
        made = Run(Path(folder), {"id": name, "machine": name, "described": True, "wishes": {"on": name}})
        for inner in ("launches", "log", "provenance"):
            (Path(folder) / inner).mkdir()
        for own, record in records.items():
            _simulate(
                made,
                record,
                name,
                planning.drawn_alike(_planned(record, kept[own], run, measured, defaults), done),
                say,
            )
        return document(made, quoted_nodes=False)


def _fitting(size: Size, most: int | None) -> Size:
    """As many ranks as were measured, or as the machine has room for: a case that names its ranks then finds none."""
    return size if most is None or size.ranks is None else Size(min(size.ranks, most), size.ppn)


def _record(name: str, say: Callable[[str], None]) -> Benchmark | None:
    try:
        return benchmark(name)
    except InputError as error:
        say(f"{name}: skipped: {error}")
        return None


def _planned(record: Benchmark, sizes: list[Size], run: Run, measured: Document, defaults: Mapping[str, str]) -> Plan:
    """One launch of each size, with the settings and the profile of the run that was measured.

    `defaults`: what the machine's description has programs take. Where none of its values is one of the run's, so that
    no case would be in both, the run's are taken.
    """
    request = run.about.get("wishes") or {}
    settings, profile = dict(request.get("settings") or {}), request.get("profile", "quick")
    for name, text in defaults.items():
        own = _values(measured, record.name, name)
        if name in record.parameters and name not in settings and own and not own & {*text.split(",")}:
            settings[name] = ",".join(sorted(own, key=lambda value: (len(value), value)))
    return planning.make([record], profile=profile, settings=settings, launches=1, sizes={record.name: sizes})


def _values(measured: Document, benchmark: str, parameter: str) -> set[str]:
    """The values of a parameter that a run has figures of."""
    figures = (each for section in measured.benchmarks if section.benchmark == benchmark for each in section.figures)
    return {str(each.params[parameter]) for each in figures if each.params.get(parameter) is not None}


def _simulate(made: Run, record: Benchmark, name: str, plan: Plan, say: Callable[[str], None]) -> None:
    try:
        failed = session.do(made, plan, DescribedTarget(name, {}), say=lambda text: None, records={record.name: record})
        for failure in failed:
            say(f"{record.name} on {name}: skipped: {failure.reason}")
    except AssayError as error:
        say(f"{record.name}: skipped: {error}")
