"""`./x bench prediction --here`: this host, two ranks: what models fitted to runs A predict of run B's unseen cells.

Runs are measured in turn, A1 B A2; both A are fitted together. Unseen are the cells of B that no fit used. Beside the
error of the predictions stands that of repeating the measurement (A against B, the same cells) and of the baseline.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from assay.analysis.binomial import share_interval
from assay.benchmark.record import benchmark
from assay.described.machine_file import load
from assay.document.model_prediction import PredictedCell
from assay.document.reported_figure import ReportedFigure
from assay.execute import plan as planning
from assay.execute import session
from assay.execute.plan import Plan, Size, Task
from assay.execute.real import Real
from assay.fitting.from_run import description
from assay.fitting.several_runs import pooled
from assay.machine.discovery import discover
from assay.machine.provenance import provenance
from assay.prediction.predict import predict
from assay.report.derive.document import document
from assay.store import Run

LENGTHS = ",".join(str(each) for at in range(3, 20, 2) for each in (1 << at, 3 << at))  # B
FEW = "8,512,4096,65536,262144"
ASKED = {
    "echo": {"bytes": LENGTHS},
    "message-rate": {"bytes": "8,64,512,1024,4096"},
    "bandwidth": {"bytes": "8,1024,16384,65536,262144", "means": "message"},
    "loggp": {},
    "ring": {"bytes": FEW},
    "barrier": {},
    "patterns": {"bytes": "64,16384"},
    "collective": {"bytes": "8,8192", "operation": "broadcast,allreduce"},
}
ORDER = ("A1", "B", "A2")
WANTED = 1.5  # times the error of repeating


def compare(launches: int, draws: int) -> int:
    """Measure, fit, predict; print a row for each benchmark and one for all. Status 1 where an error is too large."""
    began = time.monotonic()
    print(f"load when it began: {os.getloadavg()[0]:.2f}; the programs are compiled first where they are not yet")
    with tempfile.TemporaryDirectory() as folder:
        runs = {name: _measured(Path(folder) / name, launches) for name in ORDER}
        found = {name: document(run) for name, run in runs.items()}
        text, _ = description(found["A1"], found["A2"])
        path = Path(folder) / "model.toml"
        path.write_text(text, encoding="utf-8")
        made = predict(runs["B"], found["B"], load(path), draws)
        again = {
            each.key: each for s in pooled((found["A1"], found["A2"])).benchmarks for each in s.figures if each.main
        }
    unseen = [each for each in made.cells if each.transfer != "another run" and each.state != "bound"]
    rows = [(cell, _repeated(cell, again.get((cell.benchmark, cell.figure, cell.params)))) for cell in unseen]
    print(f"{'cells':<16} {'number':>6} {'error':>8} {'A/A':>8} {'baseline':>9} {'coverage':>9} 95% interval")
    for name in dict.fromkeys(cell.benchmark for cell in unseen):
        _row(name, [row for row in rows if row[0].benchmark == name])
    error, repeat, plain = _row("all", rows)
    ratio = error / repeat if repeat else float("inf")
    below = "yes" if error < plain else "no"
    print(f"error over A/A: {ratio:.2f} (at most {WANTED} wanted); below the baseline's: {below}")
    for reason in made.skipped:
        print(f"not predicted: {reason}")
    print(f"{time.monotonic() - began:.0f} s")
    return int(ratio > WANTED or error >= plain)


def _measured(folder: Path, launches: int) -> Run:
    """A run of all benchmarks on two ranks, launches in turn."""
    tasks: list[list[Task]] = [[] for _ in range(launches)]
    for name, settings in ASKED.items():
        made = planning.make(
            [benchmark(name)], profile="quick", settings=settings, launches=launches, sizes={name: [Size(2)]}
        )
        for task in made.tasks:
            tasks[task.launch].append(task)
    plan = Plan("quick", launches, 1, tuple(task for of in tasks for task in of))
    where = Real(None, None)
    about = {
        "machine": where.machine, "described": False, "wishes": {}, "plan": plan.to_dict(), "profile": "quick",
        "host": provenance(), "discovered": discover(None).model_dump(mode="json"),
    }  # fmt: skip
    run = Run.create(folder, about)
    try:
        session.do(run, plan, where)
    finally:
        where.close()
    run.finish("done")
    return run


def _repeated(cell: PredictedCell, figure: ReportedFigure | None) -> float | None:
    """By how much two measurements of a cell differ; None where the other run has it not, or has only a bound."""
    if figure is None or not figure.value or figure.state == "bound":
        return None
    return abs(figure.value / cell.measured - 1)


def _row(name: str, rows: Sequence[tuple[PredictedCell, float | None]]) -> tuple[float, float, float]:
    """Print medians of errors, all three over the same cells, and coverage; return the errors.

    They are those of predictions, of repeating, of the baseline.
    """
    errors = [
        (abs(cell.error), again, abs(cell.baseline_error))
        for cell, again in rows
        if again is not None and cell.baseline_error is not None
    ]
    judged = [cell.covered for cell, _ in rows if cell.covered is not None]
    low, high = share_interval(sum(judged), len(judged)) if judged else (0.0, 1.0)
    error, repeat, plain = (median(each[at] for each in errors) if errors else float("nan") for at in range(3))
    shown = f"{error:>8.2%} {repeat:>8.2%} {plain:>8.2%}"
    print(f"{name:<16} {len(errors):>6} {shown} {sum(judged):>5} of {len(judged):<3} {low:.0%} to {high:.0%}")
    return error, repeat, plain
