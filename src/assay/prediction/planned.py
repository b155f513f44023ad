"""Which programs a described machine simulates for a run: the same benchmarks, parameters and numbers of ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from assay.benchmark.record import Benchmark, benchmark
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import room
from assay.document.run_document import Document
from assay.errors import InputError
from assay.execute import plan as planning
from assay.execute.plan import Plan, Size
from assay.store import Run


@dataclass(frozen=True)
class PlannedBenchmark:
    """One launch of each size that a benchmark was measured with."""

    record: Benchmark
    plan: Plan


def measured_sizes(run: Run) -> dict[str, list[Size]]:
    """Each benchmark that a run was to measure, with its numbers of ranks; a node program's Size() has none."""
    sizes: dict[str, dict[Size, None]] = {}
    for task in Plan.from_dict(run.about["plan"]).tasks if "plan" in run.about else ():
        sizes.setdefault(task.benchmark, {})[Size(task.ranks, task.ppn)] = None
    return {name: list(among) for name, among in sizes.items()}


def planned_alike(
    run: Run,
    measured: Document,
    machine: DescribedMachine,
    say: Callable[[str], None],
    wanted: Callable[[Size], bool] = lambda size: True,
) -> Iterator[PlannedBenchmark]:
    """The benchmarks of a run for a described machine, with the settings, profile and seeds of the run.

    `measured`: the run's document; `wanted` selects sizes. What has no record here is skipped, and `say` is told.
    """
    most, defaults = room(machine), machine.parameter_defaults()
    for name, sizes in measured_sizes(run).items():
        kept = list(dict.fromkeys(_fitting(size, most) for size in sizes if wanted(size)))
        record = _record(name, say) if kept else None
        if record is not None:
            done = Plan.from_dict(run.about["plan"])
            plan = _planned(record, kept, run, measured, defaults)
            yield PlannedBenchmark(record, planning.drawn_alike(plan, done))


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
