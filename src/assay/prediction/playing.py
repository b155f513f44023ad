"""What a described machine gives for the benchmarks of a run: figures by benchmark, name and case, in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from assay.analysis.figures import cells, figures
from assay.benchmark.record import Benchmark
from assay.described.machine_file import DescribedMachine
from assay.document.reported_figure import FigureKey, ReportedFigure
from assay.errors import AssayError
from assay.execute import node_simulated, simulated
from assay.execute.plan import Task
from assay.prediction.planned import BenchmarkPlayed
from assay.samples import Circumstance, Measured, folded


def figures_of(machine: DescribedMachine, record: Benchmark, task: Task) -> tuple[list[ReportedFigure], str | None]:
    """The figures of one task, which the machine simulates, and why some of its cases have none.

    InputError and MeasurementError where it cannot be simulated.
    """
    if record.kind == "node":
        about = Circumstance("", record.name, record.part, machine.name, 0, 0, 1, "", task.factors)
        events = list(node_simulated.events(machine, record, task.arguments))
        blocks = [each for each in folded(events, about) if isinstance(each, Measured)]
        rows = [(b.block.metric, b.block.case, b.block.host, 0, b.values, b.block.batch, False) for b in blocks]
    else:
        launch = simulated.play(machine, record, task.arguments, task.ranks, task.ppn)
        launch.require_end(f"{record.name} on {machine.name}")
        events = [json.loads(line) for line in launch.lines() if '"skip"' in line]
        seen = launch.observations(machine.name)
        rows = [
            (metric, case | task.factors, host, at, values, batch, first)
            for metric, case, host, at, values, batch, first in seen
        ]
    skipped = next((str(event["text"]) for event in events if event["event"] == "skip"), None)
    return [each for each in figures(record, cells(rows)) if each.statistic == "median"], skipped


def simulated_figures(
    machine: DescribedMachine, planned: Iterable[BenchmarkPlayed], wanted: frozenset[str] | None = None
) -> tuple[dict[FigureKey, ReportedFigure], dict[str, str]]:
    """The figures of all tasks, of the benchmarks `wanted` (None: all), each with a value above 0.

    The second: by benchmark, why the machine cannot simulate it, or some of its cases.
    """
    found: dict[FigureKey, ReportedFigure] = {}
    reasons: dict[str, str] = {}
    for each in planned:
        if wanted is not None and each.record.name not in wanted:
            continue
        for task in each.plan.tasks:
            try:
                made, reason = figures_of(machine, each.record, task)
            except AssayError as error:
                made, reason = [], str(error)
            if reason is not None:
                reasons.setdefault(each.record.name, reason)
            found |= {f.key: f for f in made if f.value is not None and f.value > 0}
    return found, reasons


def simulated_draws(
    machines: Sequence[DescribedMachine], planned: Sequence[BenchmarkPlayed], wanted: frozenset[str]
) -> list[dict[FigureKey, float]]:
    """The values of the same figures on machines with other numbers; a figure that one does not give is left out."""
    made = []
    for machine in machines:
        found, _ = simulated_figures(machine, planned, wanted)
        made.append({key: figure.value for key, figure in found.items() if figure.value is not None})
    return made
