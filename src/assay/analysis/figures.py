"""From samples to figures: the record's formulas over launch medians, each with interval, range and scope.

A figure is derived, never stored in place of samples. Its statistic is taken inside each launch, then across launches
(method.md, rules 1 and 2); a rate is the formula of the median time, so that it is work over time and no mean of ratios
(rule 10). Tails come only from single operations (rule 6); the first call is separate (rule 8).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assay.analysis.disturbance import Displacement, Estimator, State, Verdict
from assay.analysis.intervals import LaunchEstimate, across_launches
from assay.analysis.launch_statistics import BEST, MEDIAN, TAIL, TAIL_SHARE
from assay.analysis.median import median
from assay.analysis.quantiles import quantile, tail_across_launches
from assay.benchmark.formula import evaluate
from assay.benchmark.record import Benchmark, Figure
from assay.case import Case, ParameterValue
from assay.document.reported_figure import LaunchStatistics, Moved, ReportedFigure

Array = npt.NDArray[np.float64]

ENDS = (0.0, 1.0)  # shares of readings: the least and the greatest one


Family = tuple[tuple[str, ParameterValue], ...]  # what the cases of a family have in common, by name
BlockRow = tuple[str, Case, str, int, Sequence[float], int, bool]  # metric, case, host, launch, values, batch, first


@dataclass(frozen=True)
class CaseSamples:
    """All samples of one benchmark's metric for one case: what a figure is made from.

    `level` of the interval across launches: above 0.95 where a stopping rule shares the 5% among its looks.
    """

    metric: str
    case: Case
    launches: Mapping[tuple[str, int], Array]  # (host, launch) -> values in order of time
    first: Sequence[float]
    batch: int
    level: float = 0.95
    allocations: int = 1
    days: int = 1


Describe = Callable[[float | None, str, str, str], ReportedFigure]  # of value, statistic, estimator and scope


def cells(blocks: Iterable[BlockRow]) -> list[CaseSamples]:
    """Group blocks of rows, with a list of values in the place of one, in order of time, into cells."""
    grouped: dict[tuple[str, Case], dict[tuple[str, int], list[float]]] = defaultdict(lambda: defaultdict(list))
    first: dict[tuple[str, Case], list[float]] = defaultdict(list)
    batches: dict[tuple[str, Case], int] = {}
    for metric, case, host, launch, values, batch, is_first in blocks:
        key = (metric, case)
        batches.setdefault(key, 1)
        if is_first:
            first[key].extend(values)
        else:
            grouped[key][host, launch].extend(values)
            batches[key] = max(batches[key], batch)
    return [
        CaseSamples(
            metric,
            case,
            {k: np.asarray(v) for k, v in launches.items()},
            first[metric, case],
            batches[metric, case],
        )
        for (metric, case), launches in grouped.items()
    ]


JUDGED_BY_NOBODY = Verdict(State.CLEAN, Estimator.MEDIAN, None)  # simulated time has no neighbours
Verdicts = Mapping[tuple[str, Case], Verdict]  # by metric and case


def figures(
    benchmark: Benchmark,
    found: Sequence[CaseSamples],
    verdicts: Verdicts | None = None,
    kind: str = "measured",
    every: Sequence[CaseSamples] = (),
) -> list[ReportedFigure]:
    """Return every figure that the record promises, for every case that was sampled; of a `kind` (assay.kinds).

    `found` holds the samples that count; an invalid case has no value, one that is bound its best reading.
    `every`: all samples of the cases whose figures have statistics of all readings, too, disturbed blocks among them.
    """
    promised = benchmark.figures or {m: Figure(m, m, benchmark.metrics[m].unit, "") for m in benchmark.metrics}
    made = []
    whole = {(cell.metric, cell.case): cell for cell in every}
    for cell in found:
        verdict = (verdicts or {}).get((cell.metric, cell.case), JUDGED_BY_NOBODY)
        for figure in promised.values():
            if figure.metric != cell.metric:
                continue
            made += _of_cell(benchmark, figure, cell, verdict, kind, whole.get((cell.metric, cell.case)))
    return made


def _of_cell(
    benchmark: Benchmark, figure: Figure, cell: CaseSamples, verdict: Verdict, kind: str, whole: CaseSamples | None
) -> list[ReportedFigure]:
    by_launch, nodes = _by_launch(cell)
    values_by_launch = list(by_launch.values())
    valid = verdict.state is not State.INVALID

    constants = benchmark.constants(cell.case)

    def derive(value: float) -> float | None:
        return evaluate(figure.formula, {**constants, **cell.case, "value": value})

    statistics = None if whole is None or not valid else _statistics(derive, whole, figure.better)

    def described(value: float | None, statistic: str, estimator: str, scope: str) -> ReportedFigure:
        return ReportedFigure(
            benchmark=benchmark.name,
            name=figure.name,
            value=value if valid else None,
            unit=figure.unit,
            statistic=statistic,
            params=cell.case,
            scope=scope,
            launches=len(by_launch),
            samples=sum(len(v) for v in cell.launches.values()),
            batch=cell.batch,
            state=verdict.state.value,
            estimator=estimator if valid else Estimator.NONE.value,
            reasons=list(verdict.reasons),
            marked=verdict.marked,
            blocks=verdict.blocks,
            better=figure.better,
            headline=figure.headline,
            kind=kind,
            metric=figure.metric,
            by_launch=[],
            statistics=statistics,
            help=figure.help,
        )

    pooled = np.concatenate(list(cell.launches.values()))
    known = [v for v in (derive(float(pooled.min())), derive(float(pooled.max()))) if v is not None]
    best = None if not known else max(known) if figure.better == "higher" else min(known)
    if verdict.estimator is Estimator.BEST:
        if best is None or (figure.positive and best <= 0):
            return []
        scope = f"the best of all samples of {len(by_launch)} launches: others bound it, no estimate is valid"
        bound = replace(
            described(best, "best", verdict.estimator.value, scope),
            disturbance=_displaced(derive, float(pooled.min()), verdict.disturbance),
            best_by_launch=_best_values(derive, by_launch, figure.better),
        )
        return [bound, *_first(cell, derive, described)]
    estimate: LaunchEstimate = across_launches(
        values_by_launch, level=cell.level, allocations=cell.allocations, days=cell.days
    )
    centre = derive(estimate.value)
    if valid and (centre is None or (figure.positive and centre <= 0)):
        return []
    scope = estimate.scope + (f"; of each launch the median of {nodes} nodes" if nodes > 1 else "")
    middle = described(centre, "median", verdict.estimator.value, scope)
    if valid:
        middle = replace(
            middle,
            by_launch=_launch_values(derive, by_launch),
            range=_mapped(derive, estimate.range),
            ci95=_mapped(derive, estimate.ci95),
            disturbance=_displaced(derive, estimate.value, verdict.disturbance),
        )
    made = [middle]
    if "best" in benchmark.statistics and best is not None:
        scope = f"the best of all samples of {estimate.launches} launches: one extreme, no estimate"
        made.append(described(best, "best", "best reading", scope))
    return [*made, *_tail(cell, nodes, derive, described), *_first(cell, derive, described)]


def _tail(
    cell: CaseSamples,
    nodes: int,
    derive: Callable[[float], float | None],
    described: Describe,
) -> list[ReportedFigure]:
    """The 99th percentile, of single operations and enough of them (method.md, rule 6).

    Where each launch carries its own it is an estimate across launches; else one of all their readings together. Of a
    figure that falls while its metric grows, as a rate does with its time, it is the first percentile ("p1").
    """
    if cell.batch != 1:
        return []
    across = None
    if nodes == 1:
        values = list(cell.launches.values())
        across, _ = tail_across_launches(values, level=cell.level, allocations=cell.allocations, days=cell.days)
    pooled = quantile(np.concatenate(list(cell.launches.values())), 0.99, batch=cell.batch)
    found = pooled if across is None else across
    if found.value is None or (value := derive(found.value)) is None:
        return []
    twice = derive(2 * found.value)
    falls = twice is not None and twice < value
    name, words = ("p1", "1st percentile") if falls else ("p99", "99th percentile")
    estimator = words if across is None else f"median of the launches' {words}s"
    scope = "within the launches sampled; order statistics" if across is None else across.scope
    p99 = described(value, name, estimator, scope)
    if p99.value is not None:
        spread = None if across is None else _mapped(derive, across.range)
        p99 = replace(p99, ci95=_mapped(derive, found.ci95), range=spread)
    return [p99]


def _first(cell: CaseSamples, derive: Callable[[float], float | None], described: Describe) -> list[ReportedFigure]:
    """The first call by itself, where there was one (method.md, rule 8)."""
    value = derive(median(cell.first)) if cell.first else None
    if value is None:
        return []
    first = described(value, "first", "median of the first calls", "the first call of each block of launches")
    spread = None if first.value is None else _mapped(derive, (min(cell.first), max(cell.first)))
    return [replace(first, samples=len(cell.first), batch=1, range=spread)]


def _displaced(derive: Callable[[float], float | None], value: float, moved: Displacement | None) -> Moved | None:
    """How far a metric's displacement can have moved the figure that the record's formula makes of its `value`."""
    if moved is None:
        return None
    if moved.low == moved.high == 0:
        return Moved(0.0, 0.0)
    seen = derive(value)
    undisturbed = [derive(value / (1 + moved.low)) if moved.low > -1 else None, derive(value / (1 + moved.high))]
    ratios = [seen / of - 1 for of in undisturbed if of and seen is not None]
    return Moved(min(0.0, *ratios), max(0.0, *ratios)) if len(ratios) == 2 else None


def _launch_values(derive: Callable[[float], float | None], by_launch: Mapping[int, Array]) -> list[list[float]]:
    """Give each launch by its number with the figure's value in it."""
    derived = ((launch, derive(median(values))) for launch, values in by_launch.items())
    return [[launch, value] for launch, value in derived if value is not None]


