"""`./x bench prediction`: do models fitted to noisy runs of known machines predict what the fit did not use?

The truth is a described machine. A run of it is simulated once; each draw gives its launches the noise of real launches
(tests/kept/launch_noise.json), turns a third of its cells into disturbed ones and bounds, and fits a model to that. The
model predicts the cells that were not used, and benchmarks that the fit never sees. Errors are against the truth
without noise, coverage is of a new launch with fresh noise.

All cells of a launch whose times are of one order share one recorded launch, as they share a process in a real run.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean, median, stdev

from assay.analysis.disturbance import Estimator
from assay.benchmark.record import benchmark
from assay.described.machine_file import load
from assay.document.model_prediction import ModelPrediction
from assay.document.reported_figure import Moved, ReportedFigure
from assay.document.run_document import Document
from assay.execute import plan as planning
from assay.execute import session
from assay.execute.described import DescribedTarget
from assay.execute.plan import Plan, Size, Task
from assay.fitting.from_run import description
from assay.prediction.predict import predict
from assay.report.derive.document import document
from assay.store import Run

ROOT = Path(__file__).resolve().parent.parent
TRUTHS = (str(ROOT / "examples" / "constant.toml"), "ipsc860", "paragon-mp", "dragonfly-slingshot", "fat-tree-hdr")
Asked = Mapping[str, tuple[Sequence[int], Mapping[str, str]]]  # by benchmark: numbers of ranks, settings
LENGTHS = ",".join(str(each) for at in range(3, 20) for each in (1 << at, 3 << (at - 1)))  # B, two of an octave
ASKED: Asked = {
    "echo": ([2], {"bytes": LENGTHS}),
    "self": ([1], {}),
    "message-rate": ([2], {}),
    "loggp": ([2], {}),
    "ring": ([2], {}),
    "barrier": ([2], {}),
    "fan-in": ([2], {}),
    "patterns": ([2], {"bytes": "64,16384"}),
    "collective": ([2], {"bytes": "8,8192", "operation": "broadcast,allreduce"}),
}
SHARE = 1 / 3  # of the cells that others disturb
LAUNCHES, DRAWS, OF_PARAMETERS = 8, 40, 24
HERE_LAUNCHES = 4
MEDIAN_ERROR, COVERAGE = 0.05, (0.85, 0.95)  # what is expected


@dataclass(frozen=True)
class Outcome:
    """One draw: errors against the truth, and how many new launches lie within their intervals."""

    errors: list[float]
    covered: int
    judged: int
    prediction: ModelPrediction

    @property
    def coverage(self) -> float:
        """The share of new launches within their intervals."""
        return self.covered / self.judged if self.judged else math.nan


def main(arguments: Sequence[str]) -> int:
    """Print a row for each machine; status 1 where an error or a coverage is not as expected."""
    parser = argparse.ArgumentParser(prog="./x bench prediction", description=__doc__)
    parser.add_argument("--machine", action="append", help="a described machine (default: five)")
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"draws of noise ({DRAWS})")
    parser.add_argument("--first", type=int, default=0, help="number of the first draw: others than those of the tests")
    parser.add_argument("--launches", type=int, default=LAUNCHES, help=f"launches of a run ({LAUNCHES})")
    parser.add_argument("--noise", choices=NOISES, default="echo", help="whose recorded launches are drawn")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="name the N benchmarks with the worst errors")
    parser.add_argument("--here", action="store_true", help="this host on two ranks: measured, fitted, predicted")
    given = parser.parse_args(arguments)
    if given.here:
        from bench._prediction_here import compare

        return compare(min(given.launches, HERE_LAUNCHES), given.draws)
    failed = False
    print(
        f"{'machine':<22} {'draws':>5} {'cells':>6} {'median':>8} {'worst of draws':>14} {'coverage':>9} 95% interval"
    )
    for name in given.machine or TRUTHS:
        with tempfile.TemporaryDirectory() as folder:
            outcomes = list(recovered(name, Path(folder), given.draws, given.launches, given.noise, first=given.first))
        line, good = summary(Path(name).stem, outcomes)
        print(line)
        for text in by_benchmark(outcomes)[: given.worst]:
            print(f"    {text}")
        failed |= not good
    return int(failed)


def recovered(
    machine: str,
    folder: Path,
    draws: int,
    launches: int = LAUNCHES,
    noise: str = "echo",
    cases: Asked = ASKED,
    first: int = 0,
) -> Iterator[Outcome]:
    """An outcome for each draw of noise, from number `first` on."""
    run = simulated_run(folder / "truth", machine, cases)
    truth = document(run)
    values = {figure.key: figure.value for figure in figures(truth)}
    for seed in range(first, first + draws):
        dice = random.Random(f"{machine} {seed}")
        path = folder / f"model-{seed}.toml"
        text, _ = description(noisy(truth, dice, NOISES[noise], launches, SHARE))
        path.write_text(text, encoding="utf-8")
        found = predict(run, noisy(truth, dice, NOISES[noise], 1, 0.0), load(path), OF_PARAMETERS)
        unseen = [cell for cell in found.cells if not cell.used]
        errors = [abs(cell.predicted / (values[cell.benchmark, cell.figure, cell.params] or 1) - 1) for cell in unseen]
        yield Outcome(errors, found.covered, found.judged, found)


def simulated_run(folder: Path, machine: str, cases: Asked) -> Run:
    """A run of the benchmarks on a described machine; one that it does not describe is left out."""
    target = DescribedTarget(machine, {})
    tasks: list[Task] = []
    for name, (ranks, settings) in cases.items():
        record = benchmark(name)
        sizes = {name: [Size(each) for each in ranks]}
        tasks += planning.make([record], profile="quick", settings=settings, launches=1, sizes=sizes).tasks
    plan = Plan("quick", 1, 1, tuple(tasks))
    about = {"machine": target.machine, "described": True, "wishes": {"on": machine}, "plan": plan.to_dict()}
    run = Run.create(folder, about)
    session.do(run, plan, target)
    run.finish("done")
    return run


# -- noise ----------------------------------------------------------------------------------------------------------

KEPT = json.loads((ROOT / "tests" / "kept" / "launch_noise.json").read_text(encoding="utf-8"))
SHORT = 4096  # B: up to here launches vary as those of 8 bytes, beyond as those of 65536
NOISES = {"echo": ("echo half_round_trip", "echo rate"), "stream": ("stream rate", "stream rate")}


def noisy(truth: Document, dice: random.Random, noise: tuple[str, str], launches: int, share: float) -> Document:
    """The document of a run of `launches` as a machine would have given it, a `share` of its cells disturbed."""
    recorded = [[value / KEPT["per"] for value in KEPT["figures"][name]] for name in noise]
    made = []
    for section in truth.benchmarks:
        drawn = [[series[dice.randrange(len(series))] for series in recorded] for _ in range(launches)]
        cells: dict[object, Callable[[ReportedFigure], ReportedFigure]] = {}
        kept = []
        for figure in section.figures:
            cell = (figure.metric, figure.params)
            long = int(float(figure.params.get("bytes") or 0) > SHORT)
            if cell not in cells:
                cells[cell] = _way([each[long] for each in drawn], dice, share)
            is_time = figure.statistic == "median" and figure.value and figure.unit != "1"
            kept.append(cells[cell](figure) if is_time else figure)
        made.append(replace(section, figures=kept))
    return replace(truth, benchmarks=made, described=False, kind="measured")


def _way(logs: Sequence[float], dice: random.Random, share: float) -> Callable[[ReportedFigure], ReportedFigure]:
    """What becomes of one cell whose launches deviate by these logarithms: clean, disturbed or a bound."""
    if dice.random() >= share:
        return partial(_launched, times=[math.exp(log) for log in logs])
    if dice.random() < 0.5:
        moved = dice.uniform(0.1, 1.0)
        known = Moved(0.0, moved * dice.uniform(1.0, 1.5))
        return partial(_launched, times=[math.exp(log) * (1 + moved) for log in logs], moved=known)
    best = [math.exp(log) * (1 + dice.expovariate(5.0)) for log in logs]  # others never make a time shorter
    return partial(_bounded, times=best)


def _scaled(figure: ReportedFigure, time: float) -> float:
    """A figure's value where its time is as many times longer; of a rate the value falls."""
    value = figure.value or 0.0
    return value / time if figure.better == "higher" else value * time


