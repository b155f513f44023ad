"""Which programs a described machine simulates for a run: the same benchmarks, parameters and numbers of ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from assay.benchmark.record import Benchmark, benchmark
from assay.benchmark.resolved import task_values
from assay.case import ParameterValue
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import room
from assay.document.run_document import Document
from assay.errors import InputError
from assay.execute.plan import Plan, Size, Task
from assay.store import Run


@dataclass(frozen=True)
class BenchmarkPlayed:
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
    *,
    every_length: bool = False,
) -> Iterator[BenchmarkPlayed]:
    """The benchmarks of a run for a described machine: their first launch of each size, with its settings and seed.

    `measured`: the run's document; `wanted` selects sizes; `every_length`: also those lengths of the run that are not
    among the description's own (`[defaults]`). What has no record here is skipped, and `say` is told.
    """
    most, defaults = room(machine), machine.parameter_defaults()
    done = Plan.from_dict(run.about["plan"]) if "plan" in run.about else None
    first: dict[str, dict[Size, Task]] = {}
    for task in () if done is None else done.tasks:
        if wanted(size := Size(task.ranks, task.ppn)):
            first.setdefault(task.benchmark, {}).setdefault(size, task)
    for name, by_size in first.items():
        record = _record(name, say)
        if record is not None:
            extra = _settings(record, next(iter(by_size.values())), measured, defaults, every_length)
            fitting = {_fitting(size, most): task for size, task in reversed(by_size.items())}
            tasks = tuple(_for(size, task, extra) for size, task in reversed(fitting.items()))
            yield BenchmarkPlayed(record, Plan("" if done is None else done.profile, 1, 1, tasks))


def _for(size: Size, task: Task, extra: tuple[str, ...]) -> Task:
    """The task on as many ranks as there is room for; of what was varied, only sizes are a described machine's."""
    sizes = {"ranks": size.ranks, "ppn": size.ppn}
    factors: dict[str, ParameterValue] = {key: sizes[key] for key in task.factors if key in sizes}
    return replace(task, launch=0, ranks=size.ranks, ppn=size.ppn, arguments=(*task.arguments, *extra), factors=factors)


def _fitting(size: Size, most: int | None) -> Size:
    """As many ranks as were measured, or as the machine has room for: a case that names its ranks then finds none."""
    return size if most is None or size.ranks is None else Size(min(size.ranks, most), size.ppn)


def _record(name: str, say: Callable[[str], None]) -> Benchmark | None:
    try:
        return benchmark(name)
    except InputError as error:
        say(f"{name}: skipped: {error}")
        return None


def _settings(
    record: Benchmark, task: Task, measured: Document, defaults: Mapping[str, str], every_length: bool
) -> tuple[str, ...]:
    """Words that have a machine play the run's values of parameters, where it would play others.

    Of a parameter for which the machine's description has `defaults`, where none of these is one of the run's, so that
    no case would be in both. Of lengths with `every_length`, where one of the run's would not be played.
    """
    words: list[str] = []
    played = task_values(record, task.arguments, simulated=True, defaults=defaults)
    for name, parameter in record.parameters.items():
        own, theirs = _values(measured, record.name, name), {str(each) for each in played[name]}
        is_length = every_length and parameter.unit == "B"
        if own and (not own <= theirs if is_length else name in defaults and not own & theirs):
            words += ["--set", f"{name}={','.join(sorted(own, key=lambda value: (len(value), value)))}"]
    return tuple(words)


def _values(measured: Document, benchmark: str, parameter: str) -> set[str]:
    """The values of a parameter that a run has figures of."""
    figures = (each for section in measured.benchmarks if section.benchmark == benchmark for each in section.figures)
    return {str(each.params[parameter]) for each in figures if each.params.get(parameter) is not None}