def _best_values(
    derive: Callable[[float], float | None], by_launch: Mapping[int, Array], better: str
) -> list[list[float]]:
    """Give each launch by its number with the figure's best value in it."""
    best = max if better == "higher" else min
    found = ((launch, _of_shares(derive, np.sort(values), ENDS, best)) for launch, values in by_launch.items())
    return [[launch, value] for launch, value in found if value is not None]


def _statistics(derive: Callable[[float], float | None], cell: CaseSamples, better: str) -> LaunchStatistics:
    """Reduce all readings of each launch, and of all launches together, to what compares launches in turn."""
    by_launch, _ = _by_launch(cell)
    found: dict[str, dict[int, float]] = {MEDIAN: {}, BEST: {}, TAIL: {}}
    for launch, values in by_launch.items():
        for name, value in _reduced(derive, values, better).items():
            found[name][launch] = value
    return LaunchStatistics(found, _reduced(derive, np.concatenate(list(by_launch.values())), better).get(TAIL))


def _reduced(derive: Callable[[float], float | None], values: Array, better: str) -> dict[str, float]:
    """The figure's median, best value and tail in readings (n,); without those that the formula has no value of."""
    ordered = np.sort(values)
    best, worst = (max, min) if better == "higher" else (min, max)
    found = {
        MEDIAN: _of_shares(derive, ordered, (0.5,), best),
        BEST: _of_shares(derive, ordered, ENDS, best),
        TAIL: _of_shares(derive, ordered, (TAIL_SHARE, 1 - TAIL_SHARE), worst),
    }
    return {name: value for name, value in found.items() if value is not None}


