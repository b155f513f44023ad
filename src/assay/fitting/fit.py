"""The numbers of a description fitted again: least squares through the simulator, on named cells.

`[origin]` of the file names the cells that each number is fitted on (`origins`). Numbers with the same cells are fitted
together; `fitted: as KEY` shares one number between two keys. Simulated times are nearly linear in these numbers
(start-ups, times per byte and per hop), so that Gauss-Newton with finite differences ends after a few rounds. What is
minimised depends on the benchmark: relative errors by least squares (echo); Huber's estimate where times fall as
lengths grow, which no model can follow (echo-host); the worst error in units of the larger of a clock tick and 3%, by
linear programming (echo-self: Chebyshev's estimate).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.analysis.alpha_beta import FLOOR, HUBER
from assay.benchmark.record import benchmarks
from assay.described.machine_file import DescribedMachine
from assay.errors import InputError, MeasurementError
from assay.fitting.patterns import seconds_per_byte
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.published.cells import allowance
from assay.published.cells.answers import Setting, play
from assay.published.cells.clauses import Named
from assay.published.cells.described_file import DescribedFile, read, value_at, variant_of, with_values
from assay.published.cells.euroben_twins import MOD1H
from assay.published.cells.origins import used

Floats = NDArray[np.float64]
ROUNDS = 4
PASSES = 2
STEP = 0.05  # of a number, for the differences
OURS = {
    "echo": ("echo", "half_round_trip"),
    "echo-self": ("self", "time"),
    "echo-host": ("host", "half_round_trip"),
    "echo-force-type": ("forced", "half_round_trip"),
    "summary": ("echo", "half_round_trip"),
    **dict.fromkeys(MOD1H, ("patterns", "rate")),
}
TIMED = ("rate", "rate_8192_B", "time_8_B", "time_max")
ESTIMATOR = {"echo-self": "least worst", "echo-host": "Huber"}  # the others: least squares
ASKED = 0.03  # echo-self: within the larger of this and a tick


@dataclass(frozen=True)
class FittedNumber:
    """One number of a description: its key (and those that share it), what the file has and what the fit gives (SI)."""

    key: str
    shared: tuple[str, ...]
    unit: str
    filed: float
    found: float


@dataclass(frozen=True)
class Fit:
    """Numbers fitted together on the same cells, and the relative errors that are left on those cells."""

    cells: tuple[Named, ...]
    numbers: tuple[FittedNumber, ...]
    count: int
    median: float
    worst: float


def fits(path: Path, progress: Callable[[str], None] = lambda text: None) -> list[Fit]:
    """Fit every number of a description that its origin calls fitted on cells of this machine (not on claims).

    Groups are fitted in turn, each with what the others have found, until all have been at it twice. Raises InputError
    where an origin names cells that are not there.
    """
    described = read(path)
    groups: dict[tuple[Named, ...], list[str]] = {}
    for key, text in described.origin.items():
        behind = used(text, described.published)
        if behind and all(each.machine == described.published and each.benchmark in OURS for each in behind):
            groups.setdefault(behind, []).append(key)
    found: dict[tuple[Named, ...], Fit] = {}
    values: dict[str, float] = {}
    rounds = list(groups.items()) * (PASSES if len(groups) > 1 else 1)
    for done, (behind, keys) in enumerate(rounds):
        progress(f"{done} of {len(rounds)} fits")
        fit = _fit(described, behind, keys, values)
        if fit is not None:
            found[behind] = fit
            values |= {key: number.found for number in fit.numbers for key in (number.key, *number.shared)}
    return list(found.values())


def shared_keys(origin: Mapping[str, str], key: str) -> tuple[str, ...]:
    """Keys whose origin is this one's number."""
    return tuple(other for other, text in origin.items() if text.startswith(f"fitted: as {key}"))