def _launched(figure: ReportedFigure, times: Sequence[float], moved: Moved | None = None) -> ReportedFigure:
    values = [_scaled(figure, time) for time in times]
    if moved is not None and figure.better == "higher":
        moved = Moved(1 / (1 + (moved.high or 0.0)) - 1, 0.0)
    return replace(
        figure,
        value=median(values),
        range=[min(values), max(values)],
        launches=len(values),
        state="clean" if moved is None else "disturbed",
        disturbance=Moved(0.0, 0.0) if moved is None else moved,
        kind="measured",
        by_launch=[[float(at), value] for at, value in enumerate(values)],
    )


def _bounded(figure: ReportedFigure, times: Sequence[float]) -> ReportedFigure:
    values = [_scaled(figure, time) for time in times]
    return replace(
        figure,
        value=max(values) if figure.better == "higher" else min(values),
        range=None,
        launches=len(values),
        statistic="best",
        estimator=Estimator.BEST.value,
        state="bound",
        kind="measured",
        by_launch=[],
        best_by_launch=[[float(at), value] for at, value in enumerate(values)],
    )


# -- results --------------------------------------------------------------------------------------------------------


def figures(of: Document) -> Iterator[ReportedFigure]:
    """The medians of a document."""
    for section in of.benchmarks:
        yield from (figure for figure in section.figures if figure.statistic == "median")