def _of_shares(
    derive: Callable[[float], float | None],
    ordered: Array,
    shares: Sequence[float],
    chosen: Callable[[list[float]], float],
) -> float | None:
    """The figure at one of these quantiles of sorted readings (n,): a formula may turn their order round."""
    known = [value for share in shares if (value := derive(_quantile(ordered, share))) is not None]
    return chosen(known) if known else None


def _quantile(ordered: Array, share: float) -> float:
    """The quantile of sorted values (n,), linear between two of them; numpy.quantile takes twenty times as long."""
    place = share * (len(ordered) - 1)
    low = int(place)
    between = place - low
    return float(ordered[low]) if not between else float(ordered[low] * (1 - between) + ordered[low + 1] * between)


def _by_launch(cell: CaseSamples) -> tuple[dict[int, Array], int]:
    """Samples of each launch, and on how many nodes it ran at most.

    Nodes of one launch are no replicates of it (method.md, rules 1 and 2): of several, their medians are the samples.
    """
    together: dict[int, list[Array]] = defaultdict(list)
    for (_, launch), values in cell.launches.items():
        together[launch].append(values)
    nodes = max(len(of) for of in together.values())
    reduced = {n: of[0] if len(of) == 1 else np.array([median(v) for v in of]) for n, of in together.items()}
    return reduced, nodes


def _mapped(derive: Callable[[float], float | None], pair: Sequence[float] | None) -> list[float] | None:
    if pair is None:
        return None
    ends = [derive(float(end)) for end in pair]
    known = [end for end in ends if end is not None]
    return [min(known), max(known)] if len(known) == 2 else None