def _fit(
    described: DescribedFile, behind: tuple[Named, ...], keys: Sequence[str], others: Mapping[str, float]
) -> Fit | None:
    cells = [c for each in behind for c in catalogue.cells(machine=each.machine) if each.holds(c) and _plain(c)]
    benchmark = behind[0].benchmark
    if not cells or OURS[benchmark][0] not in benchmarks():
        return None
    if len(cells) < len(keys):
        raise InputError("rests on fewer cells than there are numbers", key=f"origin.{keys[0]}", value=len(cells))
    goal = np.array([_time(cell) for cell in cells])
    groups = [(key, *shared_keys(described.origin, key)) for key in keys]
    start = np.array([value_at(described, key)[0] for key in keys])

    def model(numbers: Floats) -> Floats:
        values = {key: float(number) for group, number in zip(groups, numbers, strict=True) for key in group}
        changed = with_values(described, {**others, **values}, variant_of(keys[0]))
        return seconds_per_byte(changed, cells) if benchmark in MOD1H else simulated_times(changed, cells)

    numbers = np.array([others.get(key, filed) for key, filed in zip(keys, start, strict=True)])
    for _ in range(ROUNDS):
        base = model(numbers)
        steps = np.maximum(np.abs(numbers) * STEP, 1e-12)
        columns = [(model(numbers + step) - base) / step.sum() for step in np.diag(steps)]
        slopes = np.column_stack(columns)
        change = _SOLVERS[ESTIMATOR.get(benchmark, "least squares")](slopes, goal - base, goal, cells)
        numbers = np.maximum(numbers + change, 0.0)
        if np.all(np.abs(change) <= 1e-6 * np.maximum(np.abs(numbers), 1e-12)):
            break
    errors = np.abs(goal / model(numbers) - 1)
    found = tuple(
        FittedNumber(key, group[1:], value_at(described, key)[1], float(old), float(new))
        for key, group, old, new in zip(keys, groups, start, numbers, strict=True)
    )
    return Fit(behind, found, len(cells), float(np.median(errors)), float(errors.max()))


def _plain(cell: PublishedCell) -> bool:
    if cell.benchmark in MOD1H:
        return not cell.doubtful
    return cell.benchmark in OURS and not cell.doubtful and _length(cell) is not None and cell.metric in TIMED


def _length(cell: PublishedCell) -> int | None:
    size = allowance.length(cell)
    if size is None and cell.benchmark == "summary":
        return {"rate_8192_B": 8192, "time_8_B": 8}.get(cell.metric)
    return None if size is None else int(size)


def _time(cell: PublishedCell) -> float:
    if cell.benchmark in MOD1H:
        return 1 / cell.value
    return cell.value if cell.metric.startswith("time") else (_length(cell) or 0) / cell.value


def simulated_times(description: DescribedMachine, cells: Sequence[PublishedCell]) -> Floats:
    """The simulated one-way times (s) of these cells, all of one published benchmark; neighbours where no hops."""
    benchmark, figure = OURS[cells[0].benchmark]
    settings: dict[str, Setting] = {"bytes": tuple(sorted({_length(cell) or 0 for cell in cells}))}
    if benchmark == "echo":
        settings["hops"] = tuple(sorted({int(cell.params.get("hops", 1)) for cell in cells}))
    found = {
        (each.params["bytes"], each.params.get("hops") if benchmark == "echo" else 1): each.value
        for each in play(description, benchmark, settings).figures
        if each.name == figure and each.statistic == "median" and each.value is not None
    }
    wanted = [(_length(cell) or 0, int(cell.params.get("hops", 1)) if benchmark == "echo" else 1) for cell in cells]
    return np.array([found[key] for key in wanted])


def _least_squares(slopes: Floats, left: Floats, goal: Floats, cells: Sequence[PublishedCell]) -> Floats:
    return np.asarray(np.linalg.lstsq(slopes / goal[:, None], left / goal, rcond=None)[0], float)


def _huber(slopes: Floats, left: Floats, goal: Floats, cells: Sequence[PublishedCell]) -> Floats:
    weights = np.ones_like(goal)
    change = np.zeros(slopes.shape[1])
    for _ in range(100):
        root = np.sqrt(weights) / goal
        change = np.asarray(np.linalg.lstsq(slopes * root[:, None], left * root, rcond=None)[0], float)
        residual = np.abs(left - slopes @ change) / goal
        scale = max(1.4826 * float(np.median(residual)), FLOOR)
        weights = np.minimum(1.0, HUBER * scale / np.maximum(residual, 1e-300))
    return change


def _least_worst(slopes: Floats, left: Floats, goal: Floats, cells: Sequence[PublishedCell]) -> Floats:
    from scipy.optimize import linprog

    unit = np.array([max(ASKED * time, allowance.tick(cell)) for time, cell in zip(goal, cells, strict=True)])
    scale = np.maximum(np.abs(slopes).max(axis=0), 1e-300)
    scaled, height = slopes / scale / unit[:, None], left / unit
    ones = np.ones((len(goal), 1))
    solved = linprog(
        np.r_[np.zeros(slopes.shape[1]), 1.0],
        A_ub=np.block([[scaled, -ones], [-scaled, -ones]]),
        b_ub=np.r_[height, -height],
        bounds=[(None, None)] * slopes.shape[1] + [(0, None)],
    )
    if solved.x is None:
        raise MeasurementError(f"the least worst error was not found: {solved.message}")
    found: Floats = np.asarray(solved.x[:-1], float) / scale
    return found


_SOLVERS: dict[str, Callable[[Floats, Floats, Floats, Sequence[PublishedCell]], Floats]] = {
    "least squares": _least_squares,
    "Huber": _huber,
    "least worst": _least_worst,
}
