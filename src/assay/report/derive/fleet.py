"""A benchmark that ran on every node of a fleet: the nodes that differ, and each node's main figures."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analysis.figures import CaseSamples
from assay.analysis.nodes import LEAST_NODES, family_size, node_medians, odd_nodes
from assay.benchmark.formula import evaluate
from assay.benchmark.record import Benchmark, Figure
from assay.case import Case
from assay.document.fleet import DifferingNode, FleetFound, NodeLevels

MOST_LEVELS = 8  # figures and cases of one benchmark in the heat map


def fleet(record: Benchmark, found: Sequence[CaseSamples]) -> tuple[list[DifferingNode], FleetFound | None]:
    """The nodes that differ, none named yet, and what the fleet is judged by; None of fewer than three nodes."""
    tests = family_size(found)
    if not tests:
        return [], None
    odd = [
        DifferingNode(
            **vars(node),
            figure=node.metric,
            unit=record.metrics[node.metric].unit,
            text=node.text,
            worse=_worse(record, node.metric, node.case, node.value, node.ratio),
        )
        for node in odd_nodes(found)
    ]
    return odd, FleetFound(tests=tests, levels=_levels(record, found))


def _figure(record: Benchmark, metric: str) -> Figure | None:
    """The main figure of a metric, else its first."""
    of = [figure for figure in record.figures.values() if figure.metric == metric]
    return next((figure for figure in of if figure.headline), of[0] if of else None)


def _worse(record: Benchmark, metric: str, case: Case, value: float, ratio: float) -> bool | None:
    """Whether the node is worse than the others by the metric's figure; None where no figure shows it."""
    figure = _figure(record, metric)
    if figure is None:
        return ratio > 1 if record.metrics[metric].unit == "s" else None
    own, usual = (_of(record, figure, case, each) for each in (value, value / ratio))
    return None if own is None or usual is None or own == usual else (own > usual) == (figure.better == "lower")


def _of(record: Benchmark, figure: Figure, case: Case, value: float) -> float | None:
    return evaluate(figure.formula, {**record.constants(case), **case, "value": value})


def _levels(record: Benchmark, found: Sequence[CaseSamples]) -> list[NodeLevels]:
    """Each node's main figures, case by case; where a benchmark has no main figure, its first metric's."""
    main = {figure.metric: figure for figure in record.figures.values() if figure.headline}
    main = main or {metric: figure for metric in list(record.metrics)[:1] if (figure := _figure(record, metric))}
    levels = []
    for cell in found:
        figure = main.get(cell.metric)
        medians = node_medians(cell) if figure is not None else {}
        if figure is None or len(medians) < LEAST_NODES:
            continue
        values = {host: _of(record, figure, cell.case, value) for host, value in medians.items()}
        known = {host: value for host, value in values.items() if value is not None}
        levels.append(
            NodeLevels(figure=figure.name, unit=figure.unit, params=cell.case, better=figure.better, nodes=known)
        )
    return levels[:MOST_LEVELS]