def summary(name: str, outcomes: Sequence[Outcome]) -> tuple[str, bool]:
    """A row of the table, and whether it is as expected: medians of errors, coverage, its interval over draws."""
    if not outcomes:
        return f"{name:<22} no draw", False
    pooled = median([error for each in outcomes for error in each.errors])
    worst = max(median(each.errors) for each in outcomes)
    share = sum(each.covered for each in outcomes) / max(1, sum(each.judged for each in outcomes))
    low, high = clustered([each.coverage for each in outcomes if each.judged])
    cells = round(mean(len(each.errors) for each in outcomes))
    line = (
        f"{name:<22} {len(outcomes):>5} {cells:>6} {pooled:>8.2%} {worst:>14.2%} {share:>9.1%} {low:.1%} to {high:.1%}"
    )
    good = pooled <= MEDIAN_ERROR and COVERAGE[0] <= share <= COVERAGE[1]
    return line, good


def clustered(shares: Sequence[float]) -> tuple[float, float]:
    """The 95% interval of the mean share over draws, whose cells are no independent trials: Student's t by draw."""
    from scipy.special import stdtrit

    if len(shares) < 2:
        return 0.0, 1.0
    half = float(stdtrit(len(shares) - 1, 0.975)) * stdev(shares) / math.sqrt(len(shares))
    return mean(shares) - half, mean(shares) + half


def by_benchmark(outcomes: Sequence[Outcome]) -> list[str]:
    """Errors and coverage of each benchmark, the worst first."""
    found: dict[str, list[tuple[float, bool | None]]] = {}
    for each in outcomes:
        unseen = [cell for cell in each.prediction.cells if not cell.used]
        for cell, error in zip(unseen, each.errors, strict=True):
            found.setdefault(cell.benchmark, []).append((error, cell.covered))
    rows = sorted(((median(e for e, _ in of), name, of) for name, of in found.items()), reverse=True)
    return [
        f"{name}: {len(of) // max(1, len(outcomes))} cells, median error {error:.2%}, "
        f"coverage {mean(bool(held) for _, held in of):.1%}"
        for error, name, of in rows
    ]
